"""Fingerprints of items, and which items are copies of an earlier one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.groups import find_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.resources.scratch import Scratch

NONE = np.int32(-1)


@dataclass(frozen=True)
class Copies:
    """For each item, the first item with the same shingles (itself, mostly); -1 where there are no shingles."""

    original: NDArray[np.int32] = field(repr=False)

    @property
    def originals(self) -> NDArray[np.int32]:
        """The items that stand for themselves and all their copies: only these are compared."""
        indices = np.arange(len(self.original), dtype=np.int32)
        return indices[np.equal(self.original, indices)]

    @property
    def count(self) -> int:
        """How many items are a copy of an earlier one."""
        indices = np.arange(len(self.original), dtype=np.int32)
        return int(np.count_nonzero((self.original != indices) & (self.original != NONE)))


class Prints:
    """Fingerprints of items, on disk: two numbers each, of which the first is 0 if there is nothing of an item."""

    def __init__(self, scratch: Scratch) -> None:
        self._halves = (scratch.column(np.uint64), scratch.column(np.uint64))

    def append(self, prints: NDArray[np.uint64]) -> None:
        """Take those of some items, in order."""
        for column, half in zip(self._halves, prints.T, strict=True):
            column.append(half)

    def present(self, part: slice) -> NDArray[np.bool_]:
        """Return which of some items have features."""
        keys = np.empty(part.stop - part.start, np.uint64)
        self._halves[0].read(part.start, keys)
        return np.asarray(keys != 0)

    def copies(self) -> Copies:
        """Find the items that are the same, and those of which there is nothing; then forget the fingerprints."""
        first, second = self._halves
        keys = np.empty(first.size, np.uint64)
        first.read(0, keys)
        items = np.arange(len(keys), dtype=np.int32)
        original = items.copy()
        there = keys != 0
        original[~there] = NONE
        repeated, bounds = find_groups(keys, items if there.all() else items[there])
        if len(repeated):
            mark_copies(repeated, bounds, second.view(), original)
        self.close()
        return Copies(original)

    def close(self) -> None:
        """Forget the fingerprints."""
        for column in self._halves:
            column.close()


def mark_copies(
    items: NDArray[np.int32], bounds: NDArray[np.int64], second: NDArray[np.uint64], original: NDArray[np.int32]
) -> None:
    """Point each item at the first one with the same fingerprint.

    `items` share the first half of it, bucket by bucket. Nearly always they share the second as well; what does not
    goes through the same again, without the firsts.
    """
    while len(items):
        sizes = np.diff(bounds)
        first = np.repeat(items[bounds[:-1]], sizes)
        same = second[items] == second[first]
        original[items[same]] = first[same]
        bucket = np.repeat(np.arange(len(sizes)), sizes)[~same]
        items = items[~same]
        bounds = np.append(np.flatnonzero(np.diff(bucket, prepend=-1)), len(items))
