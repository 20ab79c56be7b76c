"""Exact search for the nearest sets, by lists of which sets have an element, for some sets at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lookalike.arrays.groups import group_keys
from lookalike.arrays.slices import slices
from lookalike.exact.prefixes import slots_for
from lookalike.kernels import near as kernels
from lookalike.kernels.best import keep_best
from lookalike.kernels.prefix import mark_elements
from lookalike.kernels.shingles import power_of_two
from lookalike.neighbours.best import Best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.exact.scan import Hits
    from lookalike.lsh.buckets import Seen
    from lookalike.resources.threads import Threads
    from lookalike.store.sets import Sets

ELEMENTS_AT_A_TIME, SETS_AT_A_TIME = 1 << 24, 1 << 17
"""The maximum number of elements, and of sets, whose lists are held at a time. More are searched part by part."""

QUERIED_AT_A_TIME = 1 << 14
"""Elements of the queries per task."""

MARKED_AT_A_TIME = 1 << 20
"""Elements marked per task."""


class Scannable(Protocol):
    """A collection in which a few items can be compared with many others."""

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some items into parts that are small enough for one scan."""

    def scan(
        self, few: NDArray[np.int32], among: NDArray[np.int32], min_score: float, *, one_way: bool = False
    ) -> Iterator[Hits]:
        """Compare a few items with many others."""


@dataclass(frozen=True, slots=True)
class ScanFinder:
    """Answers queries for weighted sets exactly, by comparing each with all sets that share an element."""

    collection: Scannable
    among: NDArray[np.int32]

    @property
    def exact(self) -> ScanFinder:
        """The finder itself, since it is exact."""
        return self

    def answer(self, queries: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time."""
        for part in self.collection.rounds(queries):
            some = queries[part]
            best = Best.of(len(some), k)
            for hits in self.collection.scan(some, self.among, 0.0, one_way=True):
                keep_best(hits.few, hits.item, hits.similarity, some, best.items, best.scores)
                seen.proposed += len(hits)
            yield part, best


class ListFinder:
    """Answers queries for sets exactly, by lists of which sets have an element."""

    def __init__(self, sets: Sets, threads: Threads, goal: tuple[int, float], among: NDArray[np.int32]) -> None:
        self._sets = sets
        self._threads = threads
        self._among = among
        self._goal = goal
        """The kernel of the measure, and the minimum similarity."""
        self._sets.make(among)

    @property
    def exact(self) -> ListFinder:
        """The finder itself, since it is exact."""
        return self

    def answer(self, queries: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time, once all sets were searched for them."""
        self._sets.make(queries)
        best = Best.of(len(queries), k)
        shared = self._shared(queries)
        weights = self._sets.sizes[self._among] + np.int64(ELEMENTS_AT_A_TIME // SETS_AT_A_TIME)
        bases = list(slices(weights, 2 * ELEMENTS_AT_A_TIME))
        for base in bases:
            lists = Lists(self._sets, self._among[base], shared, k)
            tasks = slices(self._sets.sizes[queries].astype(np.int64) + 1, QUERIED_AT_A_TIME)
            search_task = lists.search_task(queries, best, self._goal)
            for part, compared in self._threads.map(search_task, tasks):
                self._sets.trim()
                seen.proposed += compared
                if base is bases[-1]:
                    yield part, Best(best.items[part], best.scores[part])

    def _shared(self, queries: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Mark the elements that are in several sets; or, with two collections, in a query and in a searched set."""
        sets, apart = self._sets, not np.array_equal(queries, self._among)
        some = np.concatenate((queries, self._among)) if apart else queries
        sides = np.repeat(np.array([1, 2], np.uint8), (len(queries), len(self._among)))
        sizes = sets.sizes[some].astype(np.int64)
        marks = np.zeros(slots_for(int(sizes.sum()), len(some)) // 4, np.uint8), np.zeros(1, np.uint16)

        def mark(part: slice) -> None:
            begins = sets.begins[some[part]]
            marked_sides = sides[part] if apart else sides[:0]
            mark_elements(sets.elements, begins, begins + sizes[part], marked_sides, *marks)

        for _ in self._threads.map(mark, slices(sizes, MARKED_AT_A_TIME)):
            sets.trim()
        return marks[0]


class Lists:
    """Lists of which of some sets have an element, for each shared element."""

    def __init__(self, sets: Sets, base: NDArray[np.int32], shared: NDArray[np.uint8], k: int) -> None:
        self._sets = sets
        self._k = k
        self._local = threading.local()
        base = base[np.argsort(sets.sizes[base], kind="stable")]
        self._base = (sets.sizes[base], base, np.arange(len(base), dtype=np.int32))
        room = int(sets.sizes[base].sum(dtype=np.int64)) + 1
        keys, members = np.empty(room, np.uint64), np.empty(room, np.int32)
        filled = kernels.gather_shared(sets.elements, sets.begins[base], sets.sizes[base], shared, keys, members)
        keys, members = keys[:filled].copy(), members[:filled].copy()
        group_keys(keys, members)
        distinct = np.count_nonzero(keys[1:] != keys[:-1]) + 1
        table = np.empty(power_of_two(2 * distinct), np.uint64)
        begins, ends = np.empty((2, len(table)), np.int32)
        kernels.index_lists(keys, table, begins, ends)
        self._index = (table, begins, ends, members)

    def search_task(self, queries: NDArray[np.int32], best: Best, goal: tuple[int, float]) -> Any:  # noqa: ANN401 - a function
        """Return a function that answers a part of the queries, and returns it with the number of sets compared."""
        sets = self._sets
        largest = int(sets.sizes[queries].max(initial=0))

        def search(part: slice) -> tuple[slice, int]:
            some = queries[part]
            query_sets = (sets.elements, sets.begins[some], sets.sizes[some], some)
            found = best.items[part], best.scores[part]
            return part, kernels.find_nearest(query_sets, self._base, self._index, goal, self._work(largest), found)

        return search

    def _work(self, largest: int) -> tuple[Any, ...]:
        """Return the working memory of this thread, which is reused."""
        if not hasattr(self._local, "work"):
            count = len(self._base[0])
            room = np.zeros(count, np.int32), np.empty(count + 1, np.int32), np.empty(largest, np.int64)
            leaders = np.empty((1, self._k + 1), np.int32), np.empty((1, self._k + 1))
            self._local.work = *room, leaders
        work: tuple[Any, ...] = self._local.work
        return work
