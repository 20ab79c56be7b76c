"""Real documents against exact search: the sample in tests/data, and larger corpora where there are some."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive.words
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support import brute_force
from support.paths import DATA, ROOT
from support.run_cli import done

from lookalike import compare, find_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

SAMPLE = DATA / "django_docs.jsonl"
THRESHOLDS = (0.5, 0.7, 0.8, 0.9)
REAL_TEXT = Path(os.environ.get("LOOKALIKE_DATA") or ROOT.parent / "shared" / "data").resolve()
CORPORA = {
    "django_docs": "docs/**/*.txt of Django 2.2, 3.2, 4.2 and 5.2 from PyPI, as id and text, and what is similar there",
    "bible_verses": "verses in seven English translations, from the repository scrollmapper/bible_databases",
    "mdn_translated": "pages in eight languages, from the repository mdn/translated-content",
}
"""Where the corpora come from."""


def words(text: str) -> list[str]:
    r"""List the words of a text; runs of \w are words where there is no mark and every script has spaces."""
    text = text.lower()
    plain = not any(naive.words.stands_alone(c) or unicodedata.category(c).startswith("M") for c in set(text))
    return re.findall(r"\w+", text) if plain else naive.words.words(text)


def exact_pairs(texts: Sequence[str], n: int, least: float) -> dict[tuple[int, int], float]:
    """Find all pairs by counting, for every word n-gram, the pairs of texts that have it."""
    text, gram = distinct_grams(texts, n)
    sizes = np.bincount(text, minlength=len(texts))
    order = np.lexsort((text, gram))
    text, gram = text[order], gram[order]
    met = []
    for apart in range(1, int(np.bincount(gram).max())):
        same = np.flatnonzero(gram[apart:] == gram[:-apart])
        met.append(text[same] * len(texts) + text[same + apart])
    codes, shared = np.unique(np.concatenate(met), return_counts=True)
    left, right = codes // len(texts), codes % len(texts)
    similarity = shared / (sizes[left] + sizes[right] - shared)
    found = zip(left.tolist(), right.tolist(), similarity.tolist(), strict=True)
    return {(one, two): value for one, two, value in found if value >= least}


def distinct_grams(texts: Sequence[str], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the n-grams of texts of at least n words; return, for each text and each n-gram it has, both numbers."""
    tokens = [words(text) for text in texts]
    numbers: dict[str, int] = {}
    flat = np.array([numbers.setdefault(word, len(numbers)) for listed in tokens for word in listed])
    lengths = np.array([len(listed) for listed in tokens])
    assert lengths.min() >= n
    owner = np.repeat(np.arange(len(texts)), lengths)
    gram = flat
    for _ in range(n - 1):  # a gram of k + 1 words is one of k words and a word
        flat = flat[1:]
        gram = np.unique(gram[: len(flat)] * len(numbers) + flat, return_inverse=True)[1]
    whole = owner[: len(gram)] == owner[n - 1 :]
    both = np.unique(owner[: len(gram)][whole] * len(gram) + gram[whole])
    return both // len(gram), both % len(gram)


def check_run(texts: Sequence[str], exact: dict[tuple[int, int], float], threshold: float, shingle: str) -> None:
    """Compare a run with exact search: nothing wrong, no value off, and of the pairs that are no copies 99 % found."""
    run = find_pairs(texts, threshold=threshold, shingle=shingle)
    found = {(left, right): similarity for left, right, similarity in run}
    wanted = {pair: similarity for pair, similarity in exact.items() if similarity >= threshold}
    assert found.items() <= wanted.items()
    graded = [pair for pair, similarity in wanted.items() if similarity < 1]
    missed = len([pair for pair in graded if pair not in found])
    assert len(wanted) - len(found) == missed
    assert missed <= len(graded) * 0.01 + 4 * (len(graded) * 0.01 * 0.99) ** 0.5


# The sample


@pytest.fixture(scope="module")
def sample() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("shingle", ["words:5", "words:1", "chars:9", "bytes:20"])
def test_the_sample_exactly(sample: list[dict[str, Any]], shingle: str) -> None:
    texts = [row["text"] for row in sample]
    assert len(texts) == 60
    found = find_pairs(texts, threshold=0.4, shingle=shingle, **brute_force.SURE)
    assert {(left, right): similarity for left, right, similarity in found} == brute_force.pairs(
        texts, 0.4, shingle=shingle
    )


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_recall_on_the_sample(sample: list[dict[str, Any]], threshold: float) -> None:
    texts = [row["text"] for row in sample]
    check_run(texts, exact_pairs(texts, 5, 0.5), threshold, "words:5")


def test_the_sample_from_file_to_file(sample: list[dict[str, Any]], tmp_path: Path) -> None:
    """Rows kept and clusters are those of exact search; versions of a page that never changed are together."""
    kept, clusters = tmp_path / "kept.jsonl", tmp_path / "clusters.jsonl"
    settings = ["--id", "id", "--keep", "last", "-t", "0.5", "--bands", 64, "--rows", 1]
    done("dedup", SAMPLE, *settings, "-o", kept, "--clusters", clusters)
    together: defaultdict[int, list[str]] = defaultdict(list)
    for row in map(json.loads, clusters.read_text().splitlines()):
        together[row["cluster"]].append(row["id"])
        assert row["kept"] == (row["id"] == row["keeper"])
    exact = brute_force.clusters(60, exact_pairs([row["text"] for row in sample], 5, 0.5))
    assert list(together.values()) == [[sample[item]["id"] for item in items] for items in exact]
    removed = {item for items in exact for item in items[:-1]}
    lines = SAMPLE.read_text().splitlines()
    assert kept.read_text().splitlines() == [line for item, line in enumerate(lines) if item not in removed]
    assert {f"{version}:docs/glossary.txt" for version in ("2.2", "3.2", "4.2", "5.2")} in map(set, together.values())


# Corpora that are too large to ship


def corpus_folder(name: str) -> Path:
    """Return the folder of a corpus; skip the test, and say what is missing, where there is none."""
    folder = REAL_TEXT / name
    if not (folder / f"{name}.parquet").is_file():
        where = f"{folder}; the environment variable LOOKALIKE_DATA names the folder above it"
        pytest.skip(f"needs {name}.parquet ({CORPORA[name]}) in {where}")
    return folder


def load(name: str) -> pa.Table:
    return pq.read_table(corpus_folder(name) / f"{name}.parquet")


def django() -> dict[str, str]:
    table = load("django_docs")
    return dict(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))


@pytest.mark.slow
def test_recall_on_versions_of_documents() -> None:
    texts = list(django().values())
    exact = exact_pairs(texts, 5, min(THRESHOLDS))
    assert len(exact) > 3000
    for threshold in THRESHOLDS:
        check_run(texts, exact, threshold, "words:5")


def test_similarities_that_others_measured() -> None:
    r"""They took \\w+ for words, which is ours for ASCII."""
    texts = {name: text for name, text in django().items() if text.isascii()}
    with (corpus_folder("django_docs") / "truth_same_path_pairs.tsv").open() as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row[0] in texts and row[1] in texts]
    for left, right, similarity in random.Random(1).sample(rows, 100):
        assert f"{compare(texts[left], texts[right]).similarity:.4f}" == similarity


def test_recall_on_verses() -> None:
    """Short texts: a dozen bigrams each, so that a word more or less moves the similarity far."""
    table = load("bible_verses")
    chosen = pc.match_substring_regex(table["verse"], "^(Genesis [1-9]|Mark [1-9]):")
    texts = [text for text in table.filter(chosen)["text"].to_pylist() if len(words(text)) > 1]
    assert len(texts) > 3000
    exact = exact_pairs(texts, 2, min(THRESHOLDS))
    for threshold in THRESHOLDS:
        check_run(texts, exact, threshold, "words:2")


@pytest.mark.parametrize("language", ["zh-cn", "ja", "ko", "ru"])
def test_scripts_with_and_without_spaces(language: str) -> None:
    """Pages, and each with some of its lines left out, against words found one character at a time."""
    table = load("mdn_translated")
    pages = table.filter(pc.equal(table["lang"], language))["text"].slice(0, 25).to_pylist()
    draw = random.Random(2)
    texts = [page[:3000] for page in pages]
    texts += ["\n".join(line for line in text.splitlines() if draw.random() < 0.85) for text in texts]
    found = find_pairs(texts, threshold=0.4, shingle="words:3", **brute_force.SURE)
    exact = brute_force.pairs(texts, 0.4, shingle="words:3")
    assert len(exact) >= 20
    assert {(left, right): similarity for left, right, similarity in found} == exact
