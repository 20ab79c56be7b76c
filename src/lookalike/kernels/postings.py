"""Keys -> the items that have them, by a directory over sorted postings.

A posting is one number: the upper half of a key, then the item that has it. Those of each band are sorted, and the
uppermost bits of a key say in the directory where to look: nearly always within one line of the cache.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import kernel
from lookalike.kernels.measures import needed

HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)


@kernel
def fill_directory(postings, bits, directory):
    """Write where the postings of each cell begin, and where the last ends; a cell is what the first `bits` say."""
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
    """Count the postings that each item's keys meet; `keys[band, i]` are those of item i."""
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
    """Write (item, member) for each posting that is met, as one number; return how many. `items` names the items."""
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
    """Tell which two sets, by their sizes, may reach a threshold."""
    for i in range(out.size):
        least = needed(goal, np.int64(one[i]), np.int64(two[i]))
        out[i] = least <= min(one[i], two[i])
