"""The k nearest of each item, against brute force, for every measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from brute_vectors import MEASURES as VECTOR_MEASURES
from brute_vectors import collection, is_distance, values
from command import run
from numpy.typing import NDArray

from lookalike import RecipeError, nearest, neighbours

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


@pytest.mark.parametrize("asked", VECTOR_MEASURES.values(), ids=VECTOR_MEASURES)
@pytest.mark.parametrize("recall", [0.99, 1])
def test_nearest_vectors(asked: dict[str, Any], recall: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "BASE", 50)
    monkeypatch.setattr(neighbours, "TOGETHER", 70)
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


@pytest.mark.parametrize("recall", [0.8, 0.95])
def test_codes_keep_the_recall(recall: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of many groups, as real ones are: those of one are closer than those of others."""
    monkeypatch.setattr(neighbours, "PAY", 0)
    rng = np.random.default_rng(9)
    groups = rng.normal(size=(200, 96))
    rows = (groups[rng.integers(0, 200, 8000)] + 0.7 * rng.normal(size=(8000, 96))).astype(np.float32)
    asked, base = rows[:500], rows[500:]
    result = nearest(asked, 10, against=base, measure="cosine", recall=recall)
    assert result.summary.candidates < 0.1 * len(asked) * len(base)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    truth = np.argsort(-(unit[:500] @ unit[500:].T), axis=1)[:, :10]
    right = result.to_arrow()["right"].to_numpy().reshape(500, 10)
    hits = np.mean([len(set(one) & set(two)) / 10 for one, two in zip(right, truth, strict=True)])
    assert recall - 0.03 <= hits
    again = nearest(asked, 10, against=base, measure="cosine", recall=recall, threads=1)
    assert again.to_arrow() == result.to_arrow()


def test_who_is_far_from_all_others_has_neighbours_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "PAY", 0)
    rng = np.random.default_rng(9)
    groups = rng.normal(size=(50, 64))
    rows = (groups[rng.integers(0, 50, 6000)] + 0.2 * rng.normal(size=(6000, 64))).astype(np.float32)
    rows[::100] = rng.normal(size=(60, 64))
    assert {len(listed) for listed in found(rows, 10, recall=0.8).values()} == {10}


def test_a_threshold_leaves_out_the_rest() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    close = found(rows, 2, threshold=0.9)
    assert {left: [right for right, _ in listed] for left, listed in close.items()} == {0: [1], 1: [0]}
    assert set(found(rows, 2, measure="euclidean", threshold=0.5)) == {0, 1}


def test_vectors_that_point_away_are_listed_too() -> None:
    assert found(np.array([[1.0, 0.0], [-1.0, 0.0]]), 1) == {0: [(1, -1.0)], 1: [(0, -1.0)]}


def test_fewer_items_than_asked_for() -> None:
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
