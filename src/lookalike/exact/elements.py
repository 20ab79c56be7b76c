"""Exact search among sets of elements: the prefix filter, and outlines of the sets.

The elements of baskets are not as rare as the shingles of texts. Even the rarest that a set has are in many others with
which it has nothing else in common, and the rarest are worth finding: sets are taken whole. Outlines tell most of those
who meet apart, for a small part of what it takes to compare them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.exact.prefixes import ALL, PrefixBuckets, Prefixes, PrefixFilter, Samples, Whole
from lookalike.kernels import outlines as kernels
from lookalike.kernels.prefix import ANY, COUNT
from lookalike.lsh.buckets import BUDGET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.exact.prefixes import Marks, Out, Part
    from lookalike.resources.threads import Threads

WORDS = (2, 4, 8)
"""Words that an outline may have."""

UNLIKE = 0.8
"""Share of its elements that a set has alone, mostly, when it meets another."""

CLEAR = 1.5
"""Outlines are long enough if they differ so many times as much as those of a pair may, where sets are unlike."""

MEETINGS_AT_A_TIME = 1 << 20
"""Meetings that a task looks at."""

LEAST_MEETINGS, MOST_MEETINGS = 1 << 22, 1 << 25
"""Meetings that are looked at before candidates are verified: the more, the fewer of them become candidates."""

TOGETHER = 1 << 19
"""Entries that are grouped at a time, at most."""

LEAST_PIVOTS = 16
"""Pivots of a bucket for which it is laid out, at least, if there are so many."""

ROOM = 1 << 14
"""Candidates for which a task has room at first."""


@dataclass(frozen=True, slots=True)
class ElementFilter(PrefixFilter):
    """Finds the rare elements of all items, or of some."""

    def everywhere(self) -> ElementPrefixes:
        """Return the rare elements of all items."""
        return ElementPrefixes(self, Samples(self.items, self.compared), ALL)

    def among(self, members: NDArray[np.int32]) -> ElementPrefixes:
        """Return the rare elements of some items."""
        return ElementPrefixes(self, Whole(self.sets, members), ALL)


class ElementBuckets(PrefixBuckets):
    """Items that share a rare element. Only those whose outlines allow it become candidates."""

    def __init__(self, *grouped: Any, outlines: NDArray[np.uint64], threads: Threads) -> None:  # noqa: ANN401 - as they come
        super().__init__(*grouped)
        self._outlines = outlines
        self._threads = threads
        self._meetings = LEAST_MEETINGS

    def _propose(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Take the next pivots of as many buckets as is well, at least of one."""
        behind = self._bounds[:, 1] - self._pivots
        most = np.maximum(self._meetings // behind, LEAST_PIVOTS)
        widths = np.minimum(np.minimum(most, self._widths), behind - 1)
        some = max(int(np.searchsorted(np.cumsum(widths * behind), self._meetings, side="right")), 1)
        rows = cut_rows(self._pivots[:some], widths[:some], self._bounds[:some, 1])
        tasks = slices((rows[:, 1] - rows[:, 0]) * (rows[:, 2] - rows[:, 0]), MEETINGS_AT_A_TIME)
        parts = list(self._threads.map(lambda task: self._look(rows[task], roots, sides), tasks))
        left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
        self._pivots[:some] += widths[:some]
        self._widths[:some] = np.minimum(2 * self._widths[:some], BUDGET)
        if len(left) > BUDGET:
            self._meetings = max(self._meetings // 2, LEAST_MEETINGS)
        elif len(left) < BUDGET // 8:
            self._meetings = min(2 * self._meetings, MOST_MEETINGS)
        return left, right

    def share_kept(self, count: int) -> float:
        """Return the share of the first comparisons, among so many items, that leave a candidate; and use them up."""
        roots = np.arange(count, dtype=np.int32)
        if not self._narrow(roots):
            return 0.0
        before = self._pivots.copy()
        left, _ = self._propose(roots, np.empty(0, np.uint8))
        met = (self._pivots - before) * (self._bounds[:, 1] - before)
        return len(left) / int(met.sum())

    def _look(
        self, rows: NDArray[np.int64], roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the candidates of some pivots."""
        largest = int((rows[:, 2] - rows[:, 0]).max())
        held, rests, sizes, kept = np.empty((4, largest), np.int32)
        work = (held, rests, sizes, *np.empty((2, largest), np.uint64), kept)
        room, count = 0, ROOM
        while count > room:
            room = count
            left, right = np.empty((2, room), np.int32)
            count = kernels.propose_by_outlines(
                self._items, rows, roots, sides, self._sets, self._outlines, self._goal, work, left, right
            )
        return left[:count], right[:count]


def cut_rows(pivots: NDArray[np.int64], widths: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return so many pivots of each bucket in rows, of few enough meetings each: first, last but one, end of bucket."""
    most = np.maximum(MEETINGS_AT_A_TIME // (ends - pivots), LEAST_PIVOTS)
    pieces = -(-widths // most)
    bucket = np.repeat(np.arange(len(pivots)), pieces)
    piece = np.arange(len(bucket)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first = pivots[bucket] + piece * most[bucket]
    last = np.minimum(first + most[bucket], (pivots + widths)[bucket])
    return np.stack((first, last, ends[bucket]), axis=1)


def frequencies(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return how frequent the elements of keys are, about: by that keys are ordered."""
    return keys >> COUNT & np.uint64(ANY)


def words_for(size: float, least: float) -> int:
    """Return how long outlines must be to tell sets of a size apart, where pairs have at least this similarity."""
    allowed = 2 * size * (1 - least) / (1 + least)
    for words in WORDS:
        bits = 64 * words
        if bits / 2 * -math.expm1(-4 * UNLIKE * size / bits) >= CLEAR * allowed:
            return words
    return WORDS[-1]


class ElementPrefixes(Prefixes):
    """The rare elements of sets, and the outlines of these."""

    def __init__(self, element_filter: ElementFilter, parts: Samples | Whole, below: int) -> None:
        self.mean_size = parts.total / max(len(parts.members), 1)
        self._outlines = np.empty((len(parts.sizes), words_for(self.mean_size, element_filter.min_jaccard)), np.uint64)
        self._met: list[int] = []
        super().__init__(element_filter, parts, below)

    def _together(self) -> int:
        """Return how many entries are grouped at a time: few, as threads group several of them at once."""
        return min(super()._together(), TOGETHER)

    def _fill(self, part: Part, marks: Marks, out: Out) -> int:
        kernels.draw_outlines(part.elements, part.begins, part.ends, part.members, self._outlines)
        filled = super()._fill(part, marks, out)
        self._met.append(int(frequencies(out[0][:filled]).sum()))
        return filled

    @property
    def max_meetings(self) -> int:
        """How often sets meet at most, about: as if whoever has an element were found by it."""
        return sum(self._met) // 2

    def share_kept(self) -> float:
        """Return the share of comparisons that leave a candidate, as some of them show it."""
        return self.group(0, BUDGET).share_kept(len(self._sizes))

    def group(self, share: int, width: int) -> ElementBuckets:
        """Return the buckets of one share."""
        grouped = (*self._load(share), self._sizes, self._filter.goal, width)
        return ElementBuckets(*grouped, outlines=self._outlines, threads=self._filter.threads)
