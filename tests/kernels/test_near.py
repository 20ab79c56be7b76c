"""The nearest sets by lists, against the definitions."""

from __future__ import annotations

import naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.kernels import near
from lookalike.measures import CONTAINMENT, COSINE, DICE, JACCARD, OVERLAP

MEASURES = {
    JACCARD: naive.jaccard,
    DICE: naive.dice,
    COSINE: naive.cosine,
    OVERLAP: naive.overlap,
    CONTAINMENT: naive.containment,
}
sets = st.lists(st.sets(st.integers(1, 12), min_size=1), min_size=1, max_size=12)


def listed(many: list[set[int]]) -> tuple[np.ndarray, ...]:
    """Return the lists of elements, as the kernels have them: which sets have each, in order."""
    keys = np.array([element for element in range(1, 13) for one in many if element in one], np.uint64)
    members = np.array([i for element in range(1, 13) for i, one in enumerate(many) if element in one], np.int32)
    table = np.empty(64, np.uint64)
    begins, ends = np.empty((2, 64), np.int32)
    near.index_lists(keys, table, begins, ends)
    return table, begins, ends, members


@given(sets, st.sets(st.integers(1, 15)))
def test_find_lists(many: list[set[int]], asked: set[int]) -> None:
    index = listed(many)
    lists = np.empty(15, np.int64)
    found = near.find_lists(np.array(sorted(asked), np.uint64), index, lists)
    got = [index[3][near.begin_of(one) : near.end_of(one)].tolist() for one in lists[:found]]
    wanted = [[i for i, one in enumerate(many) if element in one] for element in asked]
    assert sorted(got) == sorted(filter(None, wanted))
    assert [len(one) for one in got] == sorted(len(one) for one in got)


@given(sets, st.sets(st.integers(1, 15), min_size=1), st.sampled_from(sorted(MEASURES)), st.floats(0, 1), st.data())
def test_ask(many: list[set[int]], asked: set[int], measure: int, bound: float, data: st.DataObject) -> None:
    """Some lists were counted, the others are asked: the answer is what is shared, or 0 if that is too little."""
    index = listed(many)
    lists = np.empty(15, np.int64)
    found = near.find_lists(np.array(sorted(asked), np.uint64), index, lists)
    done = data.draw(st.integers(0, found))
    counts = np.zeros(len(many), np.int32)
    near.count_members(lists[:done], index[3], counts)
    sizes = np.array([len(one) for one in many], np.int32)
    for i, one in enumerate(many):
        goal, rest = (measure, bound), lists[done:found]
        shared = near.ask(i, np.int64(counts[i]), rest, index[3], goal, np.int64(len(asked)), sizes)
        assert shared == (len(asked & one) if MEASURES[measure](asked, one) >= bound else 0)


@given(st.sampled_from(sorted(MEASURES)), st.integers(1, 40), st.integers(1, 40), st.integers(0, 40), st.floats(0, 1))
def test_enough(measure: int, one: int, two: int, shared: int, score: float) -> None:
    """Whatever reaches the score shares enough; also if the second set is larger."""
    shared = min(shared, one, two)
    left, right = set(range(one)), set(range(one - shared, one - shared + two))
    if shared and MEASURES[measure](left, right) >= score:
        assert all(near.enough((measure, score), one, size) <= shared for size in range(1, two + 1))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=400), st.integers(0, 3))
def test_find_able(counts: list[int], rest: int) -> None:
    sizes = np.full(len(counts), 9, np.int32)
    out = np.empty(len(counts) + 1, np.int32)
    filled = near.find_able(np.array(counts, np.int32), sizes, np.int64(9), rest, (OVERLAP, 0.5), out)
    assert out[:filled].tolist() == [i for i, count in enumerate(counts) if count + rest >= 4]


def test_greatest() -> None:
    assert near.greatest(np.array([3, 70000, 7], np.int32)) == 70000
