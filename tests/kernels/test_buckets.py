from __future__ import annotations

import itertools
import random

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.arrays.groups import find_groups

keys = st.lists(strategies.hashes | st.integers(0, 9) | st.integers(0, 9).map(lambda n: n << 60), max_size=120)
digit_counts = st.sampled_from([2, 4])


@st.composite
def bucketed(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Draw buckets of some items, and a root for every item."""
    count = draw(st.integers(2, 25))
    groups = draw(st.lists(st.lists(st.integers(0, count - 1), min_size=2, max_size=count, unique=True), max_size=5))
    roots = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    return groups, roots


def pairs_across(groups: list[list[int]], roots: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of every bucket whose roots differ."""
    pairs = itertools.chain.from_iterable(map(naive.pairs_within, groups))
    return sorted((one, two) for one, two in pairs if roots[one] != roots[two])


def ordered(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted((min(pair), max(pair)) for pair in pairs)


@given(keys=keys, digits=digit_counts)
def test_group_moves_keys_with_their_items(keys: list[int], digits: int) -> None:
    grouped, items = call_kernels.group(keys, digits)
    assert sorted(items) == list(range(len(keys)))
    assert grouped == [keys[item] for item in items]


@given(keys=keys, digits=digit_counts)
def test_group_brings_equal_keys_together(keys: list[int], digits: int) -> None:
    grouped, _ = call_kernels.group(keys, digits)
    assert len(list(itertools.groupby(grouped))) == len(set(keys))


@given(keys=keys, digits=digit_counts)
def test_items_of_one_key_stay_in_order(keys: list[int], digits: int) -> None:
    grouped, items = call_kernels.group(keys, digits)
    for _, run in itertools.groupby(zip(grouped, items, strict=True), key=lambda entry: entry[0]):
        members = [item for _, item in run]
        assert members == sorted(members)


@given(keys=keys, words=st.sampled_from([1, 2, 64]), chosen=st.randoms(use_true_random=False))
def test_only_keys_that_are_alone_are_dropped(keys: list[int], words: int, chosen: random.Random) -> None:
    among = [item for item in range(len(keys)) if chosen.random() < 0.8]
    kept = call_kernels.drop_unique(keys, among, words)
    assert kept == sorted((item, keys[item]) for item, _ in kept)
    together = {item for members in naive.buckets([keys[item] for item in among]).values() for item in members}
    assert {among[place] for place in together} <= {item for item, _ in kept} <= set(among)


def test_most_keys_that_are_alone_are_dropped() -> None:
    """With eight bits a key, a stranger's bit is met with probability 1 - exp(-1/8)."""
    keys = [random.Random(1).getrandbits(64) + i * 0x9E3779B97F4A7C15 & (1 << 64) - 1 for i in range(8192)]
    kept = len(call_kernels.drop_unique(keys, range(8192), 1024))
    assert kept < 0.15 * len(keys)


@given(keys=keys, chosen=st.randoms(use_true_random=False))
def test_groups_among_some_items(keys: list[int], chosen: random.Random) -> None:
    among = [item for item in range(len(keys)) if chosen.random() < 0.8]
    items, bounds = find_groups(np.array(keys, np.uint64), np.array(among, np.int32))
    found = [items[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]
    expected = naive.buckets([keys[item] for item in among]).values()
    assert sorted(found) == sorted([among[place] for place in members] for members in expected)


@given(keys=keys, digits=digit_counts)
def test_buckets_are_the_keys_that_are_not_alone(keys: list[int], digits: int) -> None:
    assert sorted(call_kernels.find_buckets(keys, digits)) == sorted(naive.buckets(keys).values())


@pytest.mark.parametrize("digits", [2, 4])
@call_kernels.compiled
def test_buckets_of_many_keys(digits: int) -> None:
    source = random.Random(3)
    keys = [source.randrange(5000) * naive.FIRST % naive.MODULUS for _ in range(20_000)]
    found, expected = sorted(call_kernels.find_buckets(keys, digits)), sorted(naive.buckets(keys).values())
    assert call_kernels.first_difference(found, expected) is None


def test_keys_that_differ_above_the_digits_stay_apart() -> None:
    keys = [1 << 50, 1 << 51, 1 << 50, 1 << 51, 1 << 52]
    assert sorted(call_kernels.find_buckets(keys)) == [[0, 2], [1, 3]]


@pytest.mark.parametrize("keys", [[], [5], [5, 6]])
def test_no_buckets(keys: list[int]) -> None:
    assert call_kernels.find_buckets(keys) == []


@given(drawn=bucketed(), widths=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_candidates_are_the_pairs_of_a_bucket_with_different_roots(
    drawn: tuple[list[list[int]], list[int]], widths: list[int]
) -> None:
    groups, roots = drawn
    assert ordered(call_kernels.propose_all(groups, roots, widths=widths)) == pairs_across(groups, roots)


@given(drawn=bucketed(), data=st.data())
def test_candidates_cover_both_collections(drawn: tuple[list[list[int]], list[int]], data: st.DataObject) -> None:
    groups, roots = drawn
    sides = data.draw(st.lists(st.integers(1, 3), min_size=len(roots), max_size=len(roots)))
    expected = [(one, two) for one, two in pairs_across(groups, roots) if sides[one] | sides[two] == 3]
    assert ordered(call_kernels.propose_all(groups, roots, sides)) == expected


def test_a_bucket_of_one_root_proposes_nothing() -> None:
    assert call_kernels.propose_all([list(range(50))], [0] * 50) == []


def test_a_bucket_of_one_root_and_a_stranger_proposes_the_stranger_only() -> None:
    roots = [0] * 50
    roots[25] = 25
    assert len(call_kernels.propose_all([list(range(50))], roots)) == 49


@pytest.mark.parametrize("place", [0, 1, 25, 49])
def test_the_stranger_is_the_pivot(place: int) -> None:
    """Else every item of the common root would have its turn."""
    roots = [100] * 50
    roots[place] = place
    assert {one for one, _ in call_kernels.propose_all([list(range(50))], roots)} == {place}


@given(groups=st.lists(st.lists(st.integers(0, 15), min_size=2, unique=True), min_size=1, max_size=4))
def test_all_pairs_when_every_item_is_its_own_root(groups: list[list[int]]) -> None:
    assert ordered(call_kernels.propose_all(groups, list(range(16)))) == pairs_across(groups, list(range(16)))


pairs = st.lists(st.tuples(st.integers(0, 30), st.integers(31, 60)).flatmap(st.permutations), max_size=100)


@given(pairs=pairs)
def test_unseen_keeps_the_first_of_each_pair(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros(256, np.uint64)
    kept, room = call_kernels.unseen(pairs, table, 128)
    first = {tuple(sorted(pair)): tuple(pair) for pair in reversed(pairs)}
    assert sorted(kept) == sorted(first.values())
    assert room == 128 - len(kept)
    assert call_kernels.unseen(pairs, table, room) == ([], room)


@given(pairs=pairs, room=st.integers(0, 20))
def test_unseen_loses_nothing_without_room(pairs: list[tuple[int, int]], room: int) -> None:
    kept, left = call_kernels.unseen(pairs, np.zeros(32, np.uint64), room)
    wanted = {tuple(sorted(pair)) for pair in pairs}
    assert {tuple(sorted(pair)) for pair in kept} == wanted
    assert left == max(0, room - len(wanted))


def test_unseen_distinguishes_the_largest_items() -> None:
    largest = (1 << 31) - 1
    pairs = [(0, 1), (0, largest), (largest - 1, largest), (largest - 2, largest)]
    assert call_kernels.unseen(pairs, np.zeros(64, np.uint64), 32)[0] == pairs
