"""Outlines: bits that bound how much two sets share, and the candidates they leave."""

from __future__ import annotations

from dataclasses import dataclass

import naive.outlines
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.outlines import Goal
from numpy.typing import NDArray
from support import strategies
from support.call_kernels import int64, ints, uint64

from lookalike.kernels import outlines as kernels

WORDS = st.sampled_from([2, 4, 8])


def draw_outlines(sets: list[list[int]], words: int) -> NDArray[np.uint64]:
    """Return the outline of each set; those that draw them find what others have left."""
    ends = np.cumsum(int64(map(len, sets)))
    out = np.full((len(sets), words), 7, np.uint64)
    elements = uint64(h for one in sets for h in one)
    members = np.arange(len(sets), dtype=np.int32)
    kernels.draw_outlines(elements, ends - int64(map(len, sets)), ends, members, out)
    return out


@st.composite
def families(draw: st.DrawFn) -> list[list[int]]:
    """Draw sets that are each a part of one pool, and so share a lot."""
    pool = draw(st.lists(strategies.hashes, min_size=2, max_size=40, unique=True))
    sizes = st.integers(1, len(pool))
    wide = st.tuples(sizes, sizes).map(lambda two: pool[min(two) - 1 : max(two)])
    return draw(st.lists(wide | st.sets(st.sampled_from(pool), min_size=1).map(sorted), min_size=2, max_size=8))


@pytest.mark.slow
@given(families(), WORDS)
def test_a_bit_is_the_parity_of_its_elements(sets: list[list[int]], words: int) -> None:
    assert [ints(row) for row in draw_outlines(sets, words)] == [naive.outlines.outline(one, words) for one in sets]


@pytest.mark.slow
@given(families(), WORDS)
def test_sets_share_no_more_than_their_outlines_allow(sets: list[list[int]], words: int) -> None:
    for one in sets:
        for two in sets:
            assert len(set(one) & set(two)) <= naive.outlines.most_shared(one, two, words)


@dataclass(frozen=True)
class Drawn:
    """Sets, and a run of entries of theirs in buckets, some pivots of each in a row."""

    sets: list[list[int]]
    entries: list[tuple[int, int]]
    rows: list[tuple[int, int, int]]

    def propose(self, goal: Goal, words: int, roots: list[int], sides: list[int], room: int) -> list[tuple[int, int]]:
        """Return the candidates; those there is no room for are (-1, -1)."""
        owners, rests = (np.array([entry[i] for entry in self.entries], np.int32) for i in (0, 1))
        sizes = np.array(list(map(len, self.sets)), np.int32)
        count = len(self.entries)
        numbers = np.full((4, count), 7, np.int32)
        work = (*numbers[:3], *np.full((2, count), 7, np.uint64), numbers[3])
        left, right = np.full((2, room), 7, np.int32)
        found = kernels.propose_by_outlines(
            np.arange(count, dtype=np.int32), int64(v for row in self.rows for v in row).reshape(-1, 3),
            np.array(roots, np.int32), np.array(sides, np.uint8), (owners, rests, sizes),
            draw_outlines(self.sets, words), goal, work, left, right,
        )  # fmt: skip
        some = list(zip(ints(left[:found]), ints(right[:found]), strict=True))
        return some + [(-1, -1)] * (found - len(some))


@st.composite
def bucketed(draw: st.DrawFn) -> Drawn:
    sets = draw(families())
    entry = st.integers(0, len(sets) - 1).flatmap(
        lambda owner: st.tuples(st.just(owner), st.just(len(sets[owner])) | st.integers(1, len(sets[owner])))
    )
    entries: list[tuple[int, int]] = []
    rows = []
    for bucket in draw(st.lists(st.lists(entry, min_size=2, max_size=9), min_size=1, max_size=3)):
        first = len(entries) + draw(st.integers(0, len(bucket) - 2))
        entries += bucket
        rows.append((first, draw(st.integers(first + 1, len(entries) - 1)), len(entries)))
    return Drawn(sets, entries, rows)


@pytest.mark.slow
@given(bucketed(), strategies.goals, WORDS)
def test_candidates_are_those_that_outlines_and_rests_allow(drawn: Drawn, goal: Goal, words: int) -> None:
    expected = [
        (one, two)
        for one, two in naive.outlines.candidates(drawn.entries, drawn.rows, drawn.sets, goal, words)
        if one != two
    ]
    roots = list(range(len(drawn.sets)))
    assert drawn.propose(goal, words, roots, [], 1000) == expected
    room = len(expected) // 2
    assert drawn.propose(goal, words, roots, [], room) == expected[:room] + [(-1, -1)] * (len(expected) - room)


@pytest.mark.slow
@given(bucketed(), strategies.goals, st.data())
def test_candidates_differ_in_root_and_cover_both_sides(drawn: Drawn, goal: Goal, data: st.DataObject) -> None:
    count = len(drawn.sets)
    roots = data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    sides = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    met = naive.outlines.candidates(drawn.entries, drawn.rows, drawn.sets, goal, 2)
    apart = [(one, two) for one, two in met if roots[one] != roots[two]]
    assert drawn.propose(goal, 2, roots, [], 1000) == apart
    across = [(one, two) for one, two in apart if sides[one] | sides[two] == 3]
    assert drawn.propose(goal, 2, roots, sides, 1000) == across


@dataclass(frozen=True)
class Listed:
    """Sets in order of size, some of which are pivots."""

    sets: list[list[int]]
    pivots: tuple[int, int]

    @property
    def order(self) -> list[int]:
        """The sets in order of size."""
        return sorted(range(len(self.sets)), key=lambda one: len(self.sets[one]))

    def propose(
        self, goal: Goal, words: int, roots: list[int], sides: list[int], tile: int, room: int = 1000
    ) -> tuple[int, list[tuple[int, int]]]:
        """Return the number of candidates, and those there is room for."""
        items = np.array(self.order, np.int32)
        sizes = np.array([len(self.sets[one]) for one in self.order], np.int32)
        ends = np.full(len(items), -7, np.int64)
        kernels.window_ends(goal, sizes, ends)
        columns = np.ascontiguousarray(draw_outlines(self.sets, words)[items].T)
        work, (left, right) = np.full((2, tile), 7, np.int32), np.full((2, room), -7, np.int32)
        found = kernels.propose_all(
            self.pivots, (items, sizes, ends), columns, np.array(roots, np.int32), np.array(sides, np.uint8), goal,
            (work[0], work[1]), left, right,
        )  # fmt: skip
        return int(found), list(zip(ints(left[:found]), ints(right[:found]), strict=True))


@st.composite
def listed(draw: st.DrawFn) -> Listed:
    sets = draw(families())
    first = draw(st.integers(0, len(sets) - 1))
    return Listed(sets, (first, draw(st.integers(first + 1, len(sets)))))


TILES = st.sampled_from([1, 2, 3, 1024])


@pytest.mark.slow
@given(listed(), strategies.goals, st.sampled_from([2, 4, 16]), TILES)
def test_all_candidates_are_those_that_outlines_allow(drawn: Listed, goal: Goal, words: int, tile: int) -> None:
    """Rounding may let through a set that is a hair below the threshold, never the other way round."""
    apart = list(range(len(drawn.sets)))
    count, found = drawn.propose(goal, words, apart, [], tile)
    below = (goal[0], goal[1] * (1 - 1e-3) - 1e-3)
    assert count == len(found) == len(set(found))
    assert naive.outlines.all_candidates(drawn.pivots, drawn.order, drawn.sets, goal, words) <= set(found)
    assert set(found) <= naive.outlines.all_candidates(drawn.pivots, drawn.order, drawn.sets, below, words)
    room = count // 2
    assert drawn.propose(goal, words, apart, [], tile, room) == (count, found[:room])


@pytest.mark.slow
@given(listed(), strategies.goals, TILES, st.data())
def test_all_candidates_differ_in_root_and_cover_both_sides(
    drawn: Listed, goal: Goal, tile: int, data: st.DataObject
) -> None:
    count = len(drawn.sets)
    roots = data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    sides = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    _, every = drawn.propose(goal, 2, list(range(count)), [], tile)
    apart = [(one, two) for one, two in every if roots[one] != roots[two]]
    assert drawn.propose(goal, 2, roots, [], tile)[1] == apart
    across = [(one, two) for one, two in apart if sides[one] | sides[two] == 3]
    assert drawn.propose(goal, 2, roots, sides, tile)[1] == across
