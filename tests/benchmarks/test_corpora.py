"""The corpora that tools are compared on, and the true pairs among them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import corpora
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import truth
from corpus import write_corpus

from lookalike import find_pairs


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a corpus of 2,000 documents."""
    return write_corpus(tmp_path_factory.mktemp("corpora") / "made-2000.parquet", 2000)


def texts(path: Path) -> list[str]:
    table = pq.read_table(path)
    assert table["id"].to_pylist() == list(range(table.num_rows))
    return list(table["text"].to_pylist())


@pytest.mark.slow
def test_a_corpus_is_the_same_each_time_whatever_its_size(small: Path, tmp_path: Path) -> None:
    again = write_corpus(tmp_path / "again.parquet", 2000)
    assert again.read_bytes() == small.read_bytes()
    assert texts(write_corpus(tmp_path / "tenth.parquet", 200)) == texts(small)[:200]
    assert texts(write_corpus(tmp_path / "seed.parquet", 200, seed=1)) != texts(small)[:200]


def test_a_corpus_of_another_generator_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "made-100.parquet"
    pq.write_table(pa.table({"id": [0], "text": ["old"]}), path)
    assert len(texts(write_corpus(path, 100))) == 100
    written = path.stat().st_mtime_ns
    write_corpus(path, 100)
    assert path.stat().st_mtime_ns == written


@pytest.mark.slow
@pytest.mark.parametrize(("count", "shape", "size"), [(2000, "made", 2900), (2000, "short", 500)])
def test_texts_are_lower_case_words(count: int, shape: str, size: int, tmp_path: Path) -> None:
    found = texts(write_corpus(tmp_path / "corpus.parquet", count, shape))
    assert len(found) == count
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)*", text) for text in found)
    assert np.mean([len(text) for text in found]) == pytest.approx(size, rel=0.1)


def test_similarities_of_copies_spread_from_three_tenths_to_one(small: Path) -> None:
    found = find_pairs(small, id="id", recall=1, threshold=0.05).to_arrow()["similarity"].to_numpy()
    counts, _ = np.histogram(found, np.arange(0.3, 1.01, 0.1))
    assert counts.min() > 0.5 * counts.sum() / len(counts)
    assert (found == 1).sum() > 10
    assert (found < 0.2).sum() > counts.sum() / 5  # unrelated documents with the same boilerplate


@pytest.mark.slow
def test_short_texts_have_large_clusters(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "short.parquet", 20_000, "short")
    pairs = truth.truth(path, 0.7, 5)
    _, sizes = np.unique(pairs.clusters, return_counts=True)
    assert sizes.max() > 30
    assert 0.15 < 1 - len(sizes) / 20_000 < 0.33


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + 5]) for i in range(max(1, len(words) - 4))}


@pytest.mark.slow
def test_truth_is_what_comparing_all_pairs_gives(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "made-400.parquet", 400)
    sets = dict(enumerate(map(shingles, texts(path))))
    expected = {
        (i, j)
        for (i, one), (j, other) in itertools.combinations(sets.items(), 2)
        if len(one & other) >= 0.7 * len(one | other)
    }
    assert len(expected) > 20
    found = truth.truth(path, 0.7, 5)
    assert set(map(tuple, found.pairs.tolist())) == expected
    kept = path.with_name("made-400-truth-0.7-5.parquet").stat().st_mtime_ns
    assert len(truth.truth(path, 0.7, 5).pairs) == len(expected)
    assert path.with_name("made-400-truth-0.7-5.parquet").stat().st_mtime_ns == kept


def naive_clusters(pairs: list[tuple[int, int]], count: int) -> list[int]:
    labels = list(range(count))
    for _ in range(count):
        for one, other in pairs:
            labels[one] = labels[other] = min(labels[one], labels[other])
    return labels


def test_quality_is_what_counting_all_pairs_gives() -> None:
    rng = np.random.default_rng(5)
    every = list(itertools.combinations(range(30), 2))
    for _ in range(30):
        true = sorted({tuple(sorted(pair)) for pair in rng.integers(0, 30, (20, 2)).tolist() if pair[0] != pair[1]})
        answer = truth.Truth.of(np.array(true), 30)
        labels = naive_clusters(true, 30)
        assert answer.clusters.tolist() == labels
        found = rng.integers(0, 12, 30)
        together = {(i, j) for i, j in every if found[i] == found[j]}
        right = sum(labels[i] == labels[j] for i, j in together)
        expected = truth.Quality(len(together & set(true)) / len(true), right / len(together))
        assert answer.of_clusters(found) == expected
        reported = rng.integers(0, 30, (40, 2))
        once = {tuple(sorted(pair)) for pair in reported.tolist() if pair[0] != pair[1]}
        both = len(once & set(true))
        assert answer.of_pairs(reported) == truth.Quality(both / len(true), both / len(once))


def test_a_share_of_nothing_is_none() -> None:
    answer = truth.Truth.of(np.empty((0, 2), np.int64), 3)
    assert answer.of_clusters(np.arange(3)) == truth.Quality(None, None)
    assert answer.of_pairs(np.empty((0, 2), np.int64)) == truth.Quality(None, None)


def test_real_text_becomes_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "real" / "deep"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"text": ["Hello,  World!\n2x", "...", None, "Ça va?"]}), folder / "mine.parquet")
    pq.write_table(pa.table({"text": ["Verse"]}), folder / "bible_verses.parquet")
    monkeypatch.delenv(corpora.VARIABLE, raising=False)
    assert corpora.real_corpora() == []
    with pytest.raises(corpora.UnknownCorpusError, match="no corpus 'mine'"):
        corpora.corpus("mine", tmp_path)
    monkeypatch.setenv(corpora.VARIABLE, str(tmp_path / "real"))
    assert corpora.real_corpora() == ["bible"]
    assert texts(corpora.corpus("mine", tmp_path).path) == ["hello world 2x", "a va"]
    assert corpora.corpus("mine", tmp_path).facts() == {"documents": 2, "bytes": 18}
