"""A part of an index: some items and everything needed to find them, never changed once written.

    items, offsets          item i is `items[offsets[i]:offsets[i + 1]]`, packed
    rows                    ids and stored fields, as an Arrow stream
    sizes, prints           an upper bound on the size of each item, and its fingerprint
    postings, directory     the items that have a band key; of identical items, only the first (the original)
    copies                  the others, sorted, as (original, copy) in one number
    named, named_directory  the items that have an id, by its hash

Items and rows are the source of truth. The rest is derived from them and the recipe, and can be rebuilt.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.index.storage.errors import damaged
from lookalike.index.storage.postings import Postings, halves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.index.storage.container import Container

FINDS = 1 << 20
"""Candidates held in memory at a time, unless a single item has more."""


class Part:
    """The items of one part, read in place."""

    def __init__(self, number: int, container: Container) -> None:
        self.number = number
        self.container = container
        self.sizes: NDArray[np.uint32] = container.column("sizes")
        self.offsets: NDArray[np.int64] = container.column("offsets")
        self.count = len(self.sizes)
        if len(self.offsets) != self.count + 1:
            raise damaged(container.name, "its columns have inconsistent lengths")

    @cached_property
    def postings(self) -> Postings:
        """Items by band key."""
        return Postings(self.container, ("postings", "directory"))

    @cached_property
    def named(self) -> Postings:
        """Items by the hash of their id."""
        return Postings(self.container, ("named", "named_directory"))

    @cached_property
    def copies(self) -> NDArray[np.uint64]:
        """Items identical to an earlier one: (original, copy) in one number, sorted."""
        return self.container.verified_column("copies")

    @cached_property
    def prints(self) -> NDArray[np.uint64]:
        """Fingerprints of the items."""
        return self.container.column("prints")

    @cached_property
    def rows(self) -> pa.Table:
        """Ids and stored fields."""
        try:
            rows = pa.ipc.open_stream(pa.py_buffer(self.container.verified_column("rows"))).read_all()
            rows.validate(full=True)
        except pa.ArrowException as error:
            raise damaged(self.container.name, "its ids cannot be read") from error
        if rows.num_rows != self.count:
            raise damaged(self.container.name, "it has a different number of ids than of items")
        return rows

    @property
    def ids(self) -> pa.ChunkedArray:
        """Ids of the items."""
        return self.rows.column(0)

    def verify_signatures(self, items: NDArray[np.integer[Any]]) -> None:
        """Raise unless the sizes and fingerprints of some items are intact."""
        self.container.verify_rows("sizes", items)
        self.container.verify_rows("prints", items)

    def verify_items(self, items: NDArray[np.integer[Any]]) -> None:
        """Raise unless some items are intact."""
        self.container.verify_rows("offsets", items, 1)
        self.container.verify_runs("items", self.offsets[items], self.offsets[np.asarray(items, np.int64) + 1])

    def packed(self, items: NDArray[np.integer[Any]]) -> list[memoryview]:
        """Return some items, packed."""
        data = self.container.column("items").data
        begins, ends = self.offsets[items].tolist(), self.offsets[np.asarray(items) + 1].tolist()
        if any(not 0 <= begin < end <= len(data) for begin, end in zip(begins, ends, strict=True)):
            raise damaged(self.container.name, "the offset of an item is out of range")
        return [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def find_ids(self, ids: pa.Array, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return (position in `ids`, item) codes of the items with these ids; `hashes` are those of the ids."""
        found = self.named.find(hashes[None, :])
        if not len(found):
            return found
        positions, items = halves(found)
        wanted, held = take(ids, positions).to_pylist(), take(self.ids, items).to_pylist()
        same: NDArray[np.uint64] = found[np.array([one == two for one, two in zip(wanted, held, strict=True)], bool)]
        return same


def take(values: pa.Array, positions: NDArray[np.integer[Any]]) -> pa.Array:
    """Return the values, or rows of a table, at some positions."""
    return values.take(as_arrow(np.asarray(positions)))
