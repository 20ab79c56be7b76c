"""Shingles of many items against the sets of a few: how many each two share.

Most shingles are in none of those sets. A bitmap, small enough for the second cache, turns them away.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import kernel
from lookalike.kernels.shingles import place


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
def sift(grams, bits):
    """Move the shingles whose bit is set to the front; return how many. No branch, so nothing to mispredict."""
    mask = np.uint64(bits.size - 1)
    kept = 0
    for i in range(grams.size):
        h = grams[i]
        grams[kept] = h
        kept += np.int64(bits[(h >> np.uint64(6)) & mask] >> (h & np.uint64(63)) & np.uint64(1))
    return kept


@kernel
def count_shared(grams, ends, items, first, index, sizes, least, work, out):
    """Write which sets share enough with each item from `first` on; return how many, and where it stopped.

    Item `items[i]` has the shingles up to `ends[i]`, which are overwritten. Enough is the share `least` of a set, and
    one shingle at least. `index` is (bits, table, starts, keys, members, row_of, rows): a run of equal `keys` begins
    where the table says, and `members` has their sets; or `row_of` the begin has a row with a 1 for each of them, where
    they are many, else -1. `work` is (stamps, the last item that had the shingle at a place of the table; shared and
    touched, with room for each set, the former 0). `out` is (i, set, shingles shared); it stops when those of another
    item might not fit.
    """
    bits, table, starts, keys, members, row_of, rows = index
    stamps, shared, touched = work
    place_out, set_out, shared_out = out
    mask = np.uint64(table.size - 1)
    filled = 0
    for i in range(first, items.size):
        if filled + sizes.size > place_out.size:
            return filled, i
        begin = ends[i - 1] if i > 0 else 0
        met = 0
        all_met = False
        for k in range(begin, begin + sift(grams[begin : ends[i]], bits)):
            at = place(table, mask, grams[k])
            if table[at] != grams[k] or stamps[at] == items[i]:
                continue
            stamps[at] = items[i]
            j = starts[at]
            if row_of[j] >= 0:
                add_row(rows[row_of[j]], shared)
                all_met = True
                continue
            while j < keys.size and keys[j] == grams[k]:
                one = members[j]
                j += 1
                if shared[one] == 0:
                    touched[met] = one
                    met += 1
                shared[one] += 1
        for k in range(sizes.size if all_met else met):
            one = k if all_met else touched[k]
            if shared[one] > 0 and shared[one] / sizes[one] >= least:
                place_out[filled] = i
                set_out[filled] = one
                shared_out[filled] = shared[one]
                filled += 1
            shared[one] = 0
    return filled, items.size


@kernel
def add_row(row, shared):
    """Count a shingle for all sets that a row has a 1 for; as a loop of its own it is done many sets at a time."""
    for one in range(shared.size):
        shared[one] += np.int32(row[one])
