"""Buckets of items that share a band key, and the candidates in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.arrays.groups import find_groups
from lookalike.kernels import buckets as kernels

if TYPE_CHECKING:
    from lookalike.resources.threads import Threads

BUDGET = 1 << 21
"""The maximum number of candidates proposed at a time."""

ALL = BUDGET
"""The initial number of pivots when all pairs are wanted."""

ONE = 1
"""The initial number of pivots when only components are wanted: the first often unites the others."""

LARGE = 512
"""The minimum number of items for which a bucket is worth a join."""

PATIENCE = 8
"""The number of pivots at a time from which a large bucket counts as stubborn: seven pivots did not unite it."""

MAX_SEEN = 1 << 23
"""Candidates remembered, so that they are not compared again. Beyond that, some are compared once per band."""

MAX_SEEN_EXACT = 1 << 26
"""The same in an exact search, where similar items share many elements and so many buckets."""

SORTED_TOGETHER = 1 << 23
"""The maximum number of items for which several bands are sorted at a time."""


Join = Callable[[NDArray[np.int32]], Iterator["Proposer"]]
"""Splits a large bucket whose items do not unite into smaller buckets, by the contents of the items."""


class Banded(Protocol):
    """Items with one key per band."""

    @property
    def count(self) -> int:
        """The number of items."""

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""


class Proposer(Protocol):
    """Items that may be similar, and the comparisons left among them."""

    def proposals(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8], seen: Seen, join: Join
    ) -> Iterator[Candidates]:
        """Yield candidates until nothing is left. The caller may unite `roots` in between."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of items that share a bucket and were not compared before. Their similarity is unknown."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.left)


def concatenate(parts: Sequence[Candidates]) -> Candidates:
    """Return the candidates of several parts as one."""
    return Candidates(
        *(np.concatenate(side) for side in zip(*((part.left, part.right) for part in parts), strict=True))
    )


class Seen:
    """The candidates proposed so far, as many as memory allows."""

    def __init__(self, max_known: int) -> None:
        self._max_known = max_known
        self._table = np.zeros(1 << 12, np.uint64)
        self._known = 0
        self.proposed = 0

    def new(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> Candidates:
        """Return the candidates not seen before, and remember them."""
        self._make_room(len(left))
        room = min(self._table.size // 2, self._max_known) - self._known
        count, left_over = kernels.unseen(left, right, self._table, room)
        self._known += room - left_over
        self.proposed += count
        return Candidates(left[:count], right[:count])

    def count(self, candidates: Candidates) -> None:
        """Count candidates that cannot have been seen before."""
        self.proposed += len(candidates)

    def _make_room(self, more: int) -> None:
        wanted = min(self._known + more, self._max_known)
        if self._table.size >= 2 * wanted:
            return
        size = self._table.size
        while size < 2 * wanted:
            size *= 2
        codes = self._table[self._table != 0] - np.uint64(1)
        self._table = np.zeros(size, np.uint64)
        left = (codes >> np.uint64(32)).astype(np.int32)
        kernels.unseen(left, (codes & np.uint64(0xFFFFFFFF)).astype(np.int32), self._table, len(codes))


class Buckets:
    """The buckets of one band, with the comparisons left in them.

    Each bucket is processed pivot by pivot: a pivot is a candidate with every later item of another component. If the
    first pivots unite most of a bucket, little is left to compare; if not, more pivots are taken at a time.
    """

    def __init__(self, items: NDArray[np.int32], bounds: NDArray[np.int64], width: int) -> None:
        self._items = items
        self._bounds = np.stack((bounds[:-1], bounds[1:]), axis=1)
        self._pivots = bounds[:-1].copy()
        self._widths = np.full(len(bounds) - 1, width, np.int64)
        self._work = np.empty(int(np.diff(bounds).max(initial=0)), np.int32)

    def members(self) -> list[NDArray[np.int32]]:
        """Return the items of each bucket, as long as nothing has been proposed."""
        return [self._items[begin:end] for begin, end in self._bounds]

    def proposals(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8], seen: Seen, join: Join
    ) -> Iterator[Candidates]:
        """Yield candidates until every bucket is done. The caller may unite `roots` in between.

        A large bucket that its first pivots have not united is passed to `join`, which splits it by its sets.
        """
        while self._narrow(roots):
            for items in self._take_stubborn():
                for buckets in join(items):
                    yield from buckets.proposals(roots, sides, seen, join)
            left, right = self._propose(roots, sides)
            if len(left):
                yield seen.new(left, right)

    def _take_stubborn(self) -> list[NDArray[np.int32]]:
        """Remove the large buckets that are still not united, and return the items left in them."""
        remaining = self._bounds[:, 1] - self._pivots
        stubborn = (remaining >= LARGE) & (self._widths >= PATIENCE)
        taken = [
            self._items[pivot:end] for pivot, end in zip(self._pivots[stubborn], self._bounds[stubborn, 1], strict=True)
        ]
        self._bounds, self._pivots, self._widths = (
            column[~stubborn] for column in (self._bounds, self._pivots, self._widths)
        )
        return taken

    def _narrow(self, roots: NDArray[np.int32]) -> int:
        before = len(self._pivots)
        left = self._narrowed(roots)
        if left < before:
            self._bounds, self._pivots, self._widths = self._bounds[:left], self._pivots[:left], self._widths[:left]
        return left

    def _narrowed(self, roots: NDArray[np.int32]) -> int:
        """Drop the finished buckets, and return how many are left."""
        return int(kernels.narrow(self._items, self._bounds, self._pivots, self._widths, roots, self._work))

    def _propose(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Take the next pivots of as many buckets as the budget allows, but of at least one."""
        remaining = self._bounds[:, 1] - self._pivots
        if not len(remaining):
            return np.empty(0, np.int32), np.empty(0, np.int32)
        widths = np.minimum(np.clip(BUDGET // remaining, 1, self._widths), remaining - 1)
        room = np.cumsum(widths * remaining)
        some = max(int(np.searchsorted(room, BUDGET, side="right")), 1)
        left = np.empty(int(room[some - 1]), np.int32)
        right = np.empty_like(left)
        count = self._write(widths[:some], roots, sides, left, right)
        self._widths[:some] = np.minimum(2 * self._widths[:some], BUDGET)
        return left[:count], right[:count]

    def _write(
        self,
        widths: NDArray[np.int64],
        roots: NDArray[np.int32],
        sides: NDArray[np.uint8],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
    ) -> int:
        """Write the candidates of the next pivots, `widths[i]` of bucket i, and return how many there are."""
        bounds, pivots = self._bounds[: len(widths)], self._pivots[: len(widths)]
        return int(kernels.propose(self._items, bounds, pivots, widths, roots, sides, left, right))


def buckets(
    items: Banded, compared: NDArray[np.int32], bands: int, threads: Threads, *, width: int
) -> Iterator[Buckets]:
    """Yield the buckets of each band in turn.

    `compared` holds the items to compare, in order. `width` is the initial number of pivots per bucket.
    """
    at_once = threads.count if len(compared) <= SORTED_TOGETHER else 1
    spare: list[NDArray[np.uint64]] = []

    def sort(band: int) -> Buckets:
        try:
            keys = spare.pop()
        except IndexError:  # not checked beforehand: another thread may take the last one
            keys = np.empty(items.count, np.uint64)
        items.read_band(band, keys)
        found = find_groups(keys, compared)
        spare.append(keys)  # allocating new memory is expensive
        return Buckets(*found, width)

    yield from threads.map(sort, range(bands), ahead=at_once)
