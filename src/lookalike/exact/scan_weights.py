"""A few weighted sets against all: their exact similarities, in one pass."""

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

    from lookalike.exact.scan import Few, LookUp, Task

HITS_AT_A_TIME = 1 << 20
"""Hits that are held at a time, unless one item has more."""


def look_up_weights(few: Few, data: NDArray[np.uint8], least: float) -> LookUp:
    """Return a function that finds the items of a task that resemble any of the few, by at least so much.

    `data` has the sets of all items. Its answers are (place in the task, position among the few, similarity).
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

    def look_up(task: Task) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        if not hasattr(local, "work"):
            local.work = np.zeros(len(few)), np.empty(len(few), np.int32)
        sizes = (task.bounds[:, 1] - task.bounds[:, 0]) // (2 * NUMBER)
        sets = (numbers, task.bounds[:, 0] // NUMBER, sizes.astype(np.int32))
        place, one = may_resemble(sets, index, totals, least, local.work)
        similarity = np.empty(len(place))
        kernels.similarities(one, place, own, sets, float(least), similarity)
        enough = similarity > 0
        return place[enough], one[enough], similarity[enough]

    return look_up


def make_index(few: Few, begins: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Make the table of which of the few have an element, and with which weight, as the kernel wants it."""
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


def may_resemble(
    sets: tuple[NDArray[Any], ...],
    index: tuple[NDArray[Any], ...],
    totals: NDArray[np.float64],
    least: float,
    work: tuple[NDArray[np.float64], NDArray[np.int32]],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (place among the sets, which of the few) where the similarity may be enough."""
    count = len(sets[1])
    room = min(count * len(totals), max(HITS_AT_A_TIME, len(totals)))
    out = (np.empty(room, np.int32), np.empty(room, np.int32))
    parts: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
    first = 0
    while first < count:
        filled, first = kernels.find_resembling(sets, first, index, totals, float(least), work, out)
        parts.append((out[0][:filled].copy(), out[1][:filled].copy()))
    place, one = (np.concatenate(column) for column in zip(*parts, strict=True))
    return place, one
