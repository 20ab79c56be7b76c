"""Exact similarities of a few weighted sets with all weighted sets, in one pass."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.groups import group_keys
from lookalike.features.weighted import NUMBER
from lookalike.kernels import weights as kernels
from lookalike.kernels.scan import index_keys
from lookalike.kernels.shingles import power_of_two

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.exact.scan import Few, Task, TaskSearch

HITS_AT_A_TIME = 1 << 20
"""The maximum number of hits held at a time, unless one item has more."""


def weight_search(few: Few, data: NDArray[np.uint8], min_similarity: float) -> TaskSearch:
    """Return a function that finds the items of a task that are similar enough to any of the few items.

    `data` holds the sets of all items. The function returns (position in the task, position among the few, similarity).
    """
    numbers = data.view(np.uint64)
    packed = few.elements
    packed.flags.writeable = False
    begins = 2 * (np.cumsum(few.sizes) - few.sizes)
    own = (packed, begins, few.sizes.astype(np.int32))
    totals = np.empty(len(few))
    kernels.totals(*own, totals)
    index = make_index(few, begins)
    local = threading.local()

    def search_task(task: Task) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        if not hasattr(local, "work"):
            local.work = np.zeros(len(few)), np.empty(len(few), np.int32)
        sizes = (task.bounds[:, 1] - task.bounds[:, 0]) // (2 * NUMBER)
        sets = (numbers, task.bounds[:, 0] // NUMBER, sizes.astype(np.int32))
        position, one = find_candidates(sets, index, totals, min_similarity, local.work)
        similarity = np.empty(len(position))
        kernels.similarities(one, position, own, sets, float(min_similarity), similarity)
        enough = similarity > 0
        return position[enough], one[enough], similarity[enough]

    return search_task


def make_index(few: Few, begins: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Build the table of which of the few items have an element, and with which weight, as the kernel takes it."""
    member = np.repeat(np.arange(len(few), dtype=np.int32), few.sizes)
    at = np.arange(len(member)) + np.repeat(begins - np.cumsum(few.sizes) + few.sizes, few.sizes)
    keys = few.elements[at]
    order = np.arange(len(keys), dtype=np.int32)
    group_keys(keys, order)
    weights = few.elements.view(np.float64)[at + few.sizes[member]]
    table = np.empty(power_of_two(2 * len(keys)), np.uint64)
    starts = np.empty(table.size, np.int64)
    index_keys(keys, table, starts)
    return table, starts, keys, member[order], weights[order]


def find_candidates(
    sets: tuple[NDArray[Any], ...],
    index: tuple[NDArray[Any], ...],
    totals: NDArray[np.float64],
    min_similarity: float,
    work: tuple[NDArray[np.float64], NDArray[np.int32]],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (position of a set, position among the few) of the candidates: those whose similarity may be enough."""
    count = len(sets[1])
    room = min(count * len(totals), max(HITS_AT_A_TIME, len(totals)))
    out = (np.empty(room, np.int32), np.empty(room, np.int32))
    parts: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
    first = 0
    while first < count:
        filled, first = kernels.find_resembling(sets, first, index, totals, float(min_similarity), work, out)
        parts.append((out[0][:filled].copy(), out[1][:filled].copy()))
    position, one = (np.concatenate(column) for column in zip(*parts, strict=True))
    return position, one
