"""The k nearest neighbours of each item, against brute force, for every measure."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.brute_force_vectors import MEASURES as VECTOR_MEASURES
from support.brute_force_vectors import collection, is_distance, values
from support.run_cli import run

from lookalike import RecipeError, nearest
from lookalike.measures import Measure
from lookalike.neighbours import cells
from lookalike.neighbours import sets as near_sets
from lookalike.neighbours import vectors as near_vectors
from lookalike.summary import Summary
from lookalike.tuning.recall import Measured, interval, share_of_nearest

Rows = dict[Any, list[tuple[Any, float]]]
SET_MEASURES = {
    "jaccard": naive.jaccard,
    "dice": naive.dice,
    "cosine": naive.cosine,
    "overlap": naive.overlap,
    "containment": naive.containment,
}


def found(items: Any, k: int, **asked: Any) -> Rows:
    """Return the nearest of each item, in order."""
    rows: Rows = {}
    for left, right, rank, value in nearest(items, k, **asked):
        rows.setdefault(left, []).append((right, value))
        assert rank == len(rows[left])
    return rows


def assert_best(rows: Rows, all_values: NDArray[np.float64], k: int, *, distance: bool) -> None:
    """Check that values are right, and none that was left out is better; of equals any may be taken."""
    scores = -all_values if distance else all_values
    for left, listed in rows.items():
        told = [value for _, value in listed]
        assert told == pytest.approx([all_values[left, right] for right, _ in listed], abs=1e-9)
        assert len({right for right, _ in listed}) == len(listed)
        best = np.sort(scores[left])[::-1][:k]
        best = best[np.isfinite(best)]
        assert [-value if distance else value for value in told] == pytest.approx(best.tolist(), abs=1e-9)


@pytest.mark.parametrize("measure", SET_MEASURES)
def test_nearest_sets(measure: Any) -> None:
    rng = np.random.default_rng(3)
    sets = [set(rng.integers(0, 60, rng.integers(1, 20)).tolist()) for _ in range(120)]
    matrix = np.array([[SET_MEASURES[measure](one, two) for two in sets] for one in sets])
    np.fill_diagonal(matrix, -np.inf)
    matrix[matrix == 0] = -np.inf
    assert_best(found(sets, 7, measure=measure), matrix, 7, distance=False)


def shared_by_all(one: NDArray[np.bool_], two: NDArray[np.bool_], measure: str) -> NDArray[np.float64]:
    """Return the similarities of all sets with all others; a row marks the elements of a set."""
    shared = one.astype(float) @ two.T
    sizes, others = one.sum(axis=1)[:, None].astype(float), two.sum(axis=1)[None, :].astype(float)
    over = {
        "jaccard": sizes + others - shared,
        "dice": (sizes + others) / 2,
        "cosine": np.sqrt(sizes * others),
        "overlap": np.minimum(sizes, others),
        "containment": sizes + 0 * others,
    }[measure]
    return np.where(shared > 0, shared / over, -np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("measure", SET_MEASURES)
@pytest.mark.parametrize("at_a_time", [1 << 17, 700])
def test_nearest_of_many_sets(measure: Any, at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements from rare to common, some sets that nearly are others: long lists are left out, and asked, and counted.

    Part of them is asked for among the rest as well, in one part or several.
    """
    monkeypatch.setattr(near_sets, "SETS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(near_sets, "ELEMENTS_AT_A_TIME", 100 * at_a_time)
    rng = np.random.default_rng(8)
    has = rng.random((2000, 150)) < np.linspace(0.001, 0.7, 150) * rng.random((2000, 1))
    has[1000:1500] = has[:500] ^ (rng.random((500, 150)) < 0.02)
    has[:, 149] |= ~has.any(axis=1)
    sets = [set(np.flatnonzero(row).tolist()) for row in has]
    matrix = shared_by_all(has, has, measure)
    np.fill_diagonal(matrix, -np.inf)
    assert_best(found(sets, 2, measure=measure), matrix, 2, distance=False)
    across = shared_by_all(has[:300], has[300:], measure)
    assert_best(found(sets[:300], 3, against=sets[300:], measure=measure), across, 3, distance=False)


def test_nearest_sets_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(2)
    sets = [set(rng.integers(0, 300, 30).tolist()) for _ in range(1500)]
    assert nearest(sets, 4, threads=1).to_arrow() == nearest(sets, 4, threads=3).to_arrow()


def test_a_threshold_for_sets() -> None:
    sets = [{1, 2, 3}, {1, 2, 4}, {1, 9, 10}, {1}]
    assert found(sets, 3, threshold=0.5) == {0: [(1, 0.5)], 1: [(0, 0.5)]}


def test_very_large_sets() -> None:
    sets = [set(range(70000)), set(range(1, 70001)), set(range(5))]
    assert found(sets, 1)[0] == [(1, 69999 / 70001)]


@pytest.mark.parametrize("asked", VECTOR_MEASURES.values(), ids=VECTOR_MEASURES)
@pytest.mark.parametrize("recall", [0.99, 1])
def test_nearest_vectors(asked: dict[str, Any], recall: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_vectors, "BASE", 50)
    monkeypatch.setattr(near_vectors, "QUERIES_AT_A_TIME", 70)
    asked = {name: value for name, value in asked.items() if name != "threshold"}
    rows = collection({**asked, "threshold": 0}, 230)
    matrix = values(rows, asked)
    np.fill_diagonal(matrix, np.inf if is_distance(asked) else -np.inf)
    nearest_rows = found(rows, 5, recall=recall, **asked)
    assert len(nearest_rows) == 230
    assert_best(nearest_rows, matrix, 5, distance=is_distance(asked))


def test_nearest_of_another_collection() -> None:
    rows = collection({"measure": "cosine"}, 200)
    matrix = values(rows, {"measure": "cosine"})[:40, 40:]
    assert_best(found(rows[:40], 3, against=rows[40:]), matrix, 3, distance=False)
    texts = ["the cat sat on the mat", "a dog ran", "the cat sat on a mat"]
    assert found(texts[:1], 1, against=texts[1:], shingle="words:1") == {0: [(1, 5 / 6)]}


def least_recall(promised: float, shares: NDArray[np.float64]) -> float:
    """Return the recall that five deviations leave of a promise, given which share of its nearest each question found.

    The answers to one question hang together, so it is questions that are counted; and those of the sample that told
    how many cells must be looked into.
    """
    return promised - 5 * float(shares.std()) * math.sqrt(1 / len(shares) + 1 / cells.SAMPLED)


@pytest.mark.slow
@pytest.mark.parametrize("recall", [0.8, 0.95])
def test_cells_keep_the_recall(recall: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of many groups, as real ones are: those of one are closer than those of others."""
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rng = np.random.default_rng(9)
    groups = rng.normal(size=(200, 96))
    rows = (groups[rng.integers(0, 200, 8000)] + 0.7 * rng.normal(size=(8000, 96))).astype(np.float32)
    asked, base = rows[:500], rows[500:]
    result = nearest(asked, 10, against=base, measure="cosine", recall=recall)
    assert result.summary.candidates < 0.1 * len(asked) * len(base)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    truth = np.argsort(-(unit[:500] @ unit[500:].T), axis=1)[:, :10]
    right = result.to_arrow()["right"].to_numpy().reshape(500, 10)
    shares = np.array([len(set(one) & set(two)) / 10 for one, two in zip(right, truth, strict=True)])
    assert shares.mean() >= least_recall(recall, shares)
    again = nearest(asked, 10, against=base, measure="cosine", recall=recall, threads=1)
    assert again.to_arrow() == result.to_arrow()


def test_isolated_items_have_neighbours_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rng = np.random.default_rng(9)
    groups = rng.normal(size=(50, 64))
    rows = (groups[rng.integers(0, 50, 6000)] + 0.2 * rng.normal(size=(6000, 64))).astype(np.float32)
    rows[::100] = rng.normal(size=(60, 64))
    assert {len(listed) for listed in found(rows, 10, recall=0.8).values()} == {10}


# The recall, measured


def spread(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Make vectors of few dimensions, whose nearest are in several cells; some of them twice."""
    rows = rng.normal(size=(count, 6)).astype(np.float32)
    rows[1::50] = rows[::50]
    return rows


def measured_in(summary: Summary) -> Measured:
    assert summary.measured is not None
    return summary.measured


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=5), st.lists(st.integers(0, 9), max_size=5))))
def test_the_share_of_the_nearest(rows: list[tuple[list[float], list[float]]]) -> None:
    """Answers to a few questions, of scores with many ties: what was found is some of what there is, in order."""
    k = 3
    truth, found = np.full((2, len(rows), k), -np.inf)
    expected = [0, 0]
    for row, (good, rest) in enumerate(rows):
        best = sorted([*good, *rest], reverse=True)[:k]
        listed = sorted(good, reverse=True)[:k]
        truth[row, : len(best)], found[row, : len(listed)] = best, listed
        expected[0] += len(best)
        expected[1] += naive.nearest_found(best, listed)
    share = share_of_nearest(truth, found, Measure(), 0.9, complete=True)
    assert [share.pairs, share.found] == expected
    assert share.recall == (expected[1] / expected[0] if expected[0] else None)


def test_one_of_equals_is_as_good_as_another() -> None:
    truth, found = np.array([[0.9, 0.5, 0.5]]), np.array([[0.9, 0.5, 0.4]])
    assert share_of_nearest(truth, found, Measure(), 0.9, complete=True).found == 2
    assert share_of_nearest(truth, np.full((1, 3), 0.5), Measure(), 0.9, complete=True).found == 2
    assert share_of_nearest(truth, truth, Measure(), 0.9, complete=True).recall == 1


@pytest.mark.parametrize("sampled", [100, 9999])
def test_the_recall_of_cells_is_measured(sampled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rows = spread(np.random.default_rng(5), 5000)
    wanted: dict[str, Any] = {"against": rows, "recall": 0.8}
    result = nearest(rows[:300], 10, measure_recall=sampled, **wanted)
    measured = measured_in(result.summary)
    truth = nearest(rows[:300], 10, **{**wanted, "recall": 1}).to_arrow()["similarity"].to_numpy().reshape(300, 10)
    listed = result.to_arrow()["similarity"].to_numpy().reshape(300, 10)
    hits = np.array([naive.nearest_found(*map(list, row)) for row in zip(truth, listed, strict=True)], float)
    assert (result.summary.recall, result.summary.exact, measured.overall.predicted) == (0.8, False, 0.8)
    assert (measured.sampled, measured.population) == (min(sampled, 300), 300)
    low, high = measured.overall.interval
    share = hits.sum() / (10 * len(hits))
    assert low <= share <= high < 1
    assert share >= least_recall(0.8, hits / 10)
    if measured.complete:
        assert (measured.overall.found, low) == (hits.sum(), high)
    else:
        wide = interval(np.full(100, 10.0), hits[:100], np.zeros(100))
        assert (high - low) / (wide[1] - wide[0]) == pytest.approx(1, abs=0.5)
    again = nearest(rows[:300], 10, measure_recall=sampled, threads=1, **wanted)
    assert measured_in(again.summary) == measured


@pytest.mark.slow
def test_the_interval_holds_the_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 12 samples, one in twenty may be off; four would be so 2 times in 1,000."""
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rows = spread(np.random.default_rng(6), 4500)
    held = 0
    for seed in range(12):
        known, some = (
            measured_in(nearest(rows[:400], 5, against=rows, recall=0.8, measure_recall=n, seed=seed).summary)
            for n in (400, 60)
        )
        low, high = some.overall.interval
        held += low <= known.overall.interval[0] <= high
    assert held > 8


KINDS: dict[str, Any] = {
    "texts": ["a b c d", "a b c e", "x y z", "a b"],
    "tokens": {"shingle": "tokens:1", "items": [[1, 2, 3], [1, 2], [3, 4]]},
    "sets": [{1, 2}, {1, 2, 3}, {3}],
    "weights": [{"a": 1.0, "b": 2.0}, {"a": 1.5}, {"b": 1.0}],
    "vectors": np.eye(4)[[0, 1, 0, 2]] + 0.1,
    "distances": {"measure": "euclidean", "items": np.eye(4)},
    "bits": {"measure": "hamming", "items": np.array([[1, 2], [3, 4], [1, 3]], np.uint8)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_misses_nothing_is_not_measured_but_known(kind: str) -> None:
    asked = KINDS[kind] if isinstance(KINDS[kind], dict) else {"items": KINDS[kind]}
    asked = asked if kind != "texts" else {**asked, "shingle": "words:1"}
    result = nearest(k=2, measure_recall=10, **asked)
    measured = measured_in(result.summary)
    assert (measured.sampled, measured.population) == (0, len(asked["items"]))
    assert (measured.overall.recall, measured.overall.interval) == (1.0, (1.0, 1.0))
    assert measured.overall.pairs == measured.overall.found == len(result) > 0
    assert (result.summary.recall, result.summary.exact) == (1.0, True)
    values = result.to_arrow().column(3).to_numpy()
    assert (measured.overall.low, measured.overall.high) == (values.min(), values.max())
    assert "measure" not in result.summary.seconds


def test_nothing_to_measure() -> None:
    assert measured_in(nearest([{1}], 3, measure_recall=5).summary).overall.recall is None
    assert nearest([{1}, {1}], 3).summary.measured is None
    with pytest.raises(RecipeError, match="`measure_recall` must be a whole number"):
        nearest([{1}], 3, measure_recall=-1)


def test_a_small_sample_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rows = spread(np.random.default_rng(5), 4500)
    notes = nearest(rows[:200], 10, against=rows, recall=0.8, measure_recall=3).summary.notes
    assert any("the measured recall is uncertain" in note for note in notes)


def test_a_threshold_leaves_out_the_rest() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    close = found(rows, 2, threshold=0.9)
    assert {left: [right for right, _ in listed] for left, listed in close.items()} == {0: [1], 1: [0]}
    assert set(found(rows, 2, measure="euclidean", threshold=0.5)) == {0, 1}


def test_vectors_that_point_away_are_listed_too() -> None:
    assert found(np.array([[1.0, 0.0], [-1.0, 0.0]]), 1) == {0: [(1, -1.0)], 1: [(0, -1.0)]}


def test_fewer_items_than_requested() -> None:
    assert found(np.eye(2), 10, measure="euclidean")[0] == [(1, 2**0.5)]
    assert found([{1}], 3) == {}
    assert found([{1}, None, {1}], 3) == {0: [(2, 1.0)], 2: [(0, 1.0)]}


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_bad_k(k: Any) -> None:
    with pytest.raises(RecipeError, match="`k` must be a whole number"):
        nearest([{1}], k)


def test_bands_are_refused() -> None:
    with pytest.raises(RecipeError, match="Leave them out"):
        nearest([{1}], 1, bands=3, rows=2)


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("v.npy", np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]]))
    done = run("nearest", "v.npy", "-k", 1, "--measure", "euclidean")
    assert done.out.splitlines()[:2] == ["left\tright\trank\tdistance", "v.npy:1\tv.npy:3\t1\t0.5"]
    assert "euclidean on vectors" in done.err
    done = run("nearest", "v.npy", "-k", 1, "-o", "out.parquet")
    assert Path("out.parquet").exists()
    assert "recall   1 (exact search)" in done.err


def test_the_command_line_measures_the_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(near_vectors, "PAY", 0)
    rows = spread(np.random.default_rng(5), 4500)
    np.save("base.npy", rows)
    np.save("asked.npy", rows[:300])
    asked = ["nearest", "asked.npy", "--against", "base.npy", "--recall", 0.8, "-o", "out.parquet", "--force"]
    assert "recall   0.8 requested, not measured" in run(*asked).err
    told = " ".join(run(*asked, "--measure-recall").err.split())
    assert re.search(r"recall 0\.\d{4} measured \(0\.\d{4} to [01]\.\d{4} with 95% confidence\), 0.8 requested", told)
    assert "of the 2,000 nearest of 200 items" in told
    told = " ".join(run(*asked, "--measure-recall", 300).err.split())
    assert re.search(r"recall 0\.\d{4} measured, 0.8 requested: 2,\d{3} of the 3,000 nearest of all 300 items", told)
    summary = json.loads(run(*asked, "--measure-recall", 300, "--json").out)
    assert summary["measured"]["overall"]["found"] < 3000
