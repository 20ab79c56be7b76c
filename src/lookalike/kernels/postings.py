"""Lookup of the items that have a key, by a directory over sorted postings.

A posting is one number: the upper half of a key, then the item that has it. The postings of each band are sorted, and
the directory maps the uppermost bits of a key to its postings: nearly always within one cache line.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import kernel
from lookalike.kernels.measures import needed

HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)


@kernel
def fill_directory(postings, bits, directory):
    """Write where the postings of each cell begin, and where the last ends. A cell is the first `bits` of a key."""
    shift = np.uint64(64 - bits)
    for band in range(postings.shape[0]):
        cell = 0
        for i in range(postings.shape[1]):
            while cell <= np.int64(postings[band, i] >> shift):
                directory[band, cell] = i
                cell += 1
        while cell < directory.shape[1]:
            directory[band, cell] = postings.shape[1]
            cell += 1


@kernel
def count_found(postings, directory, bits, keys, counts):
    """Count the postings that match the keys of each item. `keys[band, i]` are those of item i."""
    shift = np.uint64(64 - bits)
    counts[:] = 0
    for band in range(keys.shape[0]):
        for i in range(keys.shape[1]):
            cell = np.int64(keys[band, i] >> shift)
            short = keys[band, i] >> HALF
            for at in range(directory[band, cell], directory[band, cell + 1]):
                counts[i] += postings[band, at] >> HALF == short


@kernel
def write_found(postings, directory, bits, keys, items, out):
    """Write (item, member) of each matching posting as one number; return their number. `items` holds the items."""
    shift = np.uint64(64 - bits)
    filled = 0
    for band in range(keys.shape[0]):
        for i in range(keys.shape[1]):
            cell = np.int64(keys[band, i] >> shift)
            short = keys[band, i] >> HALF
            for at in range(directory[band, cell], directory[band, cell + 1]):
                if postings[band, at] >> HALF == short:
                    out[filled] = np.uint64(items[i]) << HALF | postings[band, at] & LOW_HALF
                    filled += 1
    return filled


@kernel
def may_reach(goal, one, two, out):
    """Write which pairs of sets may reach a threshold, given their sizes."""
    for i in range(out.size):
        min_shared = needed(goal, np.int64(one[i]), np.int64(two[i]))
        out[i] = min_shared <= min(one[i], two[i])
