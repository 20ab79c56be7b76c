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
    """The first item with the same features, for each item: usually itself; -1 for an item without features."""

    original: NDArray[np.int32] = field(repr=False)

    @property
    def originals(self) -> NDArray[np.int32]:
        """The items that represent themselves and all their copies: only these are compared."""
        indices = np.arange(len(self.original), dtype=np.int32)
        return indices[np.equal(self.original, indices)]

    @property
    def count(self) -> int:
        """The number of items that are a copy of an earlier one."""
        indices = np.arange(len(self.original), dtype=np.int32)
        return int(np.count_nonzero((self.original != indices) & (self.original != NONE)))


class Fingerprints:
    """Fingerprints of items, on disk: two numbers each, of which the first is 0 if an item has no features."""

    def __init__(self, scratch: Scratch) -> None:
        self._halves = (scratch.column(np.uint64), scratch.column(np.uint64))

    def append(self, prints: NDArray[np.uint64]) -> None:
        """Append the fingerprints of some items, in order."""
        for column, half in zip(self._halves, prints.T, strict=True):
            column.append(half)

    def present(self, part: slice) -> NDArray[np.bool_]:
        """Return which of some items have features."""
        keys = np.empty(part.stop - part.start, np.uint64)
        self._halves[0].read(part.start, keys)
        return np.asarray(keys != 0)

    def copies(self) -> Copies:
        """Find equal items, and items without features; then delete the fingerprints."""
        first, second = self._halves
        keys = np.empty(first.size, np.uint64)
        first.read(0, keys)
        items = np.arange(len(keys), dtype=np.int32)
        original = items.copy()
        present = keys != 0
        original[~present] = NONE
        repeated, bounds = find_groups(keys, items if present.all() else items[present])
        if len(repeated):
            mark_copies(repeated, bounds, second.view(), original)
        self.close()
        return Copies(original)

    def close(self) -> None:
        """Delete the fingerprints."""
        for column in self._halves:
            column.close()


def mark_copies(
    items: NDArray[np.int32], bounds: NDArray[np.int64], second: NDArray[np.uint64], original: NDArray[np.int32]
) -> None:
    """Set the original of each item to the first item with the same fingerprint.

    `items` share the first half of their fingerprint, bucket by bucket. Nearly always they share the second half too;
    those that do not are processed again, without the originals found so far.
    """
    while len(items):
        sizes = np.diff(bounds)
        first = np.repeat(items[bounds[:-1]], sizes)
        same = second[items] == second[first]
        original[items[same]] = first[same]
        bucket = np.repeat(np.arange(len(sizes)), sizes)[~same]
        items = items[~same]
        bounds = np.append(np.flatnonzero(np.diff(bucket, prepend=-1)), len(items))
