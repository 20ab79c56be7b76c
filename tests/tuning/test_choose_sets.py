"""How a search of sets is chosen: exact where that costs less, otherwise by the cheapest bands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest

from lookalike import find_pairs
from lookalike.engines.local.collect import collect
from lookalike.engines.local.run import Run
from lookalike.exact.all_pairs import AllPairs
from lookalike.exact.elements import ElementPrefixes, frequencies
from lookalike.kernels import prefix
from lookalike.kinds import sets as set_kind
from lookalike.lsh.banding import Banding
from lookalike.plan import Plan
from lookalike.tuning import cost
from lookalike.tuning.cost import SETS, SetCosts
from lookalike.tuning.sample import Closeness

Sets = list[set[int]]

DEAR = {"SIFT": 1.0, "OUTLINE": 1.0, "CHEAP": 0.0}
"""As if an exact search took very long."""


@pytest.fixture
def dear(monkeypatch: pytest.MonkeyPatch) -> None:
    make_dear(monkeypatch)


def make_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in DEAR.items():
        monkeypatch.setattr(cost, name, value)
    monkeypatch.setattr(set_kind, "CHEAP", DEAR["CHEAP"])


def near(threshold: float, pairs: int, size: int = 30) -> Sets:
    """Make pairs that are exactly at the threshold, and share nothing with others but a few common elements."""
    rng = np.random.default_rng(3)
    shared = round(2 * size * threshold / (1 + threshold))
    sets: Sets = []
    for _ in range(pairs):
        drawn = rng.choice(1 << 40, 2 * size - shared - 2, replace=False).tolist()
        common = rng.integers(-20, 0, 2).tolist()
        both = [*drawn[: shared - 2], *common]
        sets += [{*both, *drawn[shared - 2 : size - 2]}, {*both, *drawn[size - 2 :]}]
    return sets


def found(sets: Sets, **given: Any) -> dict[tuple[int, int], float]:
    """Return the pairs as a dict."""
    return {(left, right): similarity for left, right, similarity in find_pairs(sets, **given)}


def test_few_meetings_choose_an_exact_search() -> None:
    sets = near(0.5, 200)
    result = find_pairs(sets, threshold=0.5)
    assert result.summary.exact
    assert result.recipe.banding is None
    assert {(left, right): score for left, right, score in result} == naive.all_pairs(sets, 0.5)


@pytest.mark.usefixtures("dear")
@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine"])
def test_chosen_bands_keep_the_promised_recall(measure: Any) -> None:
    sets = near(0.5, 1000)
    threshold = 0.5 if measure == "jaccard" else 2 / 3
    result = find_pairs(sets, threshold=threshold, recall=0.9, measure=measure)
    assert result.summary.bands > 0
    assert result.summary.recall >= 0.9
    missed = 1000 - len(result)
    assert missed <= 100 + 4 * np.sqrt(1000 * 0.1 * 0.9)
    assert all(similarity >= threshold for _, _, similarity in result)


@pytest.mark.usefixtures("dear")
def test_chosen_bands_do_not_depend_on_threads() -> None:
    sets = near(0.7, 300)
    results = [find_pairs(sets, threshold=0.7, threads=threads, batch_bytes=1 << 12) for threads in (1, 3)]
    assert results[0].summary.bands == results[1].summary.bands > 0
    assert list(results[0]) == list(results[1])


@pytest.mark.parametrize("sketch", ["fast", "classic"])
def test_signing_later_is_as_signing_while_reading(sketch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = near(0.6, 300)
    given: Any = {"threshold": 0.6, "sketch": sketch, "batch_bytes": 1 << 12}
    read = find_pairs(sets, bands=9, rows=4, **given)
    chosen = replace(read.recipe, banding=Banding(9, 4))
    monkeypatch.setattr("lookalike.engines.local.search.plan_for", lambda *_: Plan(chosen))
    later = find_pairs(sets, **given)
    assert later.recipe == read.recipe
    assert list(later) == list(read)
    assert later.summary.candidates == read.summary.candidates


@pytest.mark.usefixtures("dear")
def test_given_bands_are_kept() -> None:
    sets = near(0.5, 50)
    assert find_pairs(sets, threshold=0.5, bands=3, rows=2).recipe.banding == Banding(3, 2)
    assert find_pairs(sets, threshold=0.5, recall=1).summary.exact
    assert find_pairs(sets, threshold=0.5, measure="overlap").summary.exact


@pytest.mark.usefixtures("dear")
def test_bands_of_two_collections_are_chosen_together() -> None:
    sets = near(0.8, 100)
    result = find_pairs(sets[::2], against=sets[1::2], threshold=0.8, recall=0.999)
    assert result.summary.bands > 0
    truth = naive.all_pairs(sets, 0.8)
    assert {(2 * left, 2 * right + 1) for left, right, _ in result} <= set(truth)
    assert len(result) >= 97


def test_a_sample_shows_how_similar_sets_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are sampled here, so that the counts are those of all pairs."""
    sets = near(0.5, 20)
    make_dear(monkeypatch)
    with Run({"threshold": 0.5}, sets) as run:
        collected = collect(run)
        items, compared = collected.items, collected.compared
        estimates: Any = items.estimates(compared, items.exact(compared).among_all())
        closeness = estimates._closeness
    truth = list(naive.all_pairs(sets, 1e-9).values())
    expected, _ = np.histogram(truth, np.arange(set_kind.CELLS + 2) / set_kind.CELLS)
    assert list(np.round(closeness.counts * len(sets) / 2, 6)) == list(expected)


def test_more_rows_cost_more_signing_and_fewer_candidates() -> None:
    many, none = (Closeness(np.array([0.2]), np.array([count]), 1000) for count in (10_000.0, 0.0))
    short, long = Banding(35, 3), Banding(145, 5)
    costs = SetCosts(np.array([30.0]), 1000, "fast", SETS)
    for seen, better in ((many, long), (none, short)):
        assert min((short, long), key=lambda one: sum(costs.seconds(one, seen.expect(one)))) == better


def shares_kept(sets: Sets, threshold: float) -> float:
    """Return the share of meetings that outlines keep, as reported by a prepared exact search."""
    with Run({"threshold": threshold, "recall": 1.0}, sets) as run:
        collected = collect(run)
        prefixes = collected.items.exact(collected.compared).among_all()
        assert isinstance(prefixes, ElementPrefixes)
        assert prefixes.mean_size == np.mean([len(one) for one in sets])
        assert prefixes.comparisons() <= 2 * prefixes.max_collisions
        return prefixes.share_kept()


def test_outlines_keep_similar_sets() -> None:
    """Comparisons are counted from both ends, so it is a half where all meetings are kept."""
    rng = np.random.default_rng(1)
    apart = [set(rng.choice(200, 20, replace=False).tolist()) for _ in range(200)]
    alike = [{*range(1000, 1020)} - {1000 + i % 20} | {2000 + i % 7} for i in range(100)]
    assert shares_kept(apart, 0.7) < 0.01
    assert 0.45 < shares_kept(alike, 0.7) <= 0.5
    assert shares_kept([{1}, {2}], 0.7) == 0


def test_the_count_of_a_key_is_where_it_was_put() -> None:
    key = np.uint64(123) << prefix.COUNT | prefix.LOW_BITS | prefix.LATE
    assert frequencies(np.array([key])).tolist() == [123]


def test_sets_without_rare_elements_are_compared_by_outlines_alone() -> None:
    """All have 20 of the same 60 elements: each would meet the others by many elements."""
    rng = np.random.default_rng(1)
    sets = [set(rng.choice(60, 20, replace=False).tolist()) for _ in range(5000)]
    with Run({"threshold": 0.3, "recall": 1.0}, sets) as run:
        collected = collect(run)
        assert isinstance(collected.items.exact(collected.compared).among_all(), AllPairs)
    assert found(sets[:150], threshold=0.3, recall=1) == naive.all_pairs(sets[:150], 0.3)
