"""Kernels that count the shingles that many items share with the sets of a few items.

Most shingles are in none of these sets. A bitmap, small enough for the L2 cache, rejects them.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import kernel
from lookalike.kernels.shingles import place


@kernel
def index_keys(keys, table, starts):
    """Put each run of equal keys in a table, with the position where it begins."""
    table[:] = np.uint64(0)
    mask = np.uint64(table.size - 1)
    for i in range(keys.size):
        if i == 0 or keys[i] != keys[i - 1]:
            at = place(table, mask, keys[i])
            table[at] = keys[i]
            starts[at] = i


@kernel
def sift(grams, bits):
    """Move the shingles whose bit is set to the front; return their number. There is no branch to mispredict."""
    mask = np.uint64(bits.size - 1)
    kept = 0
    for i in range(grams.size):
        h = grams[i]
        grams[kept] = h
        kept += np.int64(bits[(h >> np.uint64(6)) & mask] >> (h & np.uint64(63)) & np.uint64(1))
    return kept


@kernel
def count_shared(grams, ends, items, first, index, sizes, min_share, work, out):
    """Write which sets share enough with each item from `first` on; return their number, and the item it stopped at.

    Item `items[i]` has the shingles up to `ends[i]`, which are overwritten. Enough is the share `min_share` of a set,
    but at least one shingle. `index` is (bits, table, starts, keys, members, row_of, rows): `starts` is where a run of
    equal `keys` begins, and `members` holds their sets. If these are many, `row_of` the start is a row with a 1 for
    each of them, else -1. `work` is (stamps: the last item that had the shingle in a slot of the table; shared and
    touched, with room for each set, shared all 0). `out` is (i, set, shared shingles). It stops when the hits of
    another item might not fit.
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
        count = 0
        has_rows = False
        for k in range(begin, begin + sift(grams[begin : ends[i]], bits)):
            at = place(table, mask, grams[k])
            if table[at] != grams[k] or stamps[at] == items[i]:
                continue
            stamps[at] = items[i]
            j = starts[at]
            if row_of[j] >= 0:
                add_row(rows[row_of[j]], shared)
                has_rows = True
                continue
            while j < keys.size and keys[j] == grams[k]:
                one = members[j]
                j += 1
                if shared[one] == 0:
                    touched[count] = one
                    count += 1
                shared[one] += 1
        for k in range(sizes.size if has_rows else count):
            one = k if has_rows else touched[k]
            if shared[one] > 0 and shared[one] / sizes[one] >= min_share:
                place_out[filled] = i
                set_out[filled] = one
                shared_out[filled] = shared[one]
                filled += 1
            shared[one] = 0
    return filled, items.size


@kernel
def add_row(row, shared):
    """Count a shingle for all sets that have a 1 in a row. As a loop of its own, it is vectorised."""
    for one in range(shared.size):
        shared[one] += np.int32(row[one])
