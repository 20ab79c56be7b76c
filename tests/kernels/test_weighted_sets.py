"""The kernels that put weighted sets in order, compare them and scan them."""

from __future__ import annotations

import naive
import naive.darts
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import call_kernels, strategies

from lookalike.exact.scan import Few
from lookalike.exact.scan_weights import find_candidates, make_index
from lookalike.features.weighted import spare_pairs
from lookalike.kernels import weights as kernels

numbers = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(0, 5)
exact_weights = st.integers(1, 64).map(lambda n: n / 8)
"""Weights whose sums are exact, in any order."""
pairs = st.lists(st.tuples(numbers, exact_weights), max_size=120)
sets = st.dictionaries(strategies.hashes, exact_weights, min_size=1, max_size=12)
families = st.lists(st.dictionaries(st.integers(1, 12), exact_weights, min_size=1), min_size=1, max_size=8)

Sets = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]


def packed(collection: list[dict[int, float]]) -> Sets:
    """Return sets as kernels want them: numbers, where each begins, sizes."""
    parts = [np.empty(0, np.uint64)]
    for one in collection:
        elements = sorted(one)
        parts += [call_kernels.uint64(elements), np.array([one[e] for e in elements], np.float64).view(np.uint64)]
    sizes = np.array([len(one) for one in collection], np.int32)
    values = np.concatenate(parts)
    values.flags.writeable = False
    return values, 2 * (np.cumsum(sizes, dtype=np.int64) - sizes), sizes


@pytest.mark.slow
@given(st.lists(pairs, max_size=6))
def test_pack(collection: list[list[tuple[int, float]]]) -> None:
    flat = [pair for one in collection for pair in one]
    elements, weights = np.array([e for e, _ in flat], np.int64), np.array([w for _, w in flat], np.float64)
    out, bounds = np.empty(2 * len(flat), np.uint64), np.empty(len(collection) + 1, np.int64)
    sizes = call_kernels.int64(map(len, collection))
    kernels.pack(elements, weights, np.append(0, np.cumsum(sizes)), spare_pairs(sizes), out, bounds)
    for i, one in enumerate(collection):
        summed: dict[int, float] = {}
        for element, weight in one:
            h = naive.finish(naive.hash_number(element))
            summed[h] = summed.get(h, 0.0) + weight
        held = out[bounds[i] : bounds[i + 1]]
        size = len(held) // 2
        assert call_kernels.ints(held[:size]) == sorted(summed)
        assert held[size:].view(np.float64).tolist() == [summed[h] for h in sorted(summed)]


def test_weights_of_one_element_are_added_in_the_order_they_come() -> None:
    weights = [1e-16, 1.0, *([1e-16] * 40), 2.0]
    for count in (3, len(weights)):
        out, bounds = np.empty(2 * count, np.uint64), np.empty(2, np.int64)
        offsets, spare = call_kernels.int64([0, count]), spare_pairs(call_kernels.int64([count]))
        kernels.pack(np.full(count, 7), np.array(weights[:count]), offsets, spare, out, bounds)
        total = 0.0
        for weight in weights[:count]:
            total += weight
        assert out[1:2].view(np.float64)[0] == total


@pytest.mark.slow
@given(one=sets, two=sets, threshold=strategies.thresholds)
def test_similarities(one: dict[int, float], two: dict[int, float], threshold: float) -> None:
    collection = packed([one, two])
    left, right = np.array([0, 1, 0], np.int32), np.array([1, 0, 0], np.int32)
    out = np.empty(3)
    kernels.similarities(left, right, collection, collection, threshold, out)
    similarity = naive.darts.weighted_jaccard(one, two)
    assert out[0] == out[1] == (similarity if similarity >= threshold else 0.0)
    assert out[2] == 1.0


@pytest.mark.slow
@given(
    one=st.dictionaries(st.integers(1, 30), st.floats(1e-9, 1e9), min_size=1),
    two=st.dictionaries(st.integers(1, 30), st.floats(1e-9, 1e9), min_size=1),
)
def test_a_similarity_is_the_same_both_ways(one: dict[int, float], two: dict[int, float]) -> None:
    collection = packed([one, two])
    out = np.empty(2)
    both = np.array([0, 1], np.int32), np.array([1, 0], np.int32)
    kernels.similarities(*both, collection, collection, 0.0, out)
    assert out[0] == out[1] == pytest.approx(naive.darts.weighted_jaccard(one, two), rel=1e-12)
    assert 0 <= out[0] <= 1


@pytest.mark.slow
@given(families)
def test_totals(collection: list[dict[int, float]]) -> None:
    out = np.empty(len(collection))
    kernels.totals(*packed(collection), out)
    assert out.tolist() == [sum(one.values()) for one in collection]


@pytest.mark.slow
@given(few=families, many=families, threshold=strategies.thresholds)
def test_scan_finds_all_that_reach_the_threshold(
    few: list[dict[int, float]], many: list[dict[int, float]], threshold: float
) -> None:
    values, begins, sizes = packed(few)
    index = make_index(Few(values, sizes.astype(np.int64)), begins)
    totals = np.array([sum(one.values()) for one in few])
    work = np.zeros(len(few)), np.empty(len(few), np.int32)
    place, one = find_candidates(packed(many), index, totals, threshold, work)
    found = set(zip(call_kernels.ints(place), call_kernels.ints(one), strict=True))
    similarity = {
        (i, j): naive.darts.weighted_jaccard(a, b)
        for i, a in enumerate(many)
        for j, b in enumerate(few)
        if a.keys() & b
    }
    assert {pair for pair, s in similarity.items() if s >= threshold} <= found
    assert found <= {pair for pair, s in similarity.items() if s >= threshold * (1 - 1e-5)}
