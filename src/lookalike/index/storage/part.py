"""A part of an index: some items with all that finding them takes, never changed once it is written.

    items, offsets          item i is `items[offsets[i]:offsets[i + 1]]`, packed
    rows                    ids and stored fields, as an Arrow stream
    sizes, prints           how large each item's set is at most, and its fingerprint
    postings, directory     which items have a band key; of items with the same set the first stands for all
    copies                  the others, as (first, other) in one number, in order
    named, named_directory  which items have an id, by its hash

Of these, items and rows are the truth. The rest follows from them and the recipe, and can be made again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.features.shingles import in_order
from lookalike.index.storage.container import damaged
from lookalike.kernels.postings import HALF, LOW_HALF, count_found, fill_directory, write_found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.storage.container import Container

FINDS = 1 << 20
"""Candidates of some items that are held at a time, unless one item has more."""

A_CELL = 4
"""Postings of a cell of the directory, at least, on average; they fit in a line of the cache."""


class Part:
    """Some items, where they stand."""

    def __init__(self, number: int, container: Container) -> None:
        self.number = number
        self.container = container
        self.sizes: NDArray[np.uint32] = container.column("sizes")
        self.offsets: NDArray[np.int64] = container.column("offsets")
        self.count = len(self.sizes)
        if len(self.offsets) != self.count + 1:
            raise damaged(container.name, "its columns do not fit each other")

    @cached_property
    def postings(self) -> Postings:
        """Who has a band key."""
        return Postings(self.container, ("postings", "directory"))

    @cached_property
    def named(self) -> Postings:
        """Who has an id."""
        return Postings(self.container, ("named", "named_directory"))

    @cached_property
    def copies(self) -> NDArray[np.uint64]:
        """Items that are the same as an earlier one: (the first, this one) in one number, in order."""
        return self.container.look_at_all("copies")

    @cached_property
    def prints(self) -> NDArray[np.uint64]:
        """Fingerprints of the items."""
        return self.container.column("prints")

    @cached_property
    def rows(self) -> pa.Table:
        """Ids and stored fields."""
        try:
            rows = pa.ipc.open_stream(pa.py_buffer(self.container.look_at_all("rows"))).read_all()
            rows.validate(full=True)
        except pa.ArrowException as error:
            raise damaged(self.container.name, "its ids cannot be read") from error
        if rows.num_rows != self.count:
            raise damaged(self.container.name, "its ids are not as many as its items")
        return rows

    @property
    def ids(self) -> pa.ChunkedArray:
        """Ids of the items."""
        return self.rows.column(0)

    def look(self, items: NDArray[np.integer[Any]]) -> None:
        """Raise unless what is known of some items is what was written."""
        self.container.look("sizes", items)
        self.container.look("prints", items)

    def look_inside(self, items: NDArray[np.integer[Any]]) -> None:
        """Raise unless some items themselves are what was written."""
        self.container.look("offsets", items, 1)
        self.container.look_at_runs("items", self.offsets[items], self.offsets[np.asarray(items, np.int64) + 1])

    def packed(self, items: NDArray[np.integer[Any]]) -> list[memoryview]:
        """Return some items, still packed."""
        data = self.container.column("items").data
        begins, ends = self.offsets[items].tolist(), self.offsets[np.asarray(items) + 1].tolist()
        if any(not 0 <= begin < end <= len(data) for begin, end in zip(begins, ends, strict=True)):
            raise damaged(self.container.name, "an item is not where it should be")
        return [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def find_ids(self, ids: pa.Array, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return (place among the ids, item) where an item has that id; `hashes` are those of the ids."""
        found = self.named.find(hashes[None, :])
        if not len(found):
            return found
        places, items = halves(found)
        wanted, held = take(ids, places).to_pylist(), take(self.ids, items).to_pylist()
        same: NDArray[np.uint64] = found[np.array([one == two for one, two in zip(wanted, held, strict=True)], bool)]
        return same


class Postings:
    """Sorted postings with their directory, of one or several bands."""

    def __init__(self, container: Container, names: tuple[str, str]) -> None:
        self.postings: NDArray[np.uint64] = container.column(names[0])
        self.directory: NDArray[np.uint32] = container.column(names[1])
        self._container = container
        self._names = names
        self._bits = (self.directory.shape[1] - 1).bit_length() - 1

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return (place of a key, member that has it), each once; `keys[band, i]` are those of place i."""
        parts = list(self.found(keys, 1 << 62))
        return np.concatenate([np.empty(0, np.uint64), *parts])

    def found(self, keys: NDArray[np.uint64], limit: int) -> Iterator[NDArray[np.uint64]]:
        """Yield the same some places at a time, about `limit` finds, each place with all it has."""
        self._container.look_at_cells(self._names, self._bits, keys)
        counts = np.empty(keys.shape[1], np.int64)
        count_found(self.postings, self.directory, self._bits, keys, counts)
        places = np.flatnonzero(counts)
        ends = np.cumsum(counts[places])
        begin = 0
        while begin < len(places):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + limit, side="right")), begin + 1)
            some = places[begin:end]
            out = np.empty(ends[end - 1] - before, np.uint64)
            write_found(self.postings, self.directory, self._bits, np.ascontiguousarray(keys[:, some]), some, out)
            yield in_order(out)
            begin = end


def directory_of(postings: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Make the directory of sorted postings."""
    bits = max(int(postings.shape[1] // A_CELL).bit_length() - 1, 1)
    directory = np.empty((postings.shape[0], (1 << bits) + 1), np.uint32)
    fill_directory(postings, bits, directory)
    return directory


def halves(codes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the two indices that each number stands for."""
    return (codes >> HALF).astype(np.int64), (codes & LOW_HALF).astype(np.uint32)


def codes_of(left: NDArray[np.integer[Any]], right: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Return two indices as one number, each."""
    return left.astype(np.uint64) << HALF | right.astype(np.uint64)


def take(values: pa.Array, places: NDArray[np.integer[Any]]) -> pa.Array:
    """Return some of the values of an array."""
    return values.take(as_arrow(np.asarray(places)))
