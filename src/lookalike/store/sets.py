"""The sets of items, built from their texts when they are needed, and kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.features.shingles import in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.features.shingles import Shingler
    from lookalike.resources.scratch import Column, Scratch
    from lookalike.resources.threads import Threads
    from lookalike.store.items import Items

TEXT_AT_A_TIME = 1 << 20
"""Bytes of text whose sets are built per task."""

MAPPED_AT_A_TIME = 1 << 23
"""Bytes that one task may map, where texts are far apart."""

READ_AHEAD = 1 << 16
"""Bytes that the system maps together with the first byte read."""


class Sets:
    """Sets of items. That of item i, once built, is `elements[begins[i]:begins[i] + sizes[i]]`, without duplicates."""

    def __init__(self, items: Items, shingler: Shingler, scratch: Scratch, threads: Threads) -> None:
        self._items = items
        self._shingler = shingler
        self._threads = threads
        self._column: Column[np.uint64] = scratch.column(np.uint64)
        self._column.max_resident = items.data.max_resident
        self.begins = np.full(items.count, -1, np.int64)
        self.sizes = np.zeros(items.count, np.int32)

    @property
    def elements(self) -> NDArray[np.uint64]:
        """The elements of all sets built so far, read from disk as they are used."""
        return self._column.view()

    @property
    def total(self) -> int:
        """The number of elements in all sets."""
        return self._column.size

    def of(self, item: int) -> NDArray[np.uint64]:
        """Return the set of one item."""
        return self.elements[self.begins[item] : self.begins[item] + self.sizes[item]]

    def trim(self) -> None:
        """Release the memory taken by reading, if it exceeds the limit."""
        self._column.trim()

    def make(self, wanted: NDArray[np.int32]) -> None:
        """Build the sets of the wanted items that have none yet."""
        fresh = in_order(wanted[self.begins[wanted] < 0])
        if not len(fresh):
            return
        bounds = self._items.bounds(fresh)
        data = self._items.data.view()

        def make(part: slice) -> None:
            elements, sizes = self._shingler.sets(data, bounds[part])
            ends = np.cumsum(sizes) + self._column.append(elements)
            self.begins[fresh[part]] = ends - sizes
            self.sizes[fresh[part]] = sizes

        lengths = bounds[:, 1] - bounds[:, 0]
        weights = np.maximum(mapped(bounds), lengths * (MAPPED_AT_A_TIME // TEXT_AT_A_TIME))
        for _ in self._threads.map(make, slices(weights, MAPPED_AT_A_TIME)):
            self._items.data.trim()


def mapped(bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of bytes that reading each text maps: its own, and those mapped before it."""
    gaps = bounds[1:, 0] - bounds[:-1, 1]
    lengths: NDArray[np.int64] = bounds[:, 1] - bounds[:, 0]
    lengths[1:] += np.where(gaps < 0, READ_AHEAD, np.minimum(gaps, READ_AHEAD))
    return lengths
