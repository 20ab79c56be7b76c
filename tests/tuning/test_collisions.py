"""Collisions that are counted, against all pairs; and what is expected of other bands, against what meets in them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lookalike.lsh.banding import Banding
from lookalike.resources.threads import Threads
from lookalike.tuning.collisions import Collisions, Counter, draw_pairs, pairs_among
from lookalike.tuning.drawn import DrawnPairs, across, draw_any

SIDES = st.lists(st.integers(1, 3), min_size=30, max_size=30)
BUCKETS = st.lists(st.integers(2, 6), min_size=1, max_size=5)


class Keys:
    """Items with given band keys."""

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self.keys = keys
        self.count = keys.shape[1]

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band."""
        keys[:] = self.keys[band]


def signed(similar: float, rows: int, bands: int, count: int, seed: int) -> Keys:
    """Return keys of items, all of which agree in each slot with the same chance: that of a common value."""
    random = np.random.default_rng(seed)
    own = random.integers(1, 1 << 62, (bands, rows, count))
    shared = random.random((bands, rows, count)) < similar**0.5
    slots = np.where(shared, np.arange(bands * rows).reshape(bands, rows, 1), own)
    mixed = (slots * random.integers(1, 1 << 62, (1, rows, 1)) * 2 + 1).sum(axis=1)
    return Keys(mixed.astype(np.uint64))


def of_similarity(similarity: float, compared: NDArray[np.bool_]) -> DrawnPairs:
    """Return pairs of one similarity, of which some would be compared."""
    ones = np.ones(len(compared))
    return DrawnPairs(similarity * ones, ones, ones, compared)


def bucketed(sizes: list[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the members of buckets of these sizes, and where buckets begin."""
    return np.arange(sum(sizes), dtype=np.int32)[::-1].copy(), np.append(0, np.cumsum(sizes)).astype(np.int64)


@given(BUCKETS, SIDES)
def test_pairs_among_buckets_are_counted(sizes: list[int], sides: list[int]) -> None:
    members, bounds = bucketed(sizes)
    buckets = [members[begin:end].tolist() for begin, end in pairwise(bounds.tolist())]
    whole = [len(list(combinations(bucket, 2))) for bucket in buckets]
    assert pairs_among(members, bounds, np.empty(0, np.uint8)).tolist() == whole
    mixed = [sum(sides[one] | sides[two] == 3 for one, two in combinations(bucket, 2)) for bucket in buckets]
    assert pairs_among(members, bounds, np.array(sides, np.uint8)).tolist() == mixed


def test_every_pair_of_a_bucket_is_drawn_with_the_same_chance() -> None:
    members, bounds = bucketed([2, 3, 4])
    random = np.random.default_rng(1)
    drawn = np.concatenate([draw_pairs(members, bounds, random) for _ in range(100)], axis=1)
    found, counts = np.unique(np.sort(drawn, axis=0), axis=1, return_counts=True)
    assert found.shape[1] == 1 + 3 + 6
    expected = drawn.shape[1] / 10
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)
    assert not (drawn[0] == drawn[1]).any()


def test_nothing_is_drawn_of_no_buckets() -> None:
    assert draw_pairs(np.empty(0, np.int32), np.zeros(1, np.int64), np.random.default_rng(1)).shape == (2, 0)


def test_pairs_of_all_items_are_of_different_ones() -> None:
    left, right = draw_any(np.array([3, 5, 8], np.int32), 200, np.random.default_rng(2))
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == {(3, 5), (5, 3), (3, 8), (8, 3), (5, 8), (8, 5)}


def test_pairs_across_collections() -> None:
    left, right = np.array([0, 0, 1, 2], np.int32), np.array([1, 2, 1, 2], np.int32)
    assert across(left, right, np.array([1, 2, 3], np.uint8)).tolist() == [True, True, False, True]
    assert across(left, right, np.empty(0, np.uint8)).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_collisions_with_more_rows_are_foreseen(threads: int) -> None:
    """All pairs have a similarity of a half. What bands of six rows bring together is foreseen from those of two."""
    count, similarity = 600, 0.5
    two, six = Banding(16, 2), Banding(32, 6)
    compared = np.arange(count, dtype=np.int32)
    pool = Threads(threads)
    none = np.empty(0, np.uint8)
    met = Counter(signed(similarity, 2, 16, count, 3), (compared, none), two, pool, 1).met()
    pairs = count * (count - 1) / 2
    assert met.per_band == pytest.approx(pairs * similarity**2, rel=0.1)
    drawn = len(met.left)
    every = np.ones(drawn, bool)
    found = Collisions(two, met, of_similarity(similarity, every), pairs)
    collisions, candidates = found.expect(six, every)
    again = Counter(signed(similarity, 6, 32, count, 5), (compared, none), six, pool, 1).met()
    assert collisions == pytest.approx(again.per_band * 32, rel=0.2)
    assert candidates == pytest.approx(pairs * six.chance(similarity), rel=0.1)
    assert found.expect(six, np.arange(drawn) % 2 == 0)[0] == pytest.approx(collisions / 2, rel=0.01)
    pool.close()


def test_few_collisions_are_recognised() -> None:
    count = 3000
    compared, none = np.arange(count, dtype=np.int32), np.empty(0, np.uint8)
    pool = Threads(1)
    keys = np.zeros((8, count), np.uint64)
    keys[:] = np.arange(count) // 2 + 1
    assert Counter(Keys(keys), (compared, none), Banding(8, 4), pool, 1).are_few()
    keys[:] = np.arange(count) // 1000 + 1
    assert not Counter(Keys(keys), (compared, none), Banding(8, 4), pool, 1).are_few()
    pool.close()
