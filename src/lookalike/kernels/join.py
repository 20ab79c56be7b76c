"""Sets -> candidates, missing none: a prefix-filter join (AllPairs, PPJoin).

Order the elements of every set alike, rare ones first. Two sets that reach the threshold then share an element among
the first few of each: so only those are indexed and looked up. Sets are ranked by size; of two, the longer looks for
the shorter, of which fewer elements need to be indexed.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline, kernel
from lookalike.kernels.overlap import needed
from lookalike.kernels.shingles import place

COUNTERS = 1 << 22
"""Counters for how often elements occur; those that share one are taken to be as frequent as both together."""


LOW_BITS = np.uint64((1 << 42) - 1)


@inline
def counter(h):
    """Return the counter of an element."""
    return np.int64(h >> np.uint64(42))


@kernel
def count_elements(sets, begins, sizes, members, counts):
    """Count, about, in how many of the members' sets each element is."""
    for item in members:
        for h in sets[begins[item] : begins[item] + sizes[item]]:
            counts[counter(h)] += 1


@inline
def least_overlap(size, threshold):
    """Return the least overlap that a set of this size has with any set it reaches the threshold with."""
    overlap = max(np.int64(threshold * size) - 1, 0)
    while overlap / size < threshold:
        overlap += 1
    return overlap


@inline
def rarity(h, counts):
    """Return a number that stands for an element and is small if it is rare: its count, then its lower bits.

    Two elements may have the same number; that makes a candidate too many, never one too few.
    """
    return np.uint64(min(counts[counter(h)], COUNTERS - 1)) << np.uint64(42) | h & LOW_BITS


@kernel
def prefixes(sets, begins, sizes, members, threshold, counts, order, out, ends):
    """Write the rarest elements of each member's set, as many as must be looked up, and where they end in `out`."""
    filled = 0
    for rank in range(members.size):
        item = members[rank]
        size = np.int64(sizes[item])
        for i in range(size):
            order[i] = rarity(sets[begins[item] + i], counts)
        order[:size].sort()
        length = size - least_overlap(size, threshold) + 1
        for i in range(length):
            out[filled + i] = order[i]
        filled += length
        ends[rank] = filled


@kernel
def index_prefixes(rare, ends, sizes, threshold, keys, ranks):
    """Copy the part of each prefix that must be found, and the rank it belongs to; return how many elements."""
    filled = 0
    for rank in range(sizes.size):
        begin = ends[rank - 1] if rank > 0 else 0
        size = np.int64(sizes[rank])
        for i in range(size - needed(size, size, threshold) + 1):
            keys[filled] = rare[begin + i]
            ranks[filled] = rank
            filled += 1
    return filled


@kernel
def index_keys(keys, table, starts):
    """Put each run of equal keys in a table, with where it begins."""
    table[:] = np.uint64(0)
    mask = np.uint64(table.size - 1)
    for i in range(keys.size):
        if i == 0 or keys[i] != keys[i - 1]:
            at = place(table, mask, keys[i])
            table[at] = keys[i]
            starts[at] = i


@kernel
def probe(rare, ends, sizes, threshold, index, first, mark, left, right):
    """Write the candidates of each rank from `first` on with earlier ones; return how many, and where it stopped.

    `index` is (keys, ranks, table, starts); it stops when the candidates of another rank might not fit.
    """
    keys, ranks, table, starts = index
    mask = np.uint64(table.size - 1)
    count = 0
    for rank in range(first, sizes.size):
        if count + rank > left.size:
            return count, rank
        overlap = least_overlap(np.int64(sizes[rank]), threshold)
        for i in range(ends[rank - 1] if rank > 0 else 0, ends[rank]):
            at = place(table, mask, rare[i])
            if table[at] == np.uint64(0):
                continue
            j = starts[at]
            while j < keys.size and keys[j] == rare[i] and ranks[j] < rank:
                other = ranks[j]
                j += 1
                if mark[other] != rank and sizes[other] >= overlap:
                    mark[other] = rank
                    left[count] = rank
                    right[count] = other
                    count += 1
    return count, sizes.size
