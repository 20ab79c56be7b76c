"""Which entries of prefixes in one bucket are compared."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import naive.prefix
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_prefix_kernels, strategies

from lookalike.kernels.codes import JACCARD

Goal = tuple[int, float]


@dataclass(frozen=True)
class Drawn:
    """Buckets of entries, an owner and a rest each; and the sizes and the roots of owners."""

    groups: list[list[tuple[int, int]]]
    sizes: list[int]
    roots: list[int]

    def pairs(self, goal: Goal, sides: list[int] | None = None) -> list[tuple[int, int]]:
        """Return the pairs of every bucket that differ in root, cover both sides, and can reach the threshold."""
        return sorted(
            (min(one, two), max(one, two))
            for group in self.groups
            for (one, rest), (two, other_rest) in itertools.combinations(group, 2)
            if self.roots[one] != self.roots[two]
            and (not sides or {sides[one], sides[two]} & {3} or {sides[one], sides[two]} == {1, 2})
            and naive.prefix.can_reach(min(rest, other_rest), self.sizes[one], self.sizes[two], goal)
        )


@st.composite
def bucketed(draw: st.DrawFn) -> Drawn:
    count = draw(st.integers(2, 15))
    sizes = draw(st.lists(st.integers(1, 20), min_size=count, max_size=count))
    entry = st.integers(0, count - 1).flatmap(
        lambda owner: st.tuples(st.just(owner), st.just(sizes[owner]) | st.integers(1, sizes[owner]))
    )
    groups = draw(st.lists(st.lists(entry, min_size=2, max_size=15), max_size=4))
    most = draw(st.sampled_from([1, 2, count - 1]))
    return Drawn(groups, sizes, draw(st.lists(st.integers(0, most), min_size=count, max_size=count)))


@pytest.mark.slow
@given(bucketed(), strategies.goals)
def test_short_entries_reach_the_threshold_with_a_set_of_their_size(drawn: Drawn, goal: Goal) -> None:
    entries = [entry for group in drawn.groups for entry in group]
    expected = [naive.prefix.can_reach(rest, drawn.sizes[one], drawn.sizes[one], goal) for one, rest in entries]
    assert list(call_prefix_kernels.find_short(entries, drawn.sizes, goal)) == expected


@pytest.mark.slow
@given(bucketed(), strategies.goals, st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_candidates_are_the_entries_that_can_reach(drawn: Drawn, goal: Goal, widths: list[int]) -> None:
    found = call_prefix_kernels.PrefixBuckets(drawn.groups, drawn.sizes, goal).propose_all(drawn.roots, widths=widths)
    assert call_prefix_kernels.ordered(found) == drawn.pairs(goal)


@pytest.mark.slow
@given(bucketed(), strategies.goals, st.data())
def test_candidates_cover_both_sides(drawn: Drawn, goal: Goal, data: st.DataObject) -> None:
    sides = data.draw(st.lists(st.integers(1, 3), min_size=len(drawn.roots), max_size=len(drawn.roots)))
    found = call_prefix_kernels.PrefixBuckets(drawn.groups, drawn.sizes, goal).propose_all(drawn.roots, sides)
    assert call_prefix_kernels.ordered(found) == drawn.pairs(goal, sides)


@pytest.mark.parametrize("place", [0, 1, 25, 49])
def test_the_stranger_is_the_pivot(place: int) -> None:
    roots = [100] * 50
    roots[place] = place
    buckets = call_prefix_kernels.PrefixBuckets([[(owner, 10) for owner in range(50)]], [10] * 50, (JACCARD, 0.8))
    assert {one for one, _ in buckets.propose_all(roots)} == {place}


@pytest.mark.parametrize("place", [0, 1, 25, 49])
def test_the_short_entry_is_the_pivot(place: int) -> None:
    """The others are larger sets that have too little left for each other."""
    sizes, rests = [12] * 50, [10] * 50
    sizes[place] = 10
    buckets = call_prefix_kernels.PrefixBuckets([list(enumerate(rests))], sizes, (JACCARD, 0.8))
    found = buckets.propose_all(list(range(50)))
    assert sorted(found) == [(place, other) for other in range(50) if other != place]


@pytest.mark.parametrize(("roots", "rest"), [([0] * 9, 10), (list(range(9)), 5)])
def test_buckets_of_one_root_or_without_short_entries_are_done(roots: list[int], rest: int) -> None:
    buckets = call_prefix_kernels.PrefixBuckets([[(owner, rest) for owner in range(9)]], [10] * 9, (JACCARD, 0.8))
    assert buckets.propose_all(roots) == []
    assert list(buckets.pivots) == [0]
