"""Real documents: recall and precision against exact search, on the sample in data/ and on the corpora beside the repository."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import brute
import naive
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from command import done

from lookalike import compare, deduplicate, find_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

SAMPLE = Path(__file__).parent / "data" / "django_docs.jsonl"
THRESHOLDS = (0.5, 0.7, 0.8, 0.9)


def words(text: str) -> list[str]:
    """List the words of a text, quickly where it is ASCII."""
    return re.findall(r"\w+", text.lower()) if text.isascii() else naive.words(text)


def exact_pairs(texts: Sequence[str], n: int, least: float) -> dict[tuple[int, int], float]:
    """Find all pairs by counting shared word n-grams in an inverted index."""
    sets = [naive.shingles(words(text), n) for text in texts]
    index = defaultdict(list)
    for item, grams in enumerate(sets):
        for gram in grams:
            index[gram].append(item)
    shared = Counter(pair for items in index.values() for pair in combinations(items, 2))
    found = {pair: count / (len(sets[pair[0]]) + len(sets[pair[1]]) - count) for pair, count in shared.items()}
    return {pair: similarity for pair, similarity in found.items() if similarity >= least}


def check_run(texts: Sequence[str], exact: dict[tuple[int, int], float], threshold: float, shingle: str) -> None:
    """Compare a run with exact search: nothing wrong, no value off, and of the pairs that are no copies 99 % found."""
    found = {(left, right): similarity for left, right, similarity in find_pairs(texts, threshold=threshold, shingle=shingle)}
    wanted = {pair: similarity for pair, similarity in exact.items() if similarity >= threshold}
    assert found.items() <= wanted.items()
    graded = [pair for pair, similarity in wanted.items() if similarity < 1]
    missed = len([pair for pair in graded if pair not in found])
    assert len(wanted) - len(found) == missed
    assert missed <= len(graded) * 0.01 + 4 * (len(graded) * 0.01 * 0.99) ** 0.5


def load(folder: Path, name: str) -> pa.Table:
    return pq.read_table(folder / name / f"{name}.parquet")


# The sample


@pytest.fixture(scope="module")
def sample() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text().splitlines()]


@pytest.mark.parametrize("shingle", ["words:5", "words:1", "chars:9", "bytes:20"])
def test_the_sample_exactly(sample: list[dict[str, Any]], shingle: str) -> None:
    texts = [row["text"] for row in sample]
    assert len(texts) == 60
    found = find_pairs(texts, threshold=0.4, shingle=shingle, **brute.SURE)
    assert {(left, right): similarity for left, right, similarity in found} == brute.pairs(texts, 0.4, shingle=shingle)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_recall_on_the_sample(sample: list[dict[str, Any]], threshold: float) -> None:
    texts = [row["text"] for row in sample]
    check_run(texts, exact_pairs(texts, 5, 0.5), threshold, "words:5")


def test_the_sample_from_file_to_file(sample: list[dict[str, Any]], tmp_path: Path) -> None:
    """Versions of one page end in one cluster, pages of one version do not."""
    kept, clusters = tmp_path / "kept.jsonl", tmp_path / "clusters.jsonl"
    done("dedup", SAMPLE, "--id", "id", "--keep", "last", "-t", "0.5", "-o", kept, "--clusters", clusters)
    pages: defaultdict[int, set[str]] = defaultdict(set)
    for row in map(json.loads, clusters.read_text().splitlines()):
        pages[row["cluster"]].add(row["id"].partition(":")[2])
        assert row["kept"] == (row["id"] == row["keeper"])
    assert all(len(names) == 1 for names in pages.values())
    lines = SAMPLE.read_text().splitlines()
    mask = deduplicate(sample_texts(sample), threshold=0.5, keep="last").mask
    assert kept.read_text().splitlines() == [line for line, take in zip(lines, mask, strict=True) if take]


def sample_texts(sample: list[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in sample]


# The corpora


@cache
def django(folder: Path) -> dict[str, str]:
    table = load(folder, "django_docs")
    return dict(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))


def test_recall_on_versions_of_documents(shared_data: Path) -> None:
    texts = list(django(shared_data).values())
    exact = exact_pairs(texts, 5, min(THRESHOLDS))
    assert len(exact) > 3000
    for threshold in THRESHOLDS:
        check_run(texts, exact, threshold, "words:5")


def test_similarities_that_others_measured(shared_data: Path) -> None:
    texts = django(shared_data)
    with (shared_data / "django_docs" / "truth_same_path_pairs.tsv").open() as file:
        rows = list(csv.reader(file, delimiter="\t"))
    for left, right, similarity in random.Random(1).sample(rows, 60):
        assert f"{compare(texts[left], texts[right]).similarity:.4f}" == similarity


def test_recall_on_verses(shared_data: Path) -> None:
    """Short texts: a dozen bigrams each, so that a word more or less moves the similarity far."""
    table = load(shared_data, "bible_verses")
    texts = table.filter(pc.match_substring_regex(table["verse"], "^(Genesis|Mark) "))["text"].to_pylist()
    assert len(texts) > 5000
    exact = exact_pairs(texts, 2, min(THRESHOLDS))
    for threshold in THRESHOLDS:
        check_run(texts, exact, threshold, "words:2")


@pytest.mark.parametrize("language", ["zh-cn", "ja", "ko", "ru"])
def test_scripts_with_and_without_spaces(shared_data: Path, language: str) -> None:
    """Pages, and each with some of its lines left out, against words found one character at a time."""
    table = load(shared_data, "mdn_translated")
    pages = table.filter(pc.equal(table["lang"], language))["text"].slice(0, 25).to_pylist()
    draw = random.Random(2)
    texts = [page[:3000] for page in pages]
    texts += ["\n".join(line for line in text.splitlines() if draw.random() < 0.85) for text in texts]
    found = find_pairs(texts, threshold=0.4, shingle="words:3", **brute.SURE)
    exact = brute.pairs(texts, 0.4, shingle="words:3")
    assert len(exact) >= 20
    assert {(left, right): similarity for left, right, similarity in found} == exact
