"""Weighted sets: the pairs among them, by bands and exactly; copies, clusters, measured recall."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import naive
import naive.darts
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.found_pairs import found

from lookalike import deduplicate, estimate_costs, find_pairs
from lookalike.exact import prefixes
from lookalike.lsh.banding import Banding

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

Weighted = list[dict[int, float]]
exact_weights = st.integers(1, 40).map(lambda n: n / 8) | st.integers(1, 5).map(float)
"""Weights whose sums are exact: a similarity may meet a threshold exactly."""
SETS = st.lists(st.dictionaries(st.integers(1, 24), exact_weights, min_size=1, max_size=16), max_size=16)
ANY_SETS = st.lists(st.dictionaries(st.integers(1, 12), st.floats(1e-12, 1e12), min_size=1, max_size=8), max_size=12)
THRESHOLDS = st.sampled_from([0.05, 0.1, 1 / 3, 0.5, 3 / 5, 2 / 3, 0.7, 5 / 7, 0.75, 7 / 9, 0.8, 0.9, 1.0])

BASKETS: list[dict[str, float]] = [
    {"milk": 2, "bread": 1, "eggs": 6},
    {"milk": 2, "bread": 1, "eggs": 4.5},
    {"milk": 1, "tea": 0.5},
    {"tea": 0.5, "milk": 1.0, "beer": 0},
    {"beer": 1e-6},
]
MAPS = pa.array([list(basket.items()) for basket in BASKETS], pa.map_(pa.string(), pa.float64()))
PATHS: dict[str, dict[str, Any]] = {
    "usual": {},
    "few slots": {"MAX_SLOTS": 4, "SLOTS_PER_ITEM": 0, "MIN_SLOTS": 4, "MAX_COUNTERS": 2},
    "many shares": {"ENTRIES_AT_A_TIME": 3},
}
every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)


@pytest.fixture
def changed(path: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in path.items():
        monkeypatch.setattr(prefixes, name, value)


# exact


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS)
def test_exact_pairs_are_those_of_brute_force(collection: Weighted, threshold: float) -> None:
    assert found(collection, threshold=threshold, recall=1) == naive.darts.all_pairs(collection, threshold)


@SOME
@given(SETS, SETS, THRESHOLDS)
def test_exact_pairs_of_two_collections(left: Weighted, right: Weighted, threshold: float) -> None:
    everything = naive.darts.all_pairs([*left, *right], threshold)
    truth = {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}
    assert found(left, against=right, threshold=threshold, recall=1) == truth


@SOME
@given(ANY_SETS, st.floats(0.01, 1.0))
def test_exact_pairs_of_weights_that_are_rounded(collection: Weighted, threshold: float) -> None:
    """Those that are within rounding of the threshold may be there or not."""
    pairs = found(collection, threshold=threshold, recall=1)
    truth = naive.darts.all_pairs(collection, threshold * (1 - 1e-12))
    assert {pair for pair, s in truth.items() if s >= threshold * (1 + 1e-12)} <= pairs.keys() <= truth.keys()
    assert pairs == {pair: pytest.approx(truth[pair], rel=1e-12) for pair in pairs}


@pytest.mark.slow
@SOME
@given(SETS, THRESHOLDS)
def test_clusters_are_those_of_brute_force(collection: Weighted, threshold: float) -> None:
    result = deduplicate(collection, cluster="chain", threshold=threshold, recall=1)
    roots = naive.components(len(collection), naive.darts.all_pairs(collection, threshold))
    assert result.mask.tolist() == [root == item for item, root in enumerate(roots)]


@SOME
@given(st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=20), max_size=12), THRESHOLDS)
def test_bags_are_weights_by_counts(bags: list[list[int]], threshold: float) -> None:
    counts = [Counter(bag) for bag in bags]
    pairs = found(bags, bag=True, threshold=threshold, recall=1)
    assert found(counts, threshold=threshold, recall=1) == pairs
    assert pairs == naive.darts.all_pairs(counts, threshold)


@pytest.mark.slow
@SOME
@given(st.lists(st.sets(st.integers(1, 24), min_size=1, max_size=16), max_size=16), THRESHOLDS)
def test_sets_are_weights_of_one(sets: list[set[int]], threshold: float) -> None:
    weights = [dict.fromkeys(one, 1) for one in sets]
    assert found(weights, threshold=threshold, recall=1) == found(sets, threshold=threshold, recall=1)


@pytest.mark.slow
@SOME
@given(SETS, st.sampled_from([2.0**-40, 2.0**30, 2.0**-900, 2.0**900]))
def test_the_scale_of_all_weights_does_not_matter(collection: Weighted, scale: float) -> None:
    scaled = [{name: scale * weight for name, weight in one.items()} for one in collection]
    assert found(scaled, threshold=0.4, recall=1) == found(collection, threshold=0.4, recall=1)


# bands


def near_pairs(count: int, similarity: float) -> Weighted:
    """Make pairs of sets of this similarity, whose weights and scales differ a lot: neighbours are a pair."""
    rng = np.random.default_rng(17)
    collection = []
    for _ in range(count):
        names = rng.integers(0, 1 << 60, 20).tolist()
        one = (rng.lognormal(0, 1.5, 20) * rng.choice([1e-6, 1, 1e9])).tolist()
        less = similarity * (1 + 1e-9)
        collection += [dict(zip(names, one, strict=True)), {n: w * less for n, w in zip(names, one, strict=True)}]
    return collection


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_bands_keep_their_promise(threshold: float) -> None:
    pairs = find_pairs(near_pairs(1000, threshold), threshold=threshold, recall=0.95)
    assert pairs.summary.bands > 0
    missed = 1000 - len(pairs)
    assert missed <= 50 + 4 * np.sqrt(1000 * 0.05 * 0.95)


def test_bands_let_few_others_through() -> None:
    """Candidates follow the S-curve below the threshold too."""
    banding = Banding(20, 5)
    pairs = find_pairs(near_pairs(1000, 0.5), threshold=0.9, bands=20, rows=5)
    chance = banding.chance(0.5)
    deviation = np.sqrt(1000 * chance * (1 - chance))
    assert abs(pairs.summary.candidates - 1000 * chance) < 4.5 * deviation


def test_seeds_differ_and_repeat() -> None:
    collection = near_pairs(300, 0.5)
    runs = [found(collection, threshold=0.4, bands=4, rows=2, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_threads_and_batches_do_not_matter() -> None:
    collection = near_pairs(300, 0.7)
    truth = found(collection, threshold=0.6, bands=6, rows=3)
    assert 0 < len(truth) < 300
    assert found(collection, threshold=0.6, bands=6, rows=3, threads=1, batch_bytes=500) == truth


def test_a_stubborn_bucket_is_joined() -> None:
    """Many sets that share a heavy element, and so a bucket, but are no pairs."""
    rng = np.random.default_rng(2)
    collection = [{0: 3.0, **dict.fromkeys(rng.integers(1, 1 << 40, 4).tolist(), 0.5)} for _ in range(1500)]
    collection += [dict(collection[0]) | {7: 0.25}, dict(collection[1]) | {8: 0.25}]
    pairs = found(collection, threshold=0.9, bands=12, rows=1)
    assert pairs == {(0, 1500): 5 / 5.25, (1, 1501): 5 / 5.25}


@pytest.mark.slow
def test_measured_recall() -> None:
    rng = np.random.default_rng(5)
    collection = [
        dict(zip(rng.integers(0, 40, 15).tolist(), rng.integers(1, 9, 15).tolist(), strict=True)) for _ in range(300)
    ]
    pairs = find_pairs(collection, threshold=0.4, measure_recall=300, recall=0.8)
    truth = naive.darts.all_pairs(collection, 0.4)
    assert pairs.summary.measured is not None
    overall = pairs.summary.measured.overall
    assert overall.pairs == 2 * len(truth) > 0
    assert overall.found == 2 * len(pairs) < overall.pairs
    assert found(collection, threshold=0.4, measure_recall=10, recall=1) == truth


def test_costs_are_estimated() -> None:
    rng = np.random.default_rng(5)
    collection = [dict(zip(rng.integers(0, 40, 9).tolist(), rng.random(9).tolist(), strict=True)) for _ in range(100)]
    estimate = estimate_costs(collection, threshold=0.5, sample_size=100)
    sharing = sum(bool(one.keys() & two) for i, one in enumerate(collection) for two in collection[:i])
    assert sum(one.pairs for one in estimate.bins) == pytest.approx(sharing)


# copies, clusters, what is kept


def test_copies_are_weighted_sets_that_are_the_same() -> None:
    pairs = find_pairs([{1: 2.0, 2: 1.0}, {2: 1, 1: 2}, {1: 2.0, 2: 1.5}, {1: 1.0, 2: 2.0}], threshold=0.7)
    assert pairs.summary.copies == 1
    assert pairs.summary.shingle == "weights"
    assert [tuple(row) for row in pairs] == [(0, 1, 1.0), (0, 2, 3 / 3.5), (1, 2, 3 / 3.5)]


def test_many_copies_in_two_collections() -> None:
    left, right = [{"a": 1.5, "b": 2}] * 3, [{"b": 2.0, "a": 1.5}, {"a": 9}]
    assert found(left, against=right) == {(0, 0): 1.0, (1, 0): 1.0, (2, 0): 1.0}


def test_what_is_kept() -> None:
    items = {"x": {"a": 1.0, "b": 8.0}, "y": {"b": 8.0, "a": 1.0, "c": 0.5}, "z": {"q": 1}}
    assert deduplicate(items, keep="first").kept == {"x": items["x"], "z": items["z"]}
    assert deduplicate(items, keep="longest").kept == {"y": items["y"], "z": items["z"]}
    table = pa.table({"basket": MAPS, "day": [1, 5, 3, 4, 2]})
    kept = deduplicate(table, keep="max:day").to_arrow()
    assert kept["day"].to_pylist() == [5, 4, 2]
    assert kept.schema == table.schema


# for people


def test_examples_show_elements_with_their_weights(tmp_path: Path) -> None:
    result = find_pairs(dict(zip("abcde", BASKETS, strict=True)), examples=2)
    above = next(example for example in result.examples if example.kind == "above")
    assert (above.left.text, above.right.text) == ("milk: 2, bread: 1, eggs: 6", "milk: 2, bread: 1, eggs: 4.5")
    begin, end = above.right.differs[0]
    assert above.right.text[begin:end] == "eggs: 4.5"
    result.report(tmp_path / "page.html")
    assert "eggs: 4.5" in (tmp_path / "page.html").read_text()
