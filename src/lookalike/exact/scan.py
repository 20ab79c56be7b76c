"""Exact similarities of a few items with all items, in one pass over the texts.

The shingles of the few items are put in a table. Every shingle of every item is looked up in it, and nearly all of them
are rejected by testing one bit, so a scan takes little longer than making the shingles.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.groups import group_keys
from lookalike.arrays.slices import slices
from lookalike.kernels import scan as kernels
from lookalike.kernels.shingles import power_of_two
from lookalike.store.sets import mapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.features.shingles import Shingler
    from lookalike.resources.threads import Threads
    from lookalike.store.items import Items

TEXT_AT_A_TIME = 1 << 20
"""Bytes of text scanned per task."""

ITEMS_AT_A_TIME = 1 << 20
"""Items cut into tasks at a time."""

HITS_AT_A_TIME = 1 << 20
"""The maximum number of hits per task, unless one item has more."""

BITS_PER_SHINGLE = 16
"""Bits of the bitmap per shingle of the few items: 1 in 16 of the other shingles passes it by accident."""


MANY = 16
SHARE_OF_MANY = 8
"""A shingle that at least 16 of the few items have, and at least 1 in 8 of them, is counted for all of them at once."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Items that are similar to any of the few items, with exact scores; an item is also a hit of itself."""

    item: NDArray[np.int32]
    """Index of the item in the collection."""
    few: NDArray[np.int32]
    """Position among the few."""
    similarity: NDArray[np.float64]
    scanned: int
    """The number of items scanned; most have no hits."""

    def __len__(self) -> int:
        return len(self.item)


@dataclass(frozen=True, slots=True)
class Few:
    """The sets of a few items, one after another: set i has `sizes[i]` elements."""

    elements: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    @classmethod
    def of(cls, indices: NDArray[np.int32], items: Items, shingler: Shingler) -> Few:
        """Build the sets of these items, each of which must have a shingle."""
        elements, sizes = shingler.sets(items.data.view(), items.bounds(indices.astype(np.int64)))
        return cls(elements.copy(), sizes)


def scan(search_task: TaskSearch, few: int, among: NDArray[np.int32], items: Items, threads: Threads) -> Iterator[Hits]:
    """Yield the items of `among` that are similar to any of the few items, in order, task by task."""

    def find(task: Task) -> Hits:
        position, one, similarity = search_task(task)
        return Hits(task.items[position], one, similarity, len(task.items))

    for hits in threads.map(find, tasks(items, among, few)):
        items.data.trim()
        yield hits


def shingle_search(
    few: Few, data: NDArray[np.uint8], shingler: Shingler, similarities: Similarities, goal: tuple[float, float]
) -> TaskSearch:
    """Return a function that finds the items of a task that are similar to any of the few items.

    `goal` is the minimum share of either set that is in both, and the minimum similarity of a hit. With a minimum of 0,
    a hit shares at least one shingle.
    """
    share, min_similarity = goal
    index = make_index(few)
    local = threading.local()

    def search_task(task: Task) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        if not hasattr(local, "work"):
            local.work = make_work(len(few), index)
        grams, counts = shingler.grams(data, task.bounds[:, 0].copy(), task.bounds[:, 1].copy())
        position, one, shared = shared_shingles(few, index, grams, counts, task.items, share, local.work)
        first = np.diff(position, prepend=-1) > 0
        sizes = shingler.sets(data, task.bounds[position[first]])[1]
        similarity = similarities(shared, few.sizes[one], sizes[np.cumsum(first) - 1])
        enough = similarity >= min_similarity
        return position[enough], one[enough], similarity[enough]

    return search_task


@dataclass(frozen=True, slots=True)
class Task:
    """Items that are scanned at a time, and the offsets of their texts."""

    items: NDArray[np.int32]
    bounds: NDArray[np.int64]


TaskSearch = Callable[[Task], "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]"]
"""Returns (position of an item in a task, position among the few items, similarity) of each hit."""

Similarities = Callable[["NDArray[np.int32]", "NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.float64]"]
"""Returns similarities, from the numbers of shared elements and the sizes of both sets."""


def tasks(items: Items, among: NDArray[np.int32], few: int) -> Iterator[Task]:
    """Cut the items into tasks that take a bounded amount of memory."""
    for begin in range(0, len(among), ITEMS_AT_A_TIME):
        some = among[begin : begin + ITEMS_AT_A_TIME]
        bounds = items.bounds(some)
        weights = mapped(bounds) + few * TEXT_AT_A_TIME // HITS_AT_A_TIME
        for part in slices(weights, TEXT_AT_A_TIME):
            yield Task(some[part], bounds[part])


def make_index(few: Few) -> tuple[NDArray[Any], ...]:
    """Build the table of which of the few items have a shingle, as the kernel takes it."""
    keys = few.elements.copy()
    members = np.repeat(np.arange(len(few), dtype=np.int32), few.sizes)
    group_keys(keys, members)
    table = np.empty(power_of_two(2 * len(keys)), np.uint64)
    starts = np.empty(table.size, np.int64)
    kernels.index_keys(keys, table, starts)
    bits = np.zeros(power_of_two(len(keys) * BITS_PER_SHINGLE // 64), np.uint64)
    np.bitwise_or.at(bits, keys >> np.uint64(6) & np.uint64(bits.size - 1), np.uint64(1) << (keys & np.uint64(63)))
    return bits, table, starts, keys, members, *make_rows(keys, members, len(few))


def make_rows(
    keys: NDArray[np.uint64], members: NDArray[np.int32], few: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Build a row per shingle that many of the few items have, with a 1 for each item that has it.

    Also return, at the position where each run of equal keys begins, the row that belongs to it; -1 for none.
    """
    begins = np.flatnonzero(np.diff(keys, prepend=np.uint64(0)) != 0)
    lengths = np.diff(begins, append=len(keys))
    many = lengths * SHARE_OF_MANY >= max(few, MANY * SHARE_OF_MANY)
    row_of = np.full(len(keys), -1, np.int32)
    row_of[begins[many]] = np.arange(np.count_nonzero(many))
    rows = np.zeros((np.count_nonzero(many), few), np.uint8)
    rows[np.repeat(row_of[begins], lengths)[np.repeat(many, lengths)], members[np.repeat(many, lengths)]] = 1
    return row_of, rows


def make_work(few: int, index: tuple[NDArray[Any], ...]) -> tuple[NDArray[np.int32], ...]:
    """Allocate the counters of one thread."""
    table = index[1]
    return np.full(table.size, -1, np.int32), np.zeros(few, np.int32), np.empty(few, np.int32)


def shared_shingles(
    few: Few,
    index: tuple[NDArray[Any], ...],
    grams: NDArray[np.uint64],
    counts: NDArray[np.int64],
    items: NDArray[np.int32],
    min_share: float,
    work: tuple[NDArray[np.int32], ...],
) -> list[NDArray[np.int32]]:
    """Return (position of an item, position among the few, shared shingles) where enough are shared, from `grams`."""
    ends = np.cumsum(counts)
    room = min(len(items) * len(few), max(HITS_AT_A_TIME, len(few)))
    out = tuple(np.empty(room, np.int32) for _ in range(3))
    parts: list[list[NDArray[np.int32]]] = []
    first = 0
    while first < len(items):
        filled, first = kernels.count_shared(grams, ends, items, first, index, few.sizes, min_share, work, out)
        parts.append([column[:filled].copy() for column in out])
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]
