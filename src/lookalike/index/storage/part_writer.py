"""Writes parts: from new items, or from other parts without their deleted items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.arrays.groups import find_groups
from lookalike.features.shingles import in_order
from lookalike.index.storage.container import ContainerWriter
from lookalike.index.storage.postings import build_directory, codes_of, halves
from lookalike.kernels.postings import LOW_HALF
from lookalike.store.copies import mark_copies
from lookalike.store.ids import hash_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.index.storage.packed import Packed
    from lookalike.index.storage.part import Part
    from lookalike.resources.threads import Threads

UPPER = ~LOW_HALF
FORMAT = 1
MIN_THREADED = 10_000
"""Items from which on several threads sort keys faster than one."""


@dataclass(frozen=True, slots=True)
class RenumberedPostings:
    """Postings of another part, read band by band, with the new numbers of its items."""

    postings: NDArray[np.uint64]
    new_numbers: NDArray[np.int64]
    """The new number of each item; -1 if it is dropped."""

    def __len__(self) -> int:
        return len(self.postings)

    def __getitem__(self, band: int) -> NDArray[np.uint64]:
        postings = self.postings[band]
        members = self.new_numbers[(postings & LOW_HALF).astype(np.int64)]
        kept = members >= 0
        renumbered: NDArray[np.uint64] = (postings[kept] & UPPER) | members[kept].astype(np.uint64)
        return renumbered


class PartWriter:
    """Writes items, added batch by batch, as one part. Packed items are written at once; the rest is small."""

    def __init__(self, file: IO[bytes], threads: Threads) -> None:
        self._writer = ContainerWriter(file)
        self._writer.begin("items", np.uint8)
        self._threads = threads
        self._lengths: list[NDArray[np.int64]] = []
        self._sizes: list[NDArray[np.uint32]] = []
        self._prints: list[NDArray[np.uint64]] = []
        self._postings: list[NDArray[np.uint64] | RenumberedPostings] = []
        self._rows: list[pa.Table] = []
        self.count = 0

    def add(
        self,
        packed: Packed,
        rows: pa.Table,
        keys: NDArray[np.uint64],
        prints: NDArray[np.uint64],
        sizes: NDArray[np.int64],
    ) -> None:
        """Add new items with their keys, fingerprints and sizes; `rows` has their ids and fields."""
        self._writer.write(np.frombuffer(packed.data, np.uint8))
        self._lengths.append(packed.lengths)
        present = np.flatnonzero(prints[:, 0])
        members = (present + self.count).astype(np.uint64)
        self._postings.append((keys[:, present] & UPPER) | members)
        self._add_rows(rows, prints, sizes)

    def copy(self, part: Part, alive: NDArray[np.bool_] | None) -> None:
        """Add the items of a part, without re-signing them: those that are `alive`, or all if None."""
        kept = np.arange(part.count) if alive is None else np.flatnonzero(alive)
        lengths = np.diff(part.offsets)[kept]
        if alive is None:
            self._writer.write(part.container.column("items"))
        else:
            self._write_some(part, kept)
        self._lengths.append(lengths)
        self._postings.append(RenumberedPostings(part.postings.postings, self._new_numbers(part, kept)))
        rows = part.rows if alive is None else part.rows.take(as_arrow(kept))
        self._add_rows(rows, part.prints[kept], part.sizes[kept])

    def _write_some(self, part: Part, kept: NDArray[np.int64]) -> None:
        """Write the packed items to keep, one run of consecutive items at a time."""
        items, offsets = part.container.column("items"), part.offsets
        edges = np.flatnonzero(np.diff(kept, prepend=-2) != 1)
        for first, last in zip(edges, np.append(edges[1:], len(kept)) - 1, strict=True):
            self._writer.write(items[offsets[kept[first]] : offsets[kept[last] + 1]])

    def _new_numbers(self, part: Part, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the new number of each item of a part, -1 for items that are dropped.

        An original that was deleted gets the number of its first remaining copy, which takes over its postings.
        """
        numbers = np.full(part.count, -1, np.int64)
        numbers[kept] = np.arange(len(kept)) + self.count
        originals, copies = halves(part.copies)
        lost = (numbers[originals] < 0) & (numbers[copies] >= 0)
        numbers[originals[lost][::-1]] = numbers[copies[lost][::-1]]
        return numbers

    def _add_rows(self, rows: pa.Table, prints: NDArray[np.uint64], sizes: NDArray[Any]) -> None:
        self._rows.append(rows)
        self._prints.append(prints)
        self._sizes.append(sizes.astype(np.uint32))
        self.count += len(sizes)

    def finish(self) -> bytes:
        """Write the remaining columns; return the checksum of the part."""
        writer = self._writer
        writer.end()
        prints = np.concatenate(self._prints)
        original = find_originals(prints)
        writer.column("offsets", np.append(0, np.cumsum(np.concatenate(self._lengths))))
        writer.column("sizes", np.concatenate(self._sizes))
        writer.column("prints", prints)
        self._write_postings(original)
        items = np.arange(self.count)
        copies = items[(original != items) & (original >= 0)]
        writer.column("copies", np.sort(codes_of(original[copies], copies)))
        rows = pa.concat_tables(self._rows, promote_options="default").combine_chunks()
        named = np.sort((hash_ids(rows.column(0).combine_chunks()) & UPPER) | items.astype(np.uint64))[None, :]
        writer.column("named", named)
        writer.column("named_directory", build_directory(named))
        writer.column("rows", arrow_stream(rows))
        return writer.finish({"format": FORMAT, "count": self.count})

    def _write_postings(self, original: NDArray[np.int32]) -> None:
        """Write the sorted postings of each band, with identical items listed once, under the original."""
        bands = len(self._postings[0])

        def make(band: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
            unsorted = np.concatenate([some[band] for some in self._postings])
            originals = original[(unsorted & LOW_HALF).astype(np.int64)].astype(np.uint64)
            postings = in_order((unsorted & UPPER) | originals)
            return postings, build_directory(postings[None, :])[0]

        few = self.count < MIN_THREADED
        directories, width = [np.empty((0, 0), np.uint32)], 0
        self._writer.begin("postings", np.uint64)
        for postings, directory in map(make, range(bands)) if few else self._threads.map(make, range(bands)):
            self._writer.write(postings)
            directories.append(directory[None, :])
            width = len(postings)
        self._writer.end(bands, width)
        self._postings.clear()
        self._writer.column("directory", np.concatenate(directories[1:] or directories))


def find_originals(prints: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return, for each item, the first one with the same fingerprint; -1 for an empty item."""
    items = np.arange(len(prints), dtype=np.int32)
    original = items.copy()
    keys = prints[:, 0].copy()
    present = keys != 0
    original[~present] = -1
    repeated, bounds = find_groups(keys, items[present])
    if len(repeated):
        mark_copies(repeated, bounds, np.ascontiguousarray(prints[:, 1]), original)
    return original


def arrow_stream(rows: pa.Table) -> NDArray[np.uint8]:
    """Return a table as the bytes of an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return np.frombuffer(sink.getvalue(), np.uint8)
