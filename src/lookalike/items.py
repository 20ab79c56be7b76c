"""Everything known about the items of a run once they are signed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lookalike.ids import group_keys
from lookalike.kernels.buckets import find_buckets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.scratch import Column, Scratch
    from lookalike.sign import Signed

NONE = np.int32(-1)


@dataclass(frozen=True, slots=True)
class Block:
    """Where the band keys of a batch are: those of band b begin at `begin + b * count`."""

    begin: int
    count: int


class Items:
    """Texts, band keys and fingerprints of all items, on disk; in memory only where each text begins.

    Items with fewer than `fragile` shingles are counted.
    """

    def __init__(self, scratch: Scratch, fragile: float) -> None:
        self.data: Column[np.uint8] = scratch.column(np.uint8)
        self.keys: Column[np.uint64] = scratch.column(np.uint64)
        self.blocks: list[Block] = []
        self._prints = (scratch.column(np.uint64), scratch.column(np.uint64))
        self._offsets: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        self.count = 0
        self.nulls = 0
        self.empty = 0
        self.single = 0
        self.fragile = 0
        self._fragile = fragile

    def append(self, signed: Signed) -> None:
        """Take a signed batch; batches come in order."""
        data, offsets = signed.columns.data, signed.columns.offsets
        begin = self.data.append(data[offsets[0] : offsets[-1]])
        self._offsets.append(offsets[1:] - offsets[0] + begin)
        self.blocks.append(Block(self.keys.append(signed.keys), len(signed.batch)))
        for column, half in zip(self._prints, signed.prints.T, strict=True):
            column.append(half)
        self.count += len(signed.batch)
        self.nulls += signed.batch.texts.null_count
        self.empty += int(np.count_nonzero(signed.counts == 0))
        self.single += int(np.count_nonzero(signed.counts == 1))
        self.fragile += int(np.count_nonzero(signed.counts < self._fragile))

    def finish(self) -> None:
        """Close the books: no more batches will come."""
        self.offsets = np.concatenate(self._offsets)
        self._offsets.clear()

    def band(self, band: int) -> NDArray[np.uint64]:
        """Return the keys of one band, for every item."""
        keys = np.empty(self.count, np.uint64)
        at = 0
        for block in self.blocks:
            self.keys.read(block.begin + band * block.count, keys[at : at + block.count])
            at += block.count
        return keys

    def copies(self) -> Copies:
        """Find the items whose shingles are the same, and those that have none."""
        keys = np.empty(self.count, np.uint64)
        self._prints[0].read(0, keys)
        items = np.arange(self.count, dtype=np.int32)
        original = items.copy()
        original[keys == 0] = NONE
        if self.empty:
            items = items[keys != 0]
            keys = keys[keys != 0]
        group_keys(keys, items)
        bounds = np.empty(len(keys) // 2 + 1, np.int64)
        kept, buckets = find_buckets(keys, items, bounds)
        if kept:
            mark_copies(items[:kept], bounds[: buckets + 1], self._prints[1].view(), original)
        for column in self._prints:
            column.close()
        return Copies(original)


def mark_copies(
    items: NDArray[np.int32], bounds: NDArray[np.int64], second: NDArray[np.uint64], original: NDArray[np.int32]
) -> None:
    """Point each item at the first one with the same fingerprint; `items` share the first half, bucket by bucket."""
    bucket = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    order = np.lexsort((items, second[items], bucket))
    items = items[order]
    halves, bucket = second[items], bucket[order]
    starts = np.ones(len(items), bool)
    starts[1:] = (halves[1:] != halves[:-1]) | (bucket[1:] != bucket[:-1])
    original[items] = items[starts][np.cumsum(starts) - 1]


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
