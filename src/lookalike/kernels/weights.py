"""Kernels for weighted sets: sorting, comparison, the prefix filter, and scans.

A set of n elements is 2 n numbers of 64 bits: the hashes of its elements in ascending order, then their weights. The
offset of a set is counted in such numbers, its size in elements.

Sums of weights are rounded, in an order that may differ. Filters allow for that by `SLACK`, and by `ROUNDED` per
addition. A similarity itself is summed in the order of hashes, whichever set comes first.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.buckets import are_apart
from lookalike.kernels.hashing import finish, hash_number
from lookalike.kernels.jit import inline, kernel
from lookalike.kernels.prefix import ANY, bits_apart, frequency, rarity
from lookalike.kernels.shingles import place

REST = np.float32
"""The type of the rest of a set from an element on: its share of the total, rounded up."""

SLACK = 1e-6
ROUNDED = 2.0**-51

FEW = 24
"""The number of elements up to which insertion sort is faster."""


@kernel
def pack(numbers, weights, offsets, spare, out, bounds):
    """Write the sets of items whose elements are numbers. `bounds` holds where each begins and ends in `out`.

    Weights of duplicate elements are summed, in the given order. `spare` is that of `sort_pairs`.
    """
    values = out.view(np.float64)
    bounds[0] = 0
    filled = 0
    for item in range(offsets.size - 1):
        size = offsets[item + 1] - offsets[item]
        hashes = out[filled : filled + size]
        held = values[filled + size : filled + 2 * size]
        for i in range(size):
            hashes[i] = finish(hash_number(numbers[offsets[item] + i]))
            held[i] = weights[offsets[item] + i]
        sort_pairs(hashes, held, spare)
        kept = add_equal(hashes, held)
        for i in range(kept if kept < size else 0):
            values[filled + kept + i] = held[i]
        filled += 2 * kept
        bounds[item + 1] = filled


@kernel
def sort_pairs(hashes, weights, spare):
    """Sort hashes with their weights, stably.

    Runs are sorted by insertion and, if there are several, merged in `spare`: room for as many hashes and weights.
    (NumPy's sort by index would take seconds to compile, and so would copying one array to another.)
    """
    size = hashes.size
    for begin in range(0, size, FEW):
        insert_pairs(hashes[begin : begin + FEW], weights[begin : begin + FEW])
    if size <= FEW:
        return
    merged, merged_weights = spare[0][:size], spare[1][:size]
    width = FEW
    while width < size:
        for begin in range(0, size, 2 * width):
            i, j = begin, min(begin + width, size)
            middle, end = j, min(j + width, size)
            for k in range(begin, end):
                if j == end or (i < middle and hashes[i] <= hashes[j]):
                    merged[k], merged_weights[k] = hashes[i], weights[i]
                    i += 1
                else:
                    merged[k], merged_weights[k] = hashes[j], weights[j]
                    j += 1
        for k in range(size):
            hashes[k], weights[k] = merged[k], merged_weights[k]
        width *= 2


@kernel
def insert_pairs(hashes, weights):
    """Sort a few hashes with their weights."""
    for i in range(1, hashes.size):
        h, weight = hashes[i], weights[i]
        j = i
        while j > 0 and hashes[j - 1] > h:
            hashes[j] = hashes[j - 1]
            weights[j] = weights[j - 1]
            j -= 1
        hashes[j] = h
        weights[j] = weight


@kernel
def add_equal(hashes, weights):
    """Merge adjacent equal hashes, with the sum of their weights; return the number of hashes left."""
    kept = 0
    for i in range(hashes.size):
        if kept > 0 and hashes[kept - 1] == hashes[i]:
            weights[kept - 1] += weights[i]
        else:
            hashes[kept] = hashes[i]
            weights[kept] = weights[i]
            kept += 1
    return kept


@kernel
def totals(numbers, begins, sizes, out):
    """Write the total weight of each set."""
    weights = numbers.view(np.float64)
    for item in range(begins.size):
        middle = begins[item] + sizes[item]
        total = 0.0
        for i in range(middle, middle + sizes[item]):
            total += weights[i]
        out[item] = total


@kernel
def weighted_jaccard(one, one_weights, two, two_weights):
    """Return sum(min) / sum(max) of the weights of two sets."""
    i = 0
    j = 0
    both = 0.0
    either = 0.0
    while i < one.size and j < two.size:
        if one[i] == two[j]:
            both += min(one_weights[i], two_weights[j])
            either += max(one_weights[i], two_weights[j])
            i += 1
            j += 1
        elif one[i] < two[j]:
            either += one_weights[i]
            i += 1
        else:
            either += two_weights[j]
            j += 1
    for k in range(i, one.size):
        either += one_weights[k]
    for k in range(j, two.size):
        either += two_weights[k]
    return both / either


@kernel
def similarities(left, right, lefts, rights, threshold, out):
    """Write the similarity of each left set with the right one, or 0 where it is below the threshold.

    `lefts` and `rights` are (numbers, begins of sets, their sizes).
    """
    ones, one_begins, one_sizes = lefts
    twos, two_begins, two_sizes = rights
    one_weights, two_weights = ones.view(np.float64), twos.view(np.float64)
    for i in range(left.size):
        begin = one_begins[left[i]]
        middle = begin + one_sizes[left[i]]
        other = two_begins[right[i]]
        half = other + two_sizes[right[i]]
        similarity = weighted_jaccard(
            ones[begin:middle], one_weights[middle : 2 * middle - begin],
            twos[other:half], two_weights[half : 2 * half - other],
        )  # fmt: skip
        out[i] = similarity if similarity >= threshold else 0.0


# The prefix filter


@inline
def may_reach(threshold, shared, one, two):
    """Return whether sets of two total weights that share at most `shared` can reach the threshold."""
    return shared * (1.0 + threshold) * (1.0 + SLACK) >= threshold * (one + two)


@kernel
def prefixes(part, totals, threshold, marks, work, out):
    """Write the elements by which members may be found; return their number.

    The columns of `out` are the key of each element, its owner, and the share of the set's weight left from it on. Rare
    elements come first. The prefix ends where too little weight is left to reach the threshold. Elements that cannot be
    shared are skipped. `part` is (numbers, begins of members, their sizes, members). `totals` are by item. `marks` is
    the output of `mark_elements`. `work` is two arrays as `spare` of `sort_pairs`.
    """
    numbers, begins, sizes, members = part
    keys, owners, rests = out
    seen, counts = marks
    weights = numbers.view(np.float64)
    apart = bits_apart(seen, counts)
    filled = 0
    for i in range(members.size):
        begin, middle = begins[i], begins[i] + sizes[i]
        order, held = work[0][0][: sizes[i]], work[0][1][: sizes[i]]
        for j in range(sizes[i]):
            h = numbers[begin + j]
            order[j] = rarity(h, frequency(h, seen, counts, apart), False)
            held[j] = weights[middle + j]
        sort_pairs(order, held, work[1])
        total = totals[members[i]]
        rest = total
        share = 1.0
        for j in range(sizes[i]):
            key = order[j]
            if j == 0 or key != order[j - 1]:
                share = rest / total + sizes[i] * ROUNDED
                if share * (1.0 + SLACK) < threshold:
                    break
            rest -= held[j]
            if key >> np.uint64(47) & np.uint64(ANY) > np.uint64(1):
                keys[filled] = key
                owners[filled] = members[i]
                rests[filled] = np.float32(share * (1.0 + SLACK / 4))
                filled += 1
    return filled


@kernel
def find_short(owners, rests, totals, threshold, short):
    """Write which entries are short: their element is early enough to find another set of the same weight by it.

    Of two sets, the lighter one is always found by a short entry.
    """
    for i in range(owners.size):
        total = totals[owners[i]]
        short[i] = may_reach(threshold, np.float64(rests[i]) * total, total, total)


@kernel
def propose_prefixes(entries, bounds, pivots, widths, root, sides, sets, threshold, left, right):
    """Write the candidates of each bucket's next pivots with the entries after them; return their number.

    `sets` is (owner of each entry, share of its weight left from the shared element on, totals of items). A candidate
    must be able to reach the threshold with the weight left.
    """
    owners, rests, totals = sets
    count = 0
    for bucket in range(pivots.size):
        end = bounds[bucket, 1]
        last = min(pivots[bucket] + widths[bucket], end - 1)
        for pivot in range(pivots[bucket], last):
            item = owners[entries[pivot]]
            total = totals[item]
            rest = np.float64(rests[entries[pivot]]) * total
            for i in range(pivot + 1, end):
                other = owners[entries[i]]
                if not are_apart(item, other, root, sides):
                    continue
                shared = min(rest, np.float64(rests[entries[i]]) * totals[other])
                if not may_reach(threshold, shared, total, totals[other]):
                    continue
                left[count] = item
                right[count] = other
                count += 1
        pivots[bucket] = last
    return count


# A few sets against many


@kernel
def find_resembling(sets, first, index, totals, threshold, work, out):
    """Write which of the few sets may reach the threshold with each set from `first` on.

    Return their number, and the set it stopped at. `sets` is (numbers, begins of sets, their sizes). `index` is (table,
    starts, keys, members, weights): `starts` is where a run of equal `keys` begins, with the set and weight of each.
    `totals` are those of the few. `work` is (shared and touched, with room for each of the few, shared all 0). `out` is
    (set, position among the few). It stops when the hits of another set might not fit.
    """
    numbers, begins, sizes = sets
    table, starts, keys, members, held = index
    shared, touched = work
    weights = numbers.view(np.float64)
    mask = np.uint64(table.size - 1)
    filled = 0
    for i in range(first, begins.size):
        if filled + totals.size > out[0].size:
            return filled, i
        count = 0
        total = 0.0
        for k in range(begins[i], begins[i] + sizes[i]):
            weight = weights[k + sizes[i]]
            total += weight
            at = place(table, mask, numbers[k])
            if table[at] != numbers[k]:
                continue
            j = starts[at]
            while j < keys.size and keys[j] == numbers[k]:
                one = members[j]
                if shared[one] == 0.0:
                    touched[count] = one
                    count += 1
                shared[one] += min(weight, held[j])
                j += 1
        for k in range(count):
            one = touched[k]
            if may_reach(threshold, shared[one], total, totals[one]):
                out[0][filled] = i
                out[1][filled] = one
                filled += 1
            shared[one] = 0.0
    return filled, begins.size
