"""Exact search among sets that compares all with all, by their outlines.

Where sets share a template, or have few elements to choose from, no element is rare: a prefix leads to nearly every
other set, time and again. Comparing the outlines of two sets takes a nanosecond, so that all of them are compared
sooner, once each. Sets are in order of size, which leaves out those that are too large for another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.kernels import outlines as kernels
from lookalike.lsh.buckets import BUDGET, Candidates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Join, Seen
    from lookalike.resources.threads import Threads
    from lookalike.store.sets import Sets

WORDS = (2, 4, 8, 16, 32, 64)
"""The possible numbers of words per outline."""

MAX_BYTES = 1 << 27
"""The maximum size of all outlines."""

TILE = 1024
"""Sets whose outlines are compared with several pivots, while they are in the CPU cache."""

PAIRS_AT_A_TIME = 1 << 21
"""Pairs of sets compared per task."""

PIVOTS_AT_A_TIME = 256
"""The maximum number of pivots per task."""

MIN_PAIRS, MAX_PAIRS = 1 << 22, 1 << 27
"""Pairs compared before candidates are verified: more of them if few become candidates."""

PATIENT = 32
"""The maximum number of pivots taken at a time where pairs unite items."""

SHARES = 64
"""The number of rounds of a long search."""

ELEMENTS_AT_A_TIME = 1 << 20
"""Elements of sets processed per task."""

INITIAL_ROOM = 1 << 14
"""The initial room for candidates of a task."""


def allowed_differences(size: float, min_jaccard: float) -> float:
    """Return in how many elements two sets of a size may differ, to be a pair."""
    return 2 * size * (1 - min_jaccard) / (1 + min_jaccard)


@dataclass
class AllPairs:
    """A search that compares the outlines of all sets, in rounds."""

    sets: Sets
    members: NDArray[np.int32]
    """The items to compare, whose sets are made."""
    goal: tuple[int, float]
    words: int
    """The number of words per outline."""
    threads: Threads
    only: bool
    """Whether it is the only search of a run: candidates cannot have been seen before."""
    seconds: float
    """How long it is expected to take, on one core."""

    def __post_init__(self) -> None:
        self._order = np.argsort(self.sets.sizes[self.members], kind="stable")
        self._items = self.members[self._order]
        self._sizes = self.sets.sizes[self._items]
        self._ends = np.empty(len(self._items), np.int64)
        kernels.window_ends(self.goal, self._sizes, self._ends)
        self._work = self._ends - np.arange(len(self._ends))
        self._slices = list(slices(self._work, max(int(self._work.sum()) // SHARES, MIN_PAIRS)))
        self.shares = len(self._slices)
        self._room = INITIAL_ROOM

    def buckets(self, width: int) -> Iterator[SizeRange]:
        """Yield the pivots of each round. `width` is the number of pivots taken at first."""
        columns = self._draw()
        pace = Pace(width)
        for pivots in self._slices:
            yield SizeRange(self, columns, pivots, pace)

    def close(self) -> None:
        """Do nothing: outlines are drawn when they are searched."""

    def _draw(self) -> NDArray[np.uint64]:
        """Return the outlines of all sets: a row per word, in order of size."""
        columns = np.empty((self.words, len(self.members)), np.uint64)
        place = np.empty_like(self._order)
        place[self._order] = np.arange(len(place))

        def draw(part: slice) -> None:
            some = self.members[part]
            begins = self.sets.begins[some]
            drawn = np.empty((len(some), self.words), np.uint64)
            members = np.arange(len(some), dtype=np.int32)
            kernels.draw_outlines(self.sets.elements, begins, begins + self.sets.sizes[some], members, drawn)
            columns[:, place[part]] = drawn.T

        for _ in self.threads.map(draw, slices(self.sets.sizes[self.members].astype(np.int64), ELEMENTS_AT_A_TIME)):
            self.sets.trim()
        return columns

    def steps(self, pivots: slice, pace: Pace) -> Iterator[slice]:
        """Cut pivots as the pace asks, which may change from step to step."""
        begin = pivots.start
        while begin < pivots.stop:
            done = np.cumsum(self._work[begin : min(begin + pace.pivots, pivots.stop)])
            end = begin + max(int(np.searchsorted(done, pace.pairs, side="right")), 1)
            yield slice(begin, end)
            begin = end

    def candidates(
        self, columns: NDArray[np.uint64], step: slice, roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> Candidates:
        """Return the candidates of some pivots."""
        weights = np.maximum(self._work[step], PAIRS_AT_A_TIME // PIVOTS_AT_A_TIME)
        tasks = [(step.start + part.start, step.start + part.stop) for part in slices(weights, PAIRS_AT_A_TIME)]
        found = list(self.threads.map(lambda task: self._propose(columns, task, roots, sides), tasks))
        left, right = (np.concatenate(side) for side in zip(*found, strict=True))
        return Candidates(left, right)

    def _propose(
        self, columns: NDArray[np.uint64], task: tuple[int, int], roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        apart, allowed = np.empty((2, TILE), np.int32)
        listed = (self._items, self._sizes, self._ends)
        room, count = 0, self._room
        while count > room:
            room = count
            left, right = np.empty((2, room), np.int32)
            count = kernels.propose_all(task, listed, columns, roots, sides, self.goal, (apart, allowed), left, right)
        self._room = max(self._room, count)
        return left[:count].copy(), right[:count].copy()


@dataclass
class Pace:
    """How much is compared before candidates are verified.

    Where it begins with few pivots, pairs unite items, which need no comparison from then on: many candidates at a
    time would be compared in vain.
    """

    pivots: int
    pairs: int = MIN_PAIRS

    def __post_init__(self) -> None:
        self._max_pivots = BUDGET if self.pivots >= BUDGET else PATIENT

    def adapt(self, candidates: int) -> None:
        """Compare more at a time, or less where candidates are many."""
        self.pivots = min(2 * self.pivots, self._max_pivots)
        if candidates > BUDGET:
            self.pairs = max(self.pairs // 2, MIN_PAIRS)
        elif candidates < BUDGET // 8:
            self.pairs = min(2 * self.pairs, MAX_PAIRS)


@dataclass(frozen=True)
class SizeRange:
    """Sets of some sizes: pivots that are compared with all sets that are larger."""

    search: AllPairs
    columns: NDArray[np.uint64]
    pivots: slice
    pace: Pace

    def proposals(
        self,
        roots: NDArray[np.int32],
        sides: NDArray[np.uint8],
        seen: Seen,
        join: Join,  # noqa: ARG002 - there is nothing to split
    ) -> Iterator[Candidates]:
        """Yield candidates until nothing is left. The caller may unite `roots` in between."""
        for step in self.search.steps(self.pivots, self.pace):
            found = self.search.candidates(self.columns, step, roots, sides)
            self.pace.adapt(len(found))
            if self.search.only:
                seen.count(found)
            else:
                found = seen.new(found.left, found.right)
            if len(found):
                yield found
