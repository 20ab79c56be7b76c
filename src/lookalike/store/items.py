"""The items of a run once they are signed: texts, band keys and fingerprints on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.store.copies import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.minhash import Signed
    from lookalike.resources.scratch import Column, Scratch
    from lookalike.store.copies import Copies

MIN_RESIDENT = 8 << 20
"""Bytes of text that may stay in memory after reading; for larger collections a quarter of it, up to a limit."""


@dataclass(frozen=True, slots=True)
class Block:
    """The location of a batch's band keys (those of band b begin at `begin + b * count`), or of its sample."""

    begin: int
    count: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A batch whose texts and keys are on disk, with the values that stay in memory."""

    begins: NDArray[np.int64]
    lengths: NDArray[np.int32]
    block: Block
    prints: NDArray[np.uint64]
    counts: NDArray[np.int64]
    sampled: tuple[NDArray[np.int32], NDArray[np.int32]] | None
    nulls: int


class Items:
    """Texts, band keys and fingerprints of all items, on disk; only the location of each text is in memory.

    Items with fewer than `fragile` shingles are counted.
    """

    def __init__(self, scratch: Scratch, fragile: float) -> None:
        self.data: Column[np.uint8] = scratch.column(np.uint8)
        self.keys: Column[np.uint64] = scratch.column(np.uint64)
        self.blocks: list[Block] = []
        self._prints = Fingerprints(scratch)
        self._begins: list[NDArray[np.int64]] = []
        self._lengths: list[NDArray[np.int32]] = []
        self._sizes: list[NDArray[np.int32]] = []
        self._picked: list[NDArray[np.int32]] = []
        self.count = 0
        self.nulls = 0
        self.empty = 0
        self.single = 0
        self.fragile = 0
        self._fragile = fragile

    def store(self, signed: Signed) -> Stored:
        """Write the texts and keys of a signed batch to disk, in any thread and in any order of batches."""
        data, offsets = signed.columns.data, signed.columns.offsets
        begin = self.data.append(data[offsets[0] : offsets[-1]])
        return Stored(
            begins=offsets[:-1] - offsets[0] + begin,
            lengths=np.diff(offsets).astype(np.int32),
            block=Block(self.keys.append(signed.keys), len(signed.batch)),
            prints=signed.prints,
            counts=signed.counts,
            sampled=signed.sampled,
            nulls=signed.batch.items.null_count,
        )

    def append(self, stored: Stored) -> None:
        """Append a batch that is on disk. Batches must be appended in order."""
        self._begins.append(stored.begins)
        self._lengths.append(stored.lengths)
        self.blocks.append(stored.block)
        if stored.sampled is not None:
            self._picked.append(stored.sampled[0])
            self._sizes.append(stored.sampled[1])
        self._prints.append(stored.prints)
        self.count += stored.block.count
        self.nulls += stored.nulls
        self.empty += int(np.count_nonzero(stored.counts == 0))
        self.single += int(np.count_nonzero(stored.counts == 1))
        self.fragile += int(np.count_nonzero(stored.counts < self._fragile))

    def finish(self) -> None:
        """Complete the collection: no more batches will come."""
        self.data.max_resident = min(max(self.data.size // 4, MIN_RESIDENT), self.data.max_resident)
        self.begins = np.concatenate([np.empty(0, np.int64), *self._begins])
        self._begins.clear()
        self.lengths, self.sizes, self.picked = (
            np.concatenate([np.empty(0, np.int32), *kept]) for kept in (self._lengths, self._sizes, self._picked)
        )
        for kept in (self._lengths, self._sizes, self._picked):
            kept.clear()

    def bounds(self, items: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the offsets in `data` where the texts of items begin and end."""
        return np.stack((self.begins[items], self.begins[items] + self.lengths[items]), axis=1)

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""
        read_band(self.keys, self.blocks, band, keys)

    def parts(self) -> Iterator[NDArray[np.int64]]:
        """Yield the offsets in `data` where the texts of items begin and end, batch by batch."""
        at = 0
        for block in self.blocks:
            yield self.bounds(np.arange(at, at + block.count))
            at += block.count

    def store_keys(self, keys: NDArray[np.uint64]) -> Block:
        """Write the keys of a batch to disk, one row per band, in any thread."""
        return Block(self.keys.append(keys), keys.shape[1])

    def take_keys(self, blocks: list[Block]) -> None:
        """Replace the samples by the keys of all batches."""
        self.blocks = blocks

    def samples(self) -> Iterator[tuple[NDArray[np.uint64], slice]]:
        """Yield the sampled shingles of items, batch by batch, and the range of these items."""
        at = 0
        for block in self.blocks:
            part = slice(at, at + block.count)
            sample = np.empty(int(self.picked[part].sum()), np.uint64)
            self.keys.read(block.begin, sample)
            yield sample, part
            at = part.stop

    def copies(self) -> Copies:
        """Find the items with equal shingles, and those that have none."""
        return self._prints.copies()


def read_band(column: Column[np.uint64], blocks: list[Block], band: int, keys: NDArray[np.uint64]) -> None:
    """Read the keys of one band, block by block."""
    at = 0
    for block in blocks:
        column.read(block.begin + band * block.count, keys[at : at + block.count])
        at += block.count
