"""Sets -> candidates that miss no pair, by a prefix-filter join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.group import group_keys
from lookalike.kernels import join as kernels
from lookalike.kernels.shingles import power_of_two

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

AT_A_TIME = 1 << 21
"""Candidates yielded at a time, unless one set has more."""


@dataclass(frozen=True, slots=True)
class Sets:
    """The set of item i is `elements[begins[i]:begins[i] + sizes[i]]`."""

    elements: NDArray[np.uint64]
    begins: NDArray[np.int64]
    sizes: NDArray[np.int32]


def join(
    sets: Sets, items: NDArray[np.int32], threshold: float
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield candidates among the items, every pair that reaches the threshold among them, none twice."""
    members = items[np.lexsort((items, sets.sizes[items]))]
    sizes = sets.sizes[members]
    rare, ends = rare_elements(sets, members, threshold)
    index = make_index(rare, ends, sizes, threshold)
    mark = np.full(len(members), -1, np.int32)
    left = np.empty(max(AT_A_TIME, len(members)), np.int32)
    right = np.empty_like(left)
    rank = 0
    while rank < len(members):
        count, rank = kernels.probe(rare, ends, sizes, threshold, index, rank, mark, left, right)
        yield members[left[:count]], members[right[:count]]


def rare_elements(
    sets: Sets, members: NDArray[np.int32], threshold: float
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the rarest elements of each member, as many as the threshold asks for, and where each member's end."""
    sizes = sets.sizes[members].astype(np.int64)
    columns = (sets.elements, sets.begins, sets.sizes, members)
    counts = np.zeros(kernels.COUNTERS, np.int32)
    kernels.count_elements(*columns, counts)
    order = np.empty(int(sizes.max(initial=0)), np.uint64)
    rare = np.empty(int(np.sum(sizes - np.floor(sizes * threshold).astype(np.int64) + 2)), np.uint64)
    ends = np.empty(len(members), np.int64)
    kernels.prefixes(*columns, threshold, counts, order, rare, ends)
    return rare, ends


def make_index(
    rare: NDArray[np.uint64], ends: NDArray[np.int64], sizes: NDArray[np.int32], threshold: float
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64]]:
    """Bring equal elements of the shorter prefixes together, and make a table of where each begins."""
    keys, ranks = np.empty(len(rare), np.uint64), np.empty(len(rare), np.int32)
    filled = kernels.index_prefixes(rare, ends, sizes, threshold, keys, ranks)
    keys, ranks = keys[:filled], ranks[:filled]
    group_keys(keys, ranks)
    table = np.empty(power_of_two(2 * len(keys)), np.uint64)
    starts = np.empty(table.size, np.int64)
    kernels.index_keys(keys, table, starts)
    return keys, ranks, table, starts
