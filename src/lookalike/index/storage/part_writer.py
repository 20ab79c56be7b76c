"""Makes parts: of new items, or of other parts without what was deleted from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.arrays.groups import find_groups
from lookalike.features.shingles import in_order
from lookalike.index.storage.container import ContainerWriter
from lookalike.index.storage.part import directory_of
from lookalike.kernels.postings import HALF, LOW_HALF
from lookalike.store.ids import hash_ids
from lookalike.store.items import mark_copies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.index.pack import Packed
    from lookalike.index.storage.part import Part
    from lookalike.resources.threads import Threads

UPPER = ~LOW_HALF
FORMAT = 1
MANY = 10_000
"""Items from which several threads sort their keys in less time than one."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Postings of another part, read band by band, with items under their new numbers."""

    postings: NDArray[np.uint64]
    places: NDArray[np.int64]
    """The new number of each item; -1 if it is not kept."""

    def __len__(self) -> int:
        return len(self.postings)

    def __getitem__(self, band: int) -> NDArray[np.uint64]:
        postings = self.postings[band]
        members = self.places[(postings & LOW_HALF).astype(np.int64)]
        kept = members >= 0
        moved: NDArray[np.uint64] = (postings[kept] & UPPER) | members[kept].astype(np.uint64)
        return moved


class PartWriter:
    """Takes items, some at a time, and writes them as one part. Packed items go out at once; the rest is small."""

    def __init__(self, file: IO[bytes], threads: Threads) -> None:
        self._writer = ContainerWriter(file)
        self._writer.begin("items", np.uint8)
        self._threads = threads
        self._lengths: list[NDArray[np.int64]] = []
        self._sizes: list[NDArray[np.uint32]] = []
        self._prints: list[NDArray[np.uint64]] = []
        self._postings: list[NDArray[np.uint64] | Moved] = []
        self._rows: list[pa.Table] = []
        self.count = 0
        self.bytes = 0

    def add(
        self,
        packed: Packed,
        rows: pa.Table,
        keys: NDArray[np.uint64],
        prints: NDArray[np.uint64],
        sizes: NDArray[np.int64],
    ) -> None:
        """Take new items, each with its keys, fingerprint and size; `rows` has their ids and fields."""
        self._write(np.frombuffer(packed.data, np.uint8))
        self._lengths.append(packed.lengths)
        there = np.flatnonzero(prints[:, 0])
        members = (there + self.count).astype(np.uint64)
        self._postings.append((keys[:, there] & UPPER) | members)
        self._take(rows, prints, sizes)

    def copy(self, part: Part, alive: NDArray[np.bool_] | None) -> None:
        """Take the items of a part that are alive; all of them if None."""
        kept = np.arange(part.count) if alive is None else np.flatnonzero(alive)
        lengths = np.diff(part.offsets)[kept]
        if alive is None:
            self._write(part.container.column("items"))
        else:
            self._write_some(part, kept)
        self._lengths.append(lengths)
        self._postings.append(Moved(part.postings.postings, self._places(part, kept)))
        rows = part.rows if alive is None else part.rows.take(as_arrow(kept))
        self._take(rows, part.prints[kept], part.sizes[kept])

    def _write_some(self, part: Part, kept: NDArray[np.int64]) -> None:
        """Write the packed items that are kept, run by run."""
        items, offsets = part.container.column("items"), part.offsets
        edges = np.flatnonzero(np.diff(kept, prepend=-2) != 1)
        for first, last in zip(edges, np.append(edges[1:], len(kept)) - 1, strict=True):
            self._write(items[offsets[kept[first]] : offsets[kept[last] + 1]])

    def _places(self, part: Part, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the new number of each item of a part that is kept, and -1 for others.

        Where the one that stands for several was deleted, the first that is kept does so.
        """
        places = np.full(part.count, -1, np.int64)
        places[kept] = np.arange(len(kept)) + self.count
        firsts, others = (part.copies >> HALF).astype(np.int64), (part.copies & LOW_HALF).astype(np.int64)
        lost = (places[firsts] < 0) & (places[others] >= 0)
        places[firsts[lost][::-1]] = places[others[lost][::-1]]
        return places

    def _take(self, rows: pa.Table, prints: NDArray[np.uint64], sizes: NDArray[Any]) -> None:
        self._rows.append(rows)
        self._prints.append(prints)
        self._sizes.append(sizes.astype(np.uint32))
        self.count += len(sizes)

    def _write(self, data: NDArray[np.uint8]) -> None:
        self._writer.write(data)
        self.bytes += len(data)

    def finish(self) -> bytes:
        """Write all else; return the checksum."""
        writer = self._writer
        writer.end()
        prints = np.concatenate(self._prints)
        original = originals(prints)
        writer.column("offsets", np.append(0, np.cumsum(np.concatenate(self._lengths))))
        writer.column("sizes", np.concatenate(self._sizes))
        writer.column("prints", prints)
        self._write_postings(original)
        items = np.arange(self.count)
        again = items[(original != items) & (original >= 0)]
        copies = original[again].astype(np.uint64) << HALF | again.astype(np.uint64)
        writer.column("copies", np.sort(copies))
        rows = pa.concat_tables(self._rows, promote_options="default").combine_chunks()
        named = np.sort((hash_ids(rows.column(0).combine_chunks()) & UPPER) | items.astype(np.uint64))[None, :]
        writer.column("named", named)
        writer.column("named_directory", directory_of(named))
        writer.column("rows", stream_of(rows))
        return writer.finish({"format": FORMAT, "count": self.count})

    def _write_postings(self, original: NDArray[np.int32]) -> None:
        """Sort the postings of each band, those of items with the same set only once; and write one after the other."""
        bands = len(self._postings[0])

        def make(band: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
            all_of_it = np.concatenate([some[band] for some in self._postings])
            firsts = original[(all_of_it & LOW_HALF).astype(np.int64)].astype(np.uint64)
            postings = in_order((all_of_it & UPPER) | firsts)
            return postings, directory_of(postings[None, :])[0]

        few = self.count < MANY
        directories, width = [np.empty((0, 0), np.uint32)], 0
        self._writer.begin("postings", np.uint64)
        for postings, directory in map(make, range(bands)) if few else self._threads.map(make, range(bands)):
            self._writer.write(postings)
            directories.append(directory[None, :])
            width = len(postings)
        self._writer.end(bands, width)
        self._postings.clear()
        self._writer.column("directory", np.concatenate(directories[1:] or directories))


def originals(prints: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return for each item the first one with the same fingerprint; -1 for one of which there is nothing."""
    items = np.arange(len(prints), dtype=np.int32)
    original = items.copy()
    keys = prints[:, 0].copy()
    there = keys != 0
    original[~there] = -1
    repeated, bounds = find_groups(keys, items[there])
    if len(repeated):
        mark_copies(repeated, bounds, np.ascontiguousarray(prints[:, 1]), original)
    return original


def stream_of(rows: pa.Table) -> NDArray[np.uint8]:
    """Write a table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return np.frombuffer(sink.getvalue(), np.uint8)
