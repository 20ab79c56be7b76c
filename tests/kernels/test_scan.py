from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.exact import scan
from lookalike.kernels import scan as kernels

leasts = st.just(0.0) | strategies.thresholds


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[set[int]], list[list[int]]]:
    """Draw the sets of a few, and the shingles of items, repetitions included, most of them from one pool."""
    pool = st.sampled_from(draw(st.lists(strategies.hashes, min_size=1, max_size=30, unique=True)))
    few = draw(st.lists(st.sets(pool, min_size=1), min_size=1, max_size=8))
    return few, draw(st.lists(st.lists(pool | strategies.hashes, max_size=40), max_size=10))


def few_of(sets: list[set[int]]) -> scan.Few:
    return scan.Few(call_kernels.uint64(h for one in sets for h in one), call_kernels.int64(map(len, sets)))


def found(sets: list[set[int]], items: list[list[int]], least: float) -> list[tuple[int, int, int]]:
    few = few_of(sets)
    index = scan.make_index(few)
    grams = call_kernels.uint64(h for item in items for h in item)
    counts, numbers = call_kernels.int64(map(len, items)), np.arange(len(items), dtype=np.int32)
    columns = scan.shared_shingles(few, index, grams, counts, numbers, least, scan.make_work(len(few), index))
    return list(zip(*map(call_kernels.ints, columns), strict=True))


@pytest.mark.slow
@given(collections(), leasts, st.sampled_from([1, 2, 4, 16]))
def test_shingles_shared_are_counted(drawn: tuple[list[set[int]], list[list[int]]], least: float, many: int) -> None:
    """Those of many sets by rows, the others one by one; and with some of each."""
    few, items = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "MANY", many)
        hits = found(few, items, least)
    assert len(hits) == len(set(hits))
    assert set(hits) == naive.shared_with(few, items, least)


@pytest.mark.slow
@given(collections(), st.integers(1, 8), st.integers(1, 8))
def test_rows_of_shingles_that_many_have(drawn: tuple[list[set[int]], list[list[int]]], many: int, share: int) -> None:
    few, _ = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "MANY", many)
        patch.setattr(scan, "SHARE_OF_MANY", share)
        _, _, _, keys, _, row_of, rows = scan.make_index(few_of(few))
    found = {int(keys[at]): call_kernels.ints(rows[row]) for at, row in enumerate(row_of) if row >= 0}
    has = {h: [int(h in one) for one in few] for one in few for h in one}
    assert found == {h: ones for h, ones in has.items() if sum(ones) >= many and sum(ones) * share >= len(few)}


@pytest.mark.slow
@given(collections())
def test_hits_come_in_parts_when_there_are_many(drawn: tuple[list[set[int]], list[list[int]]]) -> None:
    few, items = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "HITS_AT_A_TIME", 1)
        assert set(found(few, items, 0.0)) == naive.shared_with(few, items, 0.0)


@given(strategies.hash_lists, st.lists(strategies.hashes, max_size=20))
def test_sifting_keeps_every_shingle_that_is_wanted(grams: list[int], wanted: list[int]) -> None:
    bits = np.zeros(64, np.uint64)
    for h in wanted:
        bits[h >> 6 & 63] |= np.uint64(1 << (h & 63))
    array = call_kernels.uint64(grams)
    kept = call_kernels.ints(array[: kernels.sift(array, bits)])
    assert kept == [h for h in grams if int(bits[h >> 6 & 63]) >> (h & 63) & 1]
    assert [h for h in kept if h in wanted] == [h for h in grams if h in wanted]
