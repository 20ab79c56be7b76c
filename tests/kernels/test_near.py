"""The nearest sets by lists, against the definitions."""

from __future__ import annotations

import naive
import naive.near
import naive.prefix
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from naive.near import Scored
from support import call_kernels

from lookalike.kernels import near
from lookalike.kernels.codes import CONTAINMENT, COSINE, DICE, JACCARD, OVERLAP
from lookalike.kernels.shingles import power_of_two

MEASURES = {
    JACCARD: naive.jaccard,
    DICE: naive.dice,
    COSINE: naive.cosine,
    OVERLAP: naive.overlap,
    CONTAINMENT: naive.containment,
}
sets = st.lists(st.sets(st.integers(1, 12), min_size=1), min_size=1, max_size=12)
measures = st.sampled_from(sorted(MEASURES))
leasts = st.sampled_from([0.0, 0.0, 1 / 3, 0.5, 2 / 3, 1.0])


def listed(many: list[set[int]]) -> tuple[np.ndarray, ...]:
    """Return the lists of elements, as the kernels have them: which sets have each, in order."""
    lists = naive.near.lists(many)
    keys = call_kernels.uint64(element for element, places in lists for _ in places)
    members = np.array([place for _, places in lists for place in places], np.int32)
    table = np.empty(power_of_two(2 * len(lists)), np.uint64)
    begins, ends = np.empty((2, len(table)), np.int32)
    near.index_lists(keys, table, begins, ends)
    return table, begins, ends, members


@pytest.mark.slow
@given(sets, st.sets(st.integers(1, 15)))
def test_find_lists(many: list[set[int]], asked: set[int]) -> None:
    index = listed(many)
    lists = np.empty(15, np.int64)
    found = near.find_lists(np.array(sorted(asked), np.uint64), index, lists)
    got = [index[3][near.begin_of(one) : near.end_of(one)].tolist() for one in lists[:found]]
    wanted = [[i for i, one in enumerate(many) if element in one] for element in asked]
    assert sorted(got) == sorted(filter(None, wanted))
    assert [len(one) for one in got] == sorted(len(one) for one in got)


@pytest.mark.slow
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
        shared = near.search_lists(i, np.int64(counts[i]), rest, index[3], goal, np.int64(len(asked)), sizes)
        assert shared == (len(asked & one) if MEASURES[measure](asked, one) >= bound else 0)


@given(st.sampled_from(sorted(MEASURES)), st.integers(1, 40), st.integers(1, 40), st.integers(0, 40), st.floats(0, 1))
def test_enough(measure: int, one: int, two: int, shared: int, score: float) -> None:
    """Whatever reaches the score shares enough; also if the second set is larger."""
    shared = min(shared, one, two)
    left, right = set(range(one)), set(range(one - shared, one - shared + two))
    if shared and MEASURES[measure](left, right) >= score:
        assert all(near.min_shared((measure, score), one, size) <= shared for size in range(1, two + 1))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=400), st.integers(0, 3))
def test_find_reachable(counts: list[int], rest: int) -> None:
    sizes = np.full(len(counts), 9, np.int32)
    out = np.empty(len(counts) + 1, np.int32)
    filled = near.find_reachable(np.array(counts, np.int32), sizes, np.int64(9), rest, (OVERLAP, 0.5), out)
    assert out[:filled].tolist() == [i for i, count in enumerate(counts) if count + rest >= 4]


def test_greatest() -> None:
    assert near.max_count(np.array([3, 70000, 7], np.int32)) == 70000


# the lists


@given(st.lists(st.sampled_from([1, 2, 65, 129, 2**63, 2**64 - 1]), max_size=12).map(sorted))
def test_index_lists(keys: list[int]) -> None:
    """Some of these keys want the same place."""
    table = np.full(64, 7, np.uint64)
    begins, ends = np.full((2, 64), -1, np.int32)
    near.index_lists(call_kernels.uint64(keys), table, begins, ends)
    found = {int(table[at]): (int(begins[at]), int(ends[at])) for at in np.flatnonzero(table)}
    assert found == naive.near.runs(keys)


@given(sets | st.just([]))
@example([{1, 2, 3}, {9}, {1, 17, 33}])
def test_gather_shared(many: list[set[int]]) -> None:
    """There are 8 slots, so that an element may look shared that is not; none is lost that is."""
    rows = [sorted(one) for one in many]
    states, _ = naive.prefix.marks(rows, 8, 1)
    seen = np.array([sum(states[4 * at + i] << 2 * i for i in range(4)) for at in range(2)], np.uint8)
    sizes = np.array([len(one) for one in rows], np.int32)
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    elements = call_kernels.uint64(element for one in rows for element in one)
    keys, members = np.empty(len(elements) + 1, np.uint64), np.empty(len(elements) + 1, np.int32)
    filled = near.gather_shared(elements, begins, sizes, seen, keys, members)
    found = list(zip(call_kernels.ints(keys[:filled]), call_kernels.ints(members[:filled]), strict=True))
    assert found == naive.near.shared_elements(rows, states)
    assert {one for one in found if sum(one[0] in row for row in rows) > 1} == {
        (element, place) for element, places in naive.near.lists(rows) for place in places if len(places) > 1
    }


# the nearest


class Base:
    """Sets in order of their sizes, with items of their own, as the kernels want them."""

    def __init__(self, many: dict[int, set[int]], k: int, largest: int) -> None:
        self.items = sorted(many, key=lambda item: len(many[item]))
        self.sets = [many[item] for item in self.items]
        self.index = listed(self.sets)
        count = len(many)
        sizes = np.array([len(one) for one in self.sets], np.int32)
        self.columns = sizes, np.array(self.items, np.int32), np.arange(count, dtype=np.int32)
        room = np.zeros(count, np.int32), np.empty(count + 1, np.int32), np.empty(largest, np.int64)
        self.work = *room, (np.empty((1, k + 1), np.int32), np.empty((1, k + 1)))


def nobody(rows: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full((rows, k), -1, np.int32), np.full((rows, k), -np.inf)


def listing(best: tuple[np.ndarray, np.ndarray], row: int) -> list[Scored]:
    pairs = list(zip(best[0][row].tolist(), best[1][row].tolist(), strict=True))
    there = [pair for pair in pairs if pair[0] >= 0]
    assert pairs[len(there) :] == [(-1, -np.inf)] * (len(pairs) - len(there))
    return there


def check_nearest(
    asked: dict[int, set[int]], parts: list[dict[int, set[int]]], goal: tuple[int, float], k: int
) -> None:
    """Compare the kernels with brute force: the nearest among parts of the sets, one after the other.

    Each of the two ways to go through lists must do for all sets, and so must the choice between them.
    """
    elements = call_kernels.uint64(element for one in asked.values() for element in one)
    sizes = np.array([len(one) for one in asked.values()], np.int32)
    own = np.array(list(asked), np.int32)
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    whole, few, many = (nobody(len(asked), k) for _ in range(3))
    for part in parts:
        base = Base(part, k, int(sizes.max()))
        arguments = base.columns, base.index, goal, base.work
        scored = near.find_nearest((elements, begins, sizes, own), *arguments, whole)
        assert 0 <= scored <= len(asked) * len(part)
        for row in range(len(asked)):
            lists = near.find_lists(elements[begins[row] : begins[row] + sizes[row]], base.index, base.work[2])
            question = (row, np.int64(sizes[row]), own[row], lists)
            for way, best in ((near.find_among_few, few), (near.find_among_many, many)):
                way(question, base.columns, base.index[3], goal, base.work, best)
        assert not base.work[0].any()
    every = {item: one for part in parts for item, one in part.items()}
    for row, (item, one) in enumerate(asked.items()):
        expected = naive.near.nearest(one, every, MEASURES[goal[0]], goal[1], k, item)
        assert [listing(best, row) for best in (whole, few, many)] == [expected] * 3


@pytest.mark.slow
@given(sets, sets, st.tuples(measures, leasts), st.integers(1, 14), st.booleans(), st.permutations(range(12)))
def test_find_nearest(
    many: list[set[int]], others: list[set[int]], goal: tuple[int, float], k: int, within: bool, items: list[int]
) -> None:
    """Among themselves, or among others; many are equally near, and k may be more than there are."""
    base = dict(zip(items, many, strict=False))
    asked = base if within else {100 + i: one for i, one in enumerate(others)}
    half = len(many) // 2
    parts = [dict(list(base.items())[:half]), dict(list(base.items())[half:])]
    check_nearest(asked, [part for part in parts if part], goal, k)


every_measure = pytest.mark.parametrize("measure", sorted(MEASURES))


def chosen(rng: np.random.Generator, shares: list[float]) -> set[int]:
    """Choose each of the numbers from 1 on with its own chance."""
    return {int(i) + 1 for i in np.flatnonzero(rng.random(len(shares)) < shares)}


@every_measure
@pytest.mark.parametrize(("k", "least"), [(1, 0.0), (4, 0.3)])
def test_find_nearest_among_many(measure: int, k: int, least: float) -> None:
    """So many that what looks best is compared in full on the way. Some questions have nothing that many sets have."""
    rng = np.random.default_rng(measure)
    many = [chosen(rng, [share] * 24) | {int(rng.integers(30, 330))} for share in rng.uniform(0.05, 0.95, 350)]
    many[:3] = many[-3:]
    base = dict(zip(rng.permutation(len(many)).tolist(), many, strict=True))
    asked = dict(list(base.items())[:10]) | {1000 + i: {30 + i, 31 + i, 999} for i in range(3)}
    check_nearest(asked, [base], (measure, least), k)


@every_measure
@pytest.mark.parametrize(("k", "least"), [(1, 0.7), (2, 0.8)])
def test_find_nearest_by_what_is_rare(measure: int, k: int, least: float) -> None:
    """Sets in threes, which share elements that no others have: they are found by these, and asked for the rest."""
    rng = np.random.default_rng(measure)
    many = []
    for group in range(200):
        shares = rng.choice([0.1, 0.9], 16).tolist()
        many += [chosen(rng, shares) | {100 + 12 * group + i for i in range(12)} for _ in range(3)]
    base = dict(zip(rng.permutation(len(many)).tolist(), many, strict=True))
    check_nearest(dict(list(base.items())[:12]), [base], (measure, least), k)


@pytest.mark.slow
@given(sets, sets, st.tuples(measures, leasts), st.integers(1, 14))
def test_take_best(many: list[set[int]], before: list[set[int]], goal: tuple[int, float], k: int) -> None:
    """What is counted is all that is shared with the set {1, 2, 3, 4}; some sets were taken before, and one is it."""
    asked, similarity = {1, 2, 3, 4}, MEASURES[goal[0]]
    base = Base(dict(enumerate(many)), k, 1)
    earlier = naive.near.nearest(asked, {50 + i: one for i, one in enumerate(before)}, similarity, goal[1], k)
    best = nobody(1, k)
    best[0][0, : len(earlier)] = [item for item, _ in earlier]
    best[1][0, : len(earlier)] = [score for _, score in earlier]
    counts = np.array([len(asked & one) for one in base.sets], np.int32)
    scored = near.take_best(counts, base.columns[:2], (np.int64(4), 0), goal, (*best, 0))
    found = naive.near.nearest(asked, dict(enumerate(many)), similarity, goal[1], k, 0)
    assert listing(best, 0) == naive.near.best(earlier + found, k)
    assert len([one for one in listing(best, 0) if one[0] < 50]) <= scored <= np.count_nonzero(counts)


@pytest.mark.slow
@given(sets, st.sets(st.integers(1, 15), min_size=1), measures, st.integers(1, 6), st.data())
def test_bound_by_leaders(many: list[set[int]], asked: set[int], measure: int, k: int, data: st.DataObject) -> None:
    """Some lists were counted; the others are asked about those that look best."""
    base = Base(dict(enumerate(many)), k, len(asked))
    counts, _, lists, _ = base.work
    found = near.find_lists(call_kernels.uint64(sorted(asked)), base.index, lists)
    done = data.draw(st.integers(0, found))
    own = data.draw(st.integers(-1, len(many) - 1))
    near.count_members(lists[:done], base.index[3], counts)
    members = base.index[3].tolist()
    counted = [members[near.begin_of(one) : near.end_of(one)] for one in lists[:done]]
    shared = [sum(place in one for one in counted) for place in range(len(many))]
    assert counts.tolist() == shared

    size, similarity = np.int64(len(asked)), MEASURES[measure]
    bound = near.bound_by_leaders((size, own), lists[done:found], base.columns, base.index[3], measure, base.work)
    known = [similarity(*apart(so_far, len(asked), len(one))) for so_far, one in zip(shared, base.sets, strict=True)]
    full = [similarity(asked, one) for one in base.sets]
    place = base.items.index(own) if own >= 0 else None
    assert bound == naive.near.bound_by_leaders(known, full, k, place)


def apart(shared: int, one: int, two: int) -> tuple[range, range]:
    """Return two sets of these sizes that share so much."""
    return range(one), range(one - shared, one - shared + two)
