from __future__ import annotations

import itertools
import math
import random

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

sizes = st.integers(1, 300)


@pytest.mark.slow
@given(sets=strategies.families(), goal=strategies.goals)
def test_similarities_are_exact(sets: list[set[int]], goal: tuple[int, float]) -> None:
    measure, threshold = goal
    pairs = list(itertools.combinations(range(len(sets)), 2))
    found = call_kernels.similarities(sets, pairs, threshold, measure)
    reached = naive.all_pairs(sets, threshold, naive.MEASURES[measure])
    assert found == [reached.get(pair, 0.0) for pair in pairs]


@given(sets=strategies.families(), data=st.data())
def test_a_pair_exactly_at_the_threshold_is_kept(sets: list[set[int]], data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from(list(itertools.combinations(range(len(sets)), 2))))
    similarity = naive.jaccard(sets[one], sets[two])
    if similarity > 0:
        assert call_kernels.similarities(sets, [(one, two)], similarity) == [similarity]
        above = math.nextafter(similarity, 2)
        if above <= 1:
            assert call_kernels.similarities(sets, [(one, two)], above) == [0.0]


@given(sets=strategies.families(), threshold=strategies.thresholds)
def test_sides_do_not_matter(sets: list[set[int]], threshold: float) -> None:
    pairs = list(itertools.combinations(range(len(sets)), 2))
    turned = [(two, one) for one, two in pairs]
    assert call_kernels.similarities(sets, pairs, threshold) == call_kernels.similarities(sets, turned, threshold)


@pytest.mark.slow
@given(one=sizes, two=sizes, goal=strategies.goals)
def test_needed_is_the_least_overlap(one: int, two: int, goal: tuple[int, float]) -> None:
    assert min(call_kernels.needed(one, two, goal), min(one, two) + 1) == naive.least_overlap(one, two, goal)


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [1 / 3, 0.5, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("measure", range(4))
@call_kernels.compiled
def test_needed_for_all_small_sizes(measure: int, threshold: float) -> None:
    goal = measure, threshold
    for one, two in itertools.combinations_with_replacement(range(1, 60), 2):
        assert min(call_kernels.needed(one, two, goal), one + 1) == naive.least_overlap(one, two, goal)


@call_kernels.compiled
def test_big_sets() -> None:
    source = random.Random(4)
    pool = [source.getrandbits(64) | 1 for _ in range(12_000)]
    sets = [set(pool[:10_000]), set(pool[1000:11_000]), set(pool[:100]), set(pool[11_000:])]
    pairs = list(itertools.combinations(range(4), 2))
    assert call_kernels.similarities(sets, pairs, 0.005) == [
        naive.all_pairs(sets, 0.005).get(pair, 0.0) for pair in pairs
    ]


def test_hashes_that_collide_in_the_table() -> None:
    sets = [{1 + (n << 40) for n in range(50)}, {1 + (n << 40) for n in range(25, 75)}]
    assert call_kernels.similarities(sets, [(0, 1)], 0.1) == [25 / 75]


def test_a_skipped_pair_leaves_the_table_of_its_neighbours_alone() -> None:
    """The first pair of an item is skipped for its size; the next ones must not find an older item's table."""
    sets = [{1, 2, 3}, set(range(10, 40)), {1}, set(range(10, 39)), {1, 2, 3, 4}]
    pairs = [(0, 4), (1, 2), (1, 3), (0, 2), (0, 4)]
    assert call_kernels.similarities(sets, pairs, 0.7) == [0.75, 0.0, 29 / 30, 0.0, 0.75]


def test_no_candidates() -> None:
    assert call_kernels.similarities([{1}], [], 0.5) == []
