"""Stars: which items can be decided together, what they decide, and what kept items are compared with."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import strategies

from lookalike.kernels import stars as kernels

Bands = list[list[int]]
"""The group of each item in each band; items alone in theirs are in none."""

bands = st.integers(1, 12).flatmap(
    lambda count: st.lists(st.lists(st.integers(0, 4), min_size=count, max_size=count), min_size=1, max_size=4)
)


def columns(bands: Bands) -> tuple[Any, Any]:
    """Return slots and members."""
    slots, members = np.full((2, len(bands), len(bands[0])), -1, np.int32)
    for band, groups in enumerate(bands):
        at = 0
        for group in sorted(set(groups)):
            items = [item for item, other in enumerate(groups) if other == group]
            if len(items) > 1:
                slots[band, items] = range(at, at + len(items))
                members[band, at : at + len(items)] = [*items[:-1], ~items[-1]]
                at += len(items)
    return slots, members


def share(bands: Bands, one: int, two: int) -> bool:
    return any(groups[one] == groups[two] for groups in bands)


@given(bands, st.data())
def test_items_are_chosen_if_all_undecided_before_them_are(bands: Bands, data: st.DataObject) -> None:
    count = len(bands[0])
    states = (kernels.UNDECIDED, kernels.KEPT, kernels.REMOVED)
    before = data.draw(st.lists(st.sampled_from(states), min_size=count, max_size=count))
    limit, room = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 8))
    status, stamp = np.array(before, np.uint8), np.full(count, -1, np.int32)
    left, right = np.empty((2, room), np.int32)
    found = kernels.choose(status, *columns(bands), limit, stamp, left, right)
    chosen: list[int] = []
    pairs: list[tuple[int, int]] = []
    for item in range(count):
        ahead = [other for other in range(item) if before[other] == kernels.UNDECIDED and share(bands, item, other)]
        fits = len(ahead) <= min(limit, room - len(pairs))
        if before[item] == kernels.UNDECIDED and fits and all(other in chosen for other in ahead):
            chosen.append(item)
            pairs += [(other, item) for other in ahead]
    assert np.flatnonzero(status == kernels.CHOSEN).tolist() == chosen
    assert sorted(zip(left[:found].tolist(), right[:found].tolist(), strict=True)) == sorted(pairs)


@given(strategies.graphs())
def test_decisions_are_greedy(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, pairs = graph
    edges = sorted({(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]})
    left, right = (np.array([edge[side] for edge in edges], np.int32) for side in (1, 0))
    status = np.full(count, kernels.CHOSEN, np.uint8)
    kernels.decide(left, right, status)
    keepers = naive.stars(range(count), dict.fromkeys(edges, 1.0))
    assert np.flatnonzero(status == kernels.CHOSEN).tolist() == [item for item in range(count) if keepers[item] == item]


@given(bands, st.integers(1, 5), st.data())
def test_kept_items_meet_the_later_items_of_their_groups_once(bands: Bands, room: int, data: st.DataObject) -> None:
    count = len(bands[0])
    kept = sorted(data.draw(st.sets(st.integers(0, count - 1), max_size=count)))
    status, stamp = np.zeros(count, np.uint8), np.full(count, -1, np.int32)
    status[kept] = kernels.KEPT
    place = np.array([0, 0, -1])
    left, right = np.empty((2, room), np.int32)
    found: list[tuple[int, int]] = []
    while place[0] < len(kept):
        filled = kernels.propose_later(np.array(kept), place, status, *columns(bands), stamp, left, right)
        found += zip(left[:filled].tolist(), right[:filled].tolist(), strict=True)
    later = [(one, two) for one in kept for two in range(one + 1, count) if two not in kept and share(bands, one, two)]
    assert sorted(found) == later
