"""Kernels for buckets: band keys are sorted into buckets, and buckets yield candidates.

Most keys are unique, and a bitmap recognises nearly all of them: only the others are sorted. Equal keys only need to be
adjacent, so the sort uses as many low bits of a key as make accidental neighbours rare, and a short insertion sort
separates those.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline, kernel

DIGIT = 11
RADIX = 1 << DIGIT


@kernel
def drop_unique(keys, among, bits, items):
    """Move the keys that may not be unique to the front of `keys`, and write their items; return their number.

    `keys[i]` is the key of item i. Only the items in `among` are used, in order. `bits` must be all 0, and has a power
    of two of pairs of words: a bit of the first word marks a key seen once, a bit of the second one seen again.
    """
    mask = np.uint64((bits.size >> 1) - 1)
    one = np.uint64(1)
    for item in among:
        at = (keys[item] >> np.uint64(6) & mask) << one
        bit = one << (keys[item] & np.uint64(63))
        bits[at + one] |= bits[at] & bit
        bits[at] |= bit
    kept = 0
    for item in among:
        key = keys[item]
        at = (key >> np.uint64(6) & mask) << one
        keys[kept] = key
        items[kept] = item
        kept += np.int64(bits[at + one] >> (key & np.uint64(63)) & one)
    return kept


@kernel
def sort_digit(keys, items, shift, keys_out, items_out):
    """Sort keys and their items by one digit of the keys, stably."""
    starts = np.zeros(RADIX + 1, np.int64)
    mask = np.uint64(RADIX - 1)
    for i in range(keys.size):
        starts[np.int64(keys[i] >> shift & mask) + 1] += 1
    for digit in range(RADIX):
        starts[digit + 1] += starts[digit]
    for i in range(keys.size):
        digit = np.int64(keys[i] >> shift & mask)
        at = starts[digit]
        starts[digit] = at + 1
        keys_out[at] = keys[i]
        items_out[at] = items[i]


@kernel
def insert_sorted(keys, items, begin, end):
    """Sort a short run by key, stably."""
    for i in range(begin + 1, end):
        key = keys[i]
        item = items[i]
        j = i
        while j > begin and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            items[j] = items[j - 1]
            j -= 1
        keys[j] = key
        items[j] = item


@kernel
def group(keys, items, digits, keys_work, items_work):
    """Bring equal keys together, in place; items with the same key keep their order. `digits` must be even."""
    for digit in range(0, digits, 2):
        sort_digit(keys, items, np.uint64(digit * DIGIT), keys_work, items_work)
        sort_digit(keys_work, items_work, np.uint64((digit + 1) * DIGIT), keys, items)
    mask = (np.uint64(1) << np.uint64(digits * DIGIT)) - np.uint64(1)
    begin = np.int64(0)  # a literal would compile `insert_sorted` once more
    mixed = False
    for i in range(1, keys.size + 1):
        if i < keys.size and (keys[i] ^ keys[i - 1]) & mask == np.uint64(0):
            mixed |= keys[i] != keys[i - 1]
            continue
        if mixed:
            insert_sorted(keys, items, begin, i)
        begin = i
        mixed = False


@kernel
def find_buckets(keys, items, bounds):
    """Keep, in place, the items whose key is not unique, and write where buckets begin; return the numbers of both."""
    kept = 0
    buckets = 0
    begin = 0
    for i in range(1, keys.size + 1):
        if i < keys.size and keys[i] == keys[begin]:
            continue
        if i - begin > 1:
            bounds[buckets] = kept
            buckets += 1
            for j in range(begin, i):
                items[kept] = items[j]
                kept += 1
        begin = i
    bounds[buckets] = kept
    return kept, buckets


@kernel
def majority(items, begin, end, root):
    """Return the root that more than half of the items share, if there is one; else that of any item."""
    choice = root[items[begin]]
    votes = 0
    for i in range(begin, end):
        if votes == 0:
            choice = root[items[i]]
        votes += 1 if root[items[i]] == choice else -1
    return choice


@kernel
def narrow(items, bounds, pivots, widths, root, work):
    """Drop, in place, the buckets that have nothing left to compare; return the number of buckets left.

    A bucket is finished when all items from its pivot on share a root. In the others, items of the commonest root move
    to the end, so that few pivots are needed: the items left after them share a root.
    """
    left = 0
    for bucket in range(pivots.size):
        pivot, end = pivots[bucket], bounds[bucket, 1]
        if pivot >= end - 1:
            continue
        common = majority(items, pivot, end, root)
        rare = pivot
        moved = 0
        for i in range(pivot, end):
            if root[items[i]] == common:
                work[moved] = items[i]
                moved += 1
            else:
                items[rare] = items[i]
                rare += 1
        for i in range(moved):
            items[rare + i] = work[i]
        if rare == pivot:
            continue
        bounds[left, 0], bounds[left, 1] = bounds[bucket, 0], end
        pivots[left] = pivot
        widths[left] = widths[bucket]
        left += 1
    return left


@inline
def are_apart(one, two, root, sides):
    """Return whether two items are worth comparing: they share no root, and cover both collections, if there are two.

    `sides` is 1, 2 or 3 for an item of the first, the second or both collections; empty for one collection.
    """
    return root[one] != root[two] and (sides.size == 0 or sides[one] | sides[two] == 3)


@kernel
def propose(items, bounds, pivots, widths, root, sides, left, right):
    """Write the candidates of each bucket's next pivots with the items after them; return their number.

    Only pairs that `are_apart` are written. Pivots advance by `widths`.
    """
    count = 0
    for bucket in range(pivots.size):
        end = bounds[bucket, 1]
        last = min(pivots[bucket] + widths[bucket], end - 1)
        for pivot in range(pivots[bucket], last):
            one = items[pivot]
            for other in range(pivot + 1, end):
                two = items[other]
                if not are_apart(one, two, root, sides):
                    continue
                left[count] = one
                right[count] = two
                count += 1
        pivots[bucket] = last
    return count


@kernel
def unseen(left, right, table, room):
    """Keep, in place, the candidates that are not in `table`, and add them to it as long as it has room.

    Return the number kept and the room left. The size of `table` is a power of two.
    """
    mask = np.uint64(table.size - 1)
    count = 0
    for i in range(left.size):
        low, high = min(left[i], right[i]), max(left[i], right[i])
        code = (np.uint64(low) << np.uint64(32) | np.uint64(high)) + np.uint64(1)
        mixed = (code ^ code >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
        at = mixed >> np.uint64(24) & mask
        while table[at] != np.uint64(0) and table[at] != code:
            at = (at + np.uint64(1)) & mask
        if table[at] == code:
            continue
        if room > 0:
            table[at] = code
            room -= 1
        left[count] = left[i]
        right[count] = right[i]
        count += 1
    return count, room
