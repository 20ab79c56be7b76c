"""Exact search among sets of elements, by outlines: the pairs are those of brute force, however it is cut."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike import deduplicate, find_pairs
from lookalike.exact import elements as exact_elements

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

THRESHOLDS = st.sampled_from([0.05, 0.3, 1 / 3, 0.5, 3 / 5, 2 / 3, 0.7, 5 / 7, 7 / 9, 0.8, 0.9, 9 / 11, 1.0])
MEASURES: dict[str, Callable[[Collection[int], Collection[int]], float]] = {
    "jaccard": naive.jaccard,
    "dice": naive.dice,
    "cosine": naive.cosine,
    "overlap": naive.overlap,
}
PATHS: dict[str, dict[str, Any]] = {
    "usual": {},
    "long outlines": {"WORDS": (8,)},
    "small tasks": {"COLLISIONS_AT_A_TIME": 3, "MIN_COLLISIONS": 7, "MAX_COLLISIONS": 20, "MIN_PIVOTS": 1},
    "no room": {"INITIAL_ROOM": 1},
    "many candidates": {"BUDGET": 2, "MIN_COLLISIONS": 2, "MIN_PIVOTS": 2},
    "many shares": {"MAX_GROUPED": 2},
}
every_measure = pytest.mark.parametrize("measure", MEASURES)
every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)

Sets = list[set[int]]


@pytest.fixture
def changed(path: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in path.items():
        monkeypatch.setattr(exact_elements, name, value)


@st.composite
def alike(draw: st.DrawFn) -> Sets:
    """Draw sets that are each one of two templates less some elements and more some others, and a few of anything."""
    pool = st.integers(1, 60)
    templates = draw(st.lists(st.sets(pool, min_size=5, max_size=40), min_size=1, max_size=2))
    few = st.sets(pool, max_size=6)
    near = st.tuples(st.sampled_from(templates), few, few).map(lambda t: (t[0] - t[1]) | t[2])
    return draw(st.lists((near | st.sets(pool, max_size=40)).filter(bool), max_size=16))


def found(items: Any, **given: Any) -> dict[tuple[Any, Any], float]:
    """Return the pairs as a dict."""
    return {(left, right): similarity for left, right, similarity in find_pairs(items, shingle="elements", **given)}


@pytest.mark.slow
@every_measure
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(alike(), THRESHOLDS, st.sampled_from([1, 3]))
def test_pairs_are_those_of_brute_force(measure: str, sets: Sets, threshold: float, threads: int) -> None:
    truth = naive.all_pairs(sets, threshold, MEASURES[measure])
    assert found(sets, measure=measure, threshold=threshold, recall=1, threads=threads) == truth


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(alike(), alike(), THRESHOLDS)
def test_pairs_of_two_collections(left: Sets, right: Sets, threshold: float) -> None:
    everything = naive.all_pairs([*left, *right], threshold)
    truth = {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}
    assert found(left, against=right, threshold=threshold, recall=1) == truth


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(alike(), THRESHOLDS)
def test_clusters_are_those_of_brute_force(sets: Sets, threshold: float) -> None:
    kept = deduplicate(sets, shingle="elements", threshold=threshold, recall=1, cluster="chain").kept
    roots = naive.components(len(sets), naive.all_pairs(sets, threshold))
    assert len(kept) == len(set(roots))


@given(st.lists(st.tuples(st.integers(2, 30), st.integers(1, 29)), min_size=1), st.integers(1, 40))
def test_rows_have_every_pivot_once(buckets: list[tuple[int, int]], most: int) -> None:
    sizes = np.array([size for size, _ in buckets])
    ends = np.cumsum(sizes)
    widths = np.minimum(sizes - 1, [width for _, width in buckets])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_elements, "COLLISIONS_AT_A_TIME", most)
        patch.setattr(exact_elements, "MIN_PIVOTS", 2)
        rows = exact_elements.cut_rows(ends - sizes, widths, ends)
    pivots = [(pivot, end) for first, last, end in rows.tolist() for pivot in range(first, last)]
    begins = zip((ends - sizes).tolist(), widths.tolist(), ends.tolist(), strict=True)
    assert pivots == [(pivot, end) for begin, width, end in begins for pivot in range(begin, begin + width)]
    assert all(last - first <= 2 or (last - first) * (end - first) <= most + end for first, last, end in rows.tolist())


@pytest.mark.parametrize(
    ("size", "least", "words"), [(30, 0.9, 2), (30, 0.5, 2), (30, 0.4, 4), (30, 0.3, 8), (100, 0.5, 8), (300, 0.9, 2)]
)
def test_large_sets_and_low_thresholds_need_long_outlines(size: int, least: float, words: int) -> None:
    assert exact_elements.words_for(size, least) == words


def baskets(count: int, size: int) -> Sets:
    """Make baskets of elements that are as frequent as Zipf says; every fifth is the one before with some replaced."""
    rng = np.random.default_rng(5)
    sets = [set((rng.zipf(1.3, 3 * size) % 3000).tolist()) for _ in range(count)]
    for i in range(1, count, 5):
        sets[i] = {*list(sets[i - 1])[int(rng.integers(0, size // 2)) :], *rng.integers(0, 3000, 3).tolist()}
    return sets


@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 200])
def test_few_meetings_become_candidates(size: int) -> None:
    sets = baskets(400, size)
    for threshold in (0.5, 0.8):
        result = find_pairs(sets, threshold=threshold, recall=1)
        truth = naive.all_pairs(sets, threshold)
        assert {(left, right): score for left, right, score in result} == truth
        assert len(truth) > 20
        assert result.summary.candidates < 4 * len(truth)
