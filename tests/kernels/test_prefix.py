from __future__ import annotations

import itertools
import random
from collections import Counter

import naive
import naive.prefix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, call_prefix_kernels, strategies

from lookalike.kernels import prefix
from lookalike.kernels.codes import COSINE, DICE, JACCARD, OVERLAP

ALL = (1 << 64) - 1

Goal = tuple[int, float]

hashes = strategies.hashes | st.integers(1, 9).flatmap(lambda n: st.sampled_from([n, n | 1 << 47, n | 1 << 63]))
"""Some with the same lower bits, which no key distinguishes."""

cutoffs = st.integers(0, ALL) | st.integers(1, 40) | st.just(ALL)
families = st.lists(hashes, min_size=1, max_size=25, unique=True).flatmap(
    lambda pool: st.lists(st.lists(st.sampled_from(pool), unique=True), min_size=1, max_size=8)
)
"""Sets that overlap, some of them empty."""

shapes = st.sampled_from([(4, 1), (4, 4), (16, 4), (64, 8), (64, 64), (1024, 1024)])
"""How many slots and counters there are."""


@st.composite
def any_marks(draw: st.DrawFn) -> naive.prefix.Marks:
    """Draw possible marks, among them counts that barely differ."""
    slots, counters = draw(shapes.filter(lambda shape: shape[0] <= 64))
    count = st.sampled_from([0, 1, 2, 5, 252, 253, 254, 255, 256, 300, 64999, 65000, 65001, 65535])
    states = draw(st.lists(st.sampled_from([0, 1, 2, 3, 3, 3]), min_size=slots, max_size=slots))
    return states, draw(st.lists(count, min_size=counters, max_size=counters))


# how much of a set is looked at


@pytest.mark.slow
@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), strategies.goals)
def test_length_of_a_prefix(sizes: list[int], goal: Goal) -> None:
    assert call_prefix_kernels.prefix_lengths(sizes, goal) == [naive.prefix.prefix_length(size, goal) for size in sizes]


@pytest.mark.parametrize(
    ("size", "goal", "length"),
    [
        (10, (JACCARD, 0.8), 3),
        (10, (JACCARD, 1.0), 1),
        (1, (JACCARD, 0.01), 1),
        (100, (JACCARD, 0.01), 100),
        (3, (JACCARD, 1 / 3), 3),
        (10, (DICE, 0.8), 4),
        (10, (COSINE, 0.8), 4),
        (10, (OVERLAP, 0.8), 10),
    ],
)
def test_lengths_of_prefixes_by_hand(size: int, goal: Goal, length: int) -> None:
    assert call_prefix_kernels.prefix_lengths([size], goal) == [length]


@pytest.mark.slow
@given(families, strategies.goals, cutoffs)
def test_samples_are_early_elements_or_all(sets: list[list[int]], goal: Goal, cutoff: int) -> None:
    expected = [naive.prefix.sample(one, goal, cutoff) for one in sets]
    assert call_prefix_kernels.sample_sets(sets, goal, cutoff) == expected


def test_a_sample_of_just_enough_and_of_one_too_few() -> None:
    """Three elements of ten are a prefix at 0.8; one that is the cutoff is not below it."""
    enough, too_few = [50, 1, 60, 2, 70, 3, *range(80, 84)], [50, 1, 60, 2, 70, 10, *range(80, 84)]
    assert call_prefix_kernels.sample_sets([enough, [], too_few], (JACCARD, 0.8), 10) == [[1, 2, 3], [], too_few]


# marks


@given(families, shapes, st.data())
def test_marks_count_repeated_elements(sets: list[list[int]], shape: tuple[int, int], data: st.DataObject) -> None:
    marks = call_prefix_kernels.new_marks(*shape)
    call_prefix_kernels.mark_elements(sets, marks)
    expected = naive.prefix.marks(sets, *shape)
    assert call_prefix_kernels.read_marks(marks) == expected
    asked = [h for one in sets for h in one] + data.draw(st.lists(hashes, max_size=5))
    assert call_prefix_kernels.frequencies(asked, marks) == [naive.prefix.frequency(h, expected) for h in asked]


@given(families, shapes, st.data())
def test_marks_record_the_sides_of_elements(sets: list[list[int]], shape: tuple[int, int], data: st.DataObject) -> None:
    sides = data.draw(st.lists(st.integers(1, 3), min_size=len(sets), max_size=len(sets)))
    marks = call_prefix_kernels.new_marks(*shape)
    call_prefix_kernels.mark_elements(sets, marks, sides)
    expected = naive.prefix.marks(sets, *shape, sides)
    assert call_prefix_kernels.read_marks(marks) == expected
    asked = [h for one in sets for h in one]
    assert call_prefix_kernels.frequencies(asked, marks) == [naive.prefix.frequency(h, expected) for h in asked]


@given(families)
def test_frequencies_are_exact_where_nothing_collides(sets: list[list[int]]) -> None:
    ranks = {h: rank for rank, h in enumerate(sorted({h for one in sets for h in one}))}
    small = [[ranks[h] for h in one] for one in sets]
    marks = call_prefix_kernels.new_marks(32, 32)
    call_prefix_kernels.mark_elements(small, marks)
    counted = Counter(itertools.chain.from_iterable(small))
    assert call_prefix_kernels.frequencies(list(counted), marks) == list(counted.values())


@given(any_marks(), st.lists(hashes, max_size=20))
def test_frequencies_of_any_marks(marked: naive.prefix.Marks, asked: list[int]) -> None:
    marks = call_prefix_kernels.written_marks(*marked)
    assert call_prefix_kernels.read_marks(marks) == marked
    assert call_prefix_kernels.frequencies(asked, marks) == [naive.prefix.frequency(h, marked) for h in asked]


@pytest.mark.parametrize("sides", [[], [1, 2]])
def test_marks_of_threads_are_those_of_one(sides: list[int]) -> None:
    source = random.Random(5)
    sets = [[source.getrandbits(64) for _ in range(20)] for _ in range(100)]
    on = [source.choice(sides) for _ in sets] if sides else []
    marks = call_prefix_kernels.new_marks(1024, 256)
    call_prefix_kernels.mark_elements(sets, marks, on, threads=4)
    assert call_prefix_kernels.read_marks(marks) == naive.prefix.marks(sets, 1024, 256, on)


@call_kernels.compiled
@pytest.mark.parametrize("sides", [[], [1, 2, 1, 2]])
def test_threads_that_mark_the_same_slots_lose_nothing(sides: list[int]) -> None:
    """Each thread has every element: all but the first of the four are counted, or all if there are sides."""
    elements = np.arange(1 << 20, dtype=np.uint64)
    marks = call_prefix_kernels.new_marks(1 << 20, 256)

    def mark(thread: int) -> None:
        side = np.array(sides[thread : thread + 1], np.uint8)
        ends = np.array([len(elements)])
        prefix.mark_elements(elements, ends - ends, ends, side, *marks)

    call_kernels.at_once(mark, 4)
    states, counts = call_prefix_kernels.read_marks(marks)
    assert set(states) == {3}
    assert set(counts) == {4096 * (4 if sides else 3)}


@pytest.mark.parametrize("sides", [[], [3] * 66])
def test_counters_stop_before_they_overflow(sides: list[int]) -> None:
    sets = [[5] * 1000] * 66
    marks = call_prefix_kernels.new_marks(64, 64)
    call_prefix_kernels.mark_elements(sets, marks, sides)
    assert call_prefix_kernels.read_marks(marks)[1][5] == prefix.MAX_COUNT
    assert call_prefix_kernels.frequencies([5, 6], marks) == [prefix.MAX_COUNT + 1, 1]


@pytest.mark.parametrize(("slots", "counters", "apart"), [(64, 64, 0), (64, 32, 1), (1024, 4, 8), (4, 1, 2)])
def test_bits_apart(slots: int, counters: int, apart: int) -> None:
    assert prefix.bits_apart(*call_prefix_kernels.new_marks(slots, counters)) == apart


@call_kernels.compiled
def test_bits_apart_of_the_largest_marks() -> None:
    assert prefix.bits_apart(np.empty(1 << 28, np.uint8), np.empty(1 << 22, np.uint16)) == 8


# prefixes


@pytest.mark.slow
@given(st.lists(hashes, min_size=1, max_size=30, unique=True), any_marks(), strategies.goals, cutoffs)
def test_rarest_elements_in_order(one: list[int], marked: naive.prefix.Marks, goal: Goal, cutoff: int) -> None:
    wanted = naive.prefix.prefix_length(len(one), goal)
    first = naive.prefix.in_order(one, cutoff, marked)[:wanted]
    unique = sum(not late and count == 1 for late, count, _ in first)
    found = call_prefix_kernels.rarest(
        naive.prefix.sample(one, goal, cutoff), wanted, cutoff, call_prefix_kernels.written_marks(*marked)
    )
    assert found == (list(map(naive.prefix.order_key, first[unique:])), unique)


@pytest.mark.slow
@given(families, any_marks(), strategies.goals, cutoffs)
def test_prefixes_are_the_first_elements_that_may_be_shared(
    sets: list[list[int]], marked: naive.prefix.Marks, goal: Goal, cutoff: int
) -> None:
    samples = [naive.prefix.sample(one, goal, cutoff) for one in sets]
    found = call_prefix_kernels.prefixes(
        samples, list(map(len, sets)), goal, cutoff, call_prefix_kernels.written_marks(*marked)
    )
    expected = [
        (key, owner, rest)
        for owner, one in enumerate(sets)
        for key, rest in naive.prefix.prefix(one, goal, cutoff, marked)
    ]
    assert found == expected


def test_elements_with_one_key_have_the_larger_rest() -> None:
    """The second and third of four elements agree in their lower bits."""
    everything_is_shared = call_prefix_kernels.written_marks([3] * 4, [1] * 4)
    one = [1, 2, 2 | 1 << 50, 3]
    entries = call_prefix_kernels.prefixes([one], [4], (JACCARD, 0.01), ALL, everything_is_shared)
    assert [rest for _, _, rest in entries] == [4, 3, 3, 1]


def test_a_set_of_enough_unique_elements_has_no_prefix() -> None:
    states = [1] * 32 + [3] * 32
    marks = call_prefix_kernels.written_marks(states, [1] * 64)
    three, two = [1, 2, 3, *range(40, 47)], [1, 2, *range(40, 48)]
    found = call_prefix_kernels.prefixes([three, two], [10, 10], (JACCARD, 0.8), ALL, marks)
    assert [(key & 63, owner, rest) for key, owner, rest in found] == [(40, 1, 8)]


# the theorem


def found_by_prefixes(
    sets: list[list[int]], goal: Goal, cutoff: int, shape: tuple[int, int], sides: list[int]
) -> set[tuple[int, int]]:
    """Do all of the above, one after the other."""
    samples = call_prefix_kernels.sample_sets(sets, goal, cutoff)
    marks = call_prefix_kernels.new_marks(*shape)
    call_prefix_kernels.mark_elements(samples, marks, sides)
    sizes = list(map(len, sets))
    groups: dict[int, list[tuple[int, int]]] = {}
    for key, owner, rest in call_prefix_kernels.prefixes(samples, sizes, goal, cutoff, marks):
        groups.setdefault(key, []).append((owner, rest))
    buckets = call_prefix_kernels.PrefixBuckets(list(groups.values()), sizes, goal)
    return set(call_prefix_kernels.ordered(buckets.propose_all(list(range(len(sets))), sides)))


@st.composite
def alike(draw: st.DrawFn) -> list[list[int]]:
    """Draw sets that are each a template less some elements and more some others, and a few of anything."""
    pool = draw(st.lists(hashes, min_size=4, max_size=30, unique=True))
    few = st.sets(st.sampled_from(pool), max_size=4)
    template = set(pool[: draw(st.integers(2, len(pool)))])
    near = draw(st.lists(st.tuples(few, few).map(lambda two: sorted((template - two[0]) | two[1])), max_size=8))
    return near + draw(st.lists(st.sets(st.sampled_from(pool)).map(sorted), min_size=2, max_size=4))


@pytest.mark.slow
@given(alike(), strategies.goals, cutoffs, shapes)
def test_sets_that_reach_the_threshold_share_a_key_early_enough(
    sets: list[list[int]], goal: Goal, cutoff: int, shape: tuple[int, int]
) -> None:
    truth = set(naive.all_pairs(sets, goal[1], naive.MEASURES[goal[0]]))
    assert truth - found_by_prefixes(sets, goal, cutoff, shape, []) == set()


@pytest.mark.slow
@given(alike(), strategies.goals, cutoffs, shapes, st.data())
def test_sets_of_both_sides_share_a_key_early_enough(
    sets: list[list[int]], goal: Goal, cutoff: int, shape: tuple[int, int], data: st.DataObject
) -> None:
    sides = data.draw(st.lists(st.integers(1, 3), min_size=len(sets), max_size=len(sets)))
    truth = {
        pair for pair in naive.all_pairs(sets, goal[1], naive.MEASURES[goal[0]]) if sides[pair[0]] | sides[pair[1]] == 3
    }
    assert truth - found_by_prefixes(sets, goal, cutoff, shape, sides) == set()
