"""Postings: which items of a part have a key, found through a directory over sorted numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.features.shingles import in_order
from lookalike.kernels.postings import HALF, LOW_HALF, count_found, fill_directory, write_found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.storage.container import Container

CELL_POSTINGS = 4
"""Minimum postings per directory cell, on average; they fit in a cache line."""


class Postings:
    """Sorted postings with their directory, of one or several bands."""

    def __init__(self, container: Container, names: tuple[str, str]) -> None:
        self.postings: NDArray[np.uint64] = container.column(names[0])
        self.directory: NDArray[np.uint32] = container.column(names[1])
        self._container = container
        self._names = names
        self._bits = (self.directory.shape[1] - 1).bit_length() - 1

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return distinct (query, item) codes, where `keys[band, i]` are the keys of query i."""
        parts = list(self.find_batches(keys, 1 << 62))
        return np.concatenate([np.empty(0, np.uint64), *parts])

    def find_batches(self, keys: NDArray[np.uint64], limit: int) -> Iterator[NDArray[np.uint64]]:
        """Yield the same in batches of about `limit` codes, each with all items of its queries."""
        self._container.verify_cells(self._names, self._bits, keys)
        counts = np.empty(keys.shape[1], np.int64)
        count_found(self.postings, self.directory, self._bits, keys, counts)
        queries = np.flatnonzero(counts)
        ends = np.cumsum(counts[queries])
        begin = 0
        while begin < len(queries):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + limit, side="right")), begin + 1)
            some = queries[begin:end]
            out = np.empty(ends[end - 1] - before, np.uint64)
            write_found(self.postings, self.directory, self._bits, np.ascontiguousarray(keys[:, some]), some, out)
            yield in_order(out)
            begin = end


def build_directory(postings: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the directory of sorted postings."""
    bits = max(int(postings.shape[1] // CELL_POSTINGS).bit_length() - 1, 1)
    directory = np.empty((postings.shape[0], (1 << bits) + 1), np.uint32)
    fill_directory(postings, bits, directory)
    return directory


def halves(codes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the two indices that each code combines."""
    return (codes >> HALF).astype(np.int64), (codes & LOW_HALF).astype(np.uint32)


def codes_of(left: NDArray[np.integer[Any]], right: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Combine each pair of indices in one number."""
    return left.astype(np.uint64) << HALF | right.astype(np.uint64)
