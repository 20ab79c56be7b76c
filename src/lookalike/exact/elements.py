"""Exact search among sets of elements: the prefix filter, and outlines of the sets.

The elements of baskets are not as rare as the shingles of texts. Even the rarest elements of a set are in many other
sets that share nothing else with it, so it pays to find the rarest: sets are read whole rather than sampled. Outlines
reject most of the sets that collide, at a small part of the cost of comparing them.
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
"""The possible numbers of words per outline."""

UNSHARED = 0.8
"""The typical share of its elements that a set does not share with a set it collides with."""

CLEAR_MARGIN = 1.5
"""Outlines are long enough if those of dissimilar sets differ in this many times the bits that those of a pair may."""

COLLISIONS_AT_A_TIME = 1 << 20
"""Collisions checked per task."""

MIN_COLLISIONS, MAX_COLLISIONS = 1 << 22, 1 << 25
"""Collisions checked before candidates are verified: more of them if few become candidates."""

MAX_GROUPED = 1 << 19
"""The maximum number of entries grouped at a time."""

MIN_PIVOTS = 16
"""The minimum number of pivots taken of a bucket, if it has that many."""

INITIAL_ROOM = 1 << 14
"""The initial room for candidates of a task."""


@dataclass(frozen=True, slots=True)
class ElementFilter(PrefixFilter):
    """Prefix filter that finds the rare elements of all items, or of some."""

    def among_all(self) -> ElementPrefixes:
        """Return the rare elements of all items."""
        return ElementPrefixes(self, Samples(self.items, self.compared), ALL)

    def among(self, members: NDArray[np.int32]) -> ElementPrefixes:
        """Return the rare elements of some items."""
        return ElementPrefixes(self, Whole(self.sets, members), ALL)


class ElementBuckets(PrefixBuckets):
    """Buckets of items that share a rare element. Only items whose outlines are close become candidates."""

    def __init__(self, *grouped: Any, outlines: NDArray[np.uint64], threads: Threads) -> None:  # noqa: ANN401 - as they come
        super().__init__(*grouped)
        self._outlines = outlines
        self._threads = threads
        self._collisions = MIN_COLLISIONS

    def _propose(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Take the next pivots of as many buckets as the collision limit allows, but of at least one."""
        remaining = self._bounds[:, 1] - self._pivots
        max_pivots = np.maximum(self._collisions // remaining, MIN_PIVOTS)
        widths = np.minimum(np.minimum(max_pivots, self._widths), remaining - 1)
        some = max(int(np.searchsorted(np.cumsum(widths * remaining), self._collisions, side="right")), 1)
        rows = cut_rows(self._pivots[:some], widths[:some], self._bounds[:some, 1])
        tasks = slices((rows[:, 1] - rows[:, 0]) * (rows[:, 2] - rows[:, 0]), COLLISIONS_AT_A_TIME)
        parts = list(self._threads.map(lambda task: self._check_outlines(rows[task], roots, sides), tasks))
        left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
        self._pivots[:some] += widths[:some]
        self._widths[:some] = np.minimum(2 * self._widths[:some], BUDGET)
        if len(left) > BUDGET:
            self._collisions = max(self._collisions // 2, MIN_COLLISIONS)
        elif len(left) < BUDGET // 8:
            self._collisions = min(2 * self._collisions, MAX_COLLISIONS)
        return left, right

    def share_kept(self, count: int) -> float:
        """Return the share of the first collisions among `count` items that become candidates, and consume them."""
        roots = np.arange(count, dtype=np.int32)
        if not self._narrow(roots):
            return 0.0
        before = self._pivots.copy()
        left, _ = self._propose(roots, np.empty(0, np.uint8))
        collided = (self._pivots - before) * (self._bounds[:, 1] - before)
        return len(left) / int(collided.sum())

    def _check_outlines(
        self, rows: NDArray[np.int64], roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the candidates of some pivots: the items whose outlines are close enough."""
        largest = int((rows[:, 2] - rows[:, 0]).max())
        held, rests, sizes, kept = np.empty((4, largest), np.int32)
        work = (held, rests, sizes, *np.empty((2, largest), np.uint64), kept)
        room, count = 0, INITIAL_ROOM
        while count > room:
            room = count
            left, right = np.empty((2, room), np.int32)
            count = kernels.propose_by_outlines(
                self._items, rows, roots, sides, self._sets, self._outlines, self._goal, work, left, right
            )
        return left[:count], right[:count]


def cut_rows(pivots: NDArray[np.int64], widths: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pivots of buckets in rows with a limited number of collisions: first, end, end of the bucket."""
    max_pivots = np.maximum(COLLISIONS_AT_A_TIME // (ends - pivots), MIN_PIVOTS)
    pieces = -(-widths // max_pivots)
    bucket = np.repeat(np.arange(len(pivots)), pieces)
    piece = np.arange(len(bucket)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first = pivots[bucket] + piece * max_pivots[bucket]
    last = np.minimum(first + max_pivots[bucket], (pivots + widths)[bucket])
    return np.stack((first, last, ends[bucket]), axis=1)


def frequencies(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the approximate frequency of the element of each key."""
    return keys >> COUNT & np.uint64(ANY)


def words_for(size: float, min_jaccard: float) -> int:
    """Return the number of words in which outlines separate dissimilar sets of a size from pairs."""
    allowed = 2 * size * (1 - min_jaccard) / (1 + min_jaccard)
    for words in WORDS:
        bits = 64 * words
        if bits / 2 * -math.expm1(-4 * UNSHARED * size / bits) >= CLEAR_MARGIN * allowed:
            return words
    return WORDS[-1]


class ElementPrefixes(Prefixes):
    """The rare elements of sets, and the outlines of the sets."""

    def __init__(self, element_filter: ElementFilter, parts: Samples | Whole, below: int) -> None:
        self.mean_size = parts.total / max(len(parts.members), 1)
        self._outlines = np.empty((len(parts.sizes), words_for(self.mean_size, element_filter.min_jaccard)), np.uint64)
        self._frequencies: list[int] = []
        super().__init__(element_filter, parts, below)

    def _grouped_entries(self) -> int:
        """Return the number of entries grouped at a time: few, since several threads group at once."""
        return min(super()._grouped_entries(), MAX_GROUPED)

    def _fill(self, part: Part, marks: Marks, out: Out) -> int:
        kernels.draw_outlines(part.elements, part.begins, part.ends, part.members, self._outlines)
        filled = super()._fill(part, marks, out)
        self._frequencies.append(int(frequencies(out[0][:filled]).sum()))
        return filled

    @property
    def max_collisions(self) -> int:
        """The approximate maximum number of collisions: as if each element of a set were in its prefix."""
        return sum(self._frequencies) // 2

    def share_kept(self) -> float:
        """Return the share of collisions that become candidates, estimated from the first ones."""
        return self.group(0, BUDGET).share_kept(len(self._sizes))

    def group(self, share: int, width: int) -> ElementBuckets:
        """Return the buckets of one share."""
        grouped = (*self._load(share), self._sizes, self._filter.goal, width)
        return ElementBuckets(*grouped, outlines=self._outlines, threads=self._filter.threads)
