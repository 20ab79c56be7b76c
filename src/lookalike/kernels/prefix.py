"""The prefix filter (AllPairs, PPJoin): candidates among sets that include every pair.

Order the elements of all sets in the same way, rare ones first. Two sets that reach the threshold then share an element
among the first few of each, their prefixes; and from the first such element on, enough is left of both. Elements that
no other set has are never shared: they are most of a prefix, often all of it.

Any order will do, so elements with a hash below a cutoff come before all others. If they suffice for the prefix of a
set, as they nearly always do, the others need not be counted, stored or sorted.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.buckets import are_apart
from lookalike.kernels.jit import add_atomically, inline, kernel, or_atomically
from lookalike.kernels.measures import prefix_length, reaches
from lookalike.kernels.shingles import fingerprint

MAX_COUNT = 65000
"""The approximate maximum of a counter."""

ANY = 65535
"""A count above that of any counter."""

REST = np.int32
"""The type of the rest of a set from an element on: a number of elements."""

NEITHER, ONCE, AGAIN, BOTH = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
"""The meaning of the two bits of an element: seen, and seen again; or the sides on which it was seen."""

LATE = np.uint64(1 << 63)
COUNT = np.uint64(47)
LOW_BITS = np.uint64((1 << 47) - 1)
"""The parts of the numbers that order elements: one bit (late), a count from bit 47 on, and lower bits of the hash."""

FEW = 10
"""The gap up to which the next pass is the last one, with gap 1."""

SMALL = 256
"""Counts below this are distinguished when the rarest elements are selected."""


@kernel
def fingerprints(grams, counts, prints):
    """Write the fingerprint of each item."""
    begin = 0
    for item in range(counts.size):
        prints[item, 0], prints[item, 1] = fingerprint(grams[begin : begin + counts[item]])
        begin += counts[item]


@kernel
def sample_sets(elements, sizes, goal, cutoff, out, picked):
    """Write the elements of each set from which its prefix is chosen; return their number.

    These are the elements below the cutoff, or all elements if those are too few.
    """
    begin = 0
    filled = 0
    for item in range(sizes.size):
        one = elements[begin : begin + sizes[item]]
        begin += sizes[item]
        if one.size == 0:
            picked[item] = 0
            continue
        before = filled
        for h in one:
            out[filled] = h
            filled += h < cutoff
        if filled - before < prefix_length(goal, one.size):
            out[before : before + one.size] = one
            filled = before + one.size
        picked[item] = filled - before
    return filled


@inline
def slot_of(h, seen):
    """Return the slot of an element: two bits of a byte of `seen`. Other elements may share it."""
    slot = h & np.uint64(4 * seen.size - 1)
    return slot, np.int64(slot >> np.uint64(2)), (slot & np.uint64(3)) << np.uint64(1)


@kernel
def bits_apart(seen, counts):
    """Return the number of bits by which a slot's number is longer than its counter's."""
    bits = np.uint64(0)
    while 4 * seen.size >> bits > counts.size:
        bits += np.uint64(1)
    return bits


@kernel
def mark_elements(elements, begins, ends, sides, seen, counts):
    """Mark which elements were seen, and count how often; several threads may do so at a time.

    The bits of a slot mark that it was seen, and seen again; only the repetitions are counted. If `sides` is not empty,
    the bits mark on which sides it was seen, and every occurrence is counted.
    """
    apart = bits_apart(seen, counts)
    for i in range(begins.size):
        side = np.uint64(0 if sides.size == 0 else sides[i])
        for j in range(begins[i], ends[i]):
            slot, at, shift = slot_of(elements[j], seen)
            held = np.uint64(seen[at]) >> shift & BOTH
            if side != NEITHER:
                if held | side != held:
                    or_atomically(seen, at, np.uint8(side << shift))
            elif held != BOTH:
                if held == NEITHER:
                    held = np.uint64(or_atomically(seen, at, np.uint8(ONCE << shift))) >> shift & BOTH
                    if held == NEITHER:
                        continue
                or_atomically(seen, at, np.uint8(AGAIN << shift))
            if counts[slot >> apart] < MAX_COUNT:
                add_atomically(counts, slot >> apart, np.uint16(1))


@inline
def frequency(h, seen, counts, apart):
    """Return the approximate number of sets that have an element; 1 if no pair can share it."""
    slot, at, shift = slot_of(h, seen)
    if seen[at] >> shift & BOTH != BOTH:
        return 1
    return min(np.int64(counts[slot >> apart]), MAX_COUNT) + 1


@inline
def rarity(h, count, late):
    """Return a number that orders elements: early ones first, then rare ones, then by lower bits.

    Two elements may have the same number: that may add a false candidate, but never misses a pair.
    """
    return (LATE if late else np.uint64(0)) | np.uint64(count) << COUNT | h & LOW_BITS


@kernel
def sort_in_place(numbers):
    """Sort numbers by Shell sort: insertion sorts of the numbers a gap apart, with decreasing gaps.

    For short arrays it takes half the time of Numba's own sort, which takes seconds to compile.
    """
    gap = numbers.size
    while gap > 1:
        gap = max(gap * 4 // 9, 1) if gap > FEW else 1
        for i in range(gap, numbers.size):
            one = numbers[i]
            at = i
            while at >= gap and numbers[at - gap] > one:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = one


@kernel
def rarest(one, wanted, cutoff, marks, work):
    """Write the elements of a prefix in order; return their number, and the number of unshared elements before them.

    `one` holds the sampled elements of a set, `wanted` is the length of its prefix. If the early elements are too few
    for it, all elements were sampled. `work` is (room for elements, room for their counts, SMALL numbers).
    """
    order, held, tally = work
    seen, counts, apart = marks
    tally[:] = 0
    early = 0
    for i in range(one.size):
        held[i] = frequency(one[i], seen, counts, apart)
        tally[min(held[i], SMALL - 1)] += one[i] < cutoff
        early += one[i] < cutoff
        if tally[1] >= wanted:
            return 0, wanted
    unique = tally[1]
    take_late = early < wanted
    max_count = 1
    total = unique
    while total < wanted and max_count < SMALL - 1:
        max_count += 1
        total += tally[max_count]
    if max_count == SMALL - 1:
        max_count = ANY
    found = 0
    for i in range(one.size):
        late = one[i] >= cutoff
        order[found] = rarity(one[i], held[i], late)
        found += (late & take_late) | (~late & (held[i] > 1) & (held[i] <= max_count))
    sort_in_place(order[:found])
    return min(found, wanted - unique), unique


@kernel
def prefixes(part, goal, cutoff, marks, work, out):
    """Write the elements by which members may be found; return their number.

    The columns of `out` are the key of each element, its owner, and the number of elements of the set left from it on.
    Elements that cannot be shared are skipped. `part` is (sampled elements, where those of each member begin and end,
    members, sizes of their sets). `marks` is the output of `mark_elements`.
    """
    elements, begins, ends, members, sizes = part
    keys, owners, rests = out
    marks = (*marks, bits_apart(*marks))
    filled = 0
    for i in range(members.size):
        size = np.int64(sizes[i])
        if size == 0:
            continue
        wanted = prefix_length(goal, size)
        found, before = rarest(elements[begins[i] : ends[i]], wanted, cutoff, marks, work)
        order = work[0]
        rest = size - before
        for j in range(found):
            if j == 0 or order[j] != order[j - 1]:
                rest = size - before - j
            if order[j] >> COUNT & np.uint64(ANY) > np.uint64(1):
                keys[filled] = order[j]
                owners[filled] = members[i]
                rests[filled] = rest
                filled += 1
    return filled


@kernel
def find_short(owners, rests, sizes, goal, short):
    """Write which entries are short: their element is early enough to find another set of the same size by it.

    Of two sets, the smaller one is always found by a short entry.
    """
    for i in range(owners.size):
        size = np.int64(sizes[owners[i]])
        short[i] = reaches(goal, np.int64(rests[i]), size, size)


@kernel
def narrow_prefixes(entries, bounds, pivots, widths, root, owners, short, work):
    """Drop, in place, the buckets that have nothing left to compare; return the number of buckets left.

    A bucket is finished when all entries from its pivot on share a root, or none of them is short. In the others, the
    short entries or those without the commonest root, whichever are fewer, move to the front: these are the next
    pivots, and no more are taken at a time.
    """
    left = 0
    for bucket in range(pivots.size):
        pivot, end = pivots[bucket], bounds[bucket, 1]
        if pivot >= end - 1:
            continue
        common = majority_of_owners(entries, pivot, end, root, owners)
        rare = 0
        shorts = 0
        for i in range(pivot, end):
            rare += root[owners[entries[i]]] != common
            shorts += short[entries[i]]
        if rare == 0 or shorts == 0:
            continue
        front = pivot
        moved = 0
        for i in range(pivot, end):
            entry = entries[i]
            if short[entry] if shorts < rare else root[owners[entry]] != common:
                entries[front] = entry
                front += 1
            else:
                work[moved] = entry
                moved += 1
        for i in range(moved):
            entries[front + i] = work[i]
        bounds[left, 0], bounds[left, 1] = bounds[bucket, 0], end
        pivots[left] = pivot
        widths[left] = min(widths[bucket], shorts, rare)
        left += 1
    return left


@kernel
def majority_of_owners(entries, begin, end, root, owners):
    """Return the root that more than half of the owners share, if there is one; else that of any owner."""
    choice = root[owners[entries[begin]]]
    votes = 0
    for i in range(begin, end):
        one = root[owners[entries[i]]]
        if votes == 0:
            choice = one
        votes += 1 if one == choice else -1
    return choice


@kernel
def propose_prefixes(entries, bounds, pivots, widths, root, sides, sets, goal, left, right):
    """Write the candidates of each bucket's next pivots with the entries after them; return their number.

    `sets` is (owner of each entry, elements left from the shared one on, sizes of items). A candidate must be able to
    reach the threshold with the elements left.
    """
    owners, rests, sizes = sets
    count = 0
    for bucket in range(pivots.size):
        end = bounds[bucket, 1]
        last = min(pivots[bucket] + widths[bucket], end - 1)
        for pivot in range(pivots[bucket], last):
            one = entries[pivot]
            item = owners[one]
            size = np.int64(sizes[item])
            for i in range(pivot + 1, end):
                two = entries[i]
                other = owners[two]
                if not are_apart(item, other, root, sides):
                    continue
                if not reaches(goal, min(np.int64(rests[one]), np.int64(rests[two])), size, np.int64(sizes[other])):
                    continue
                left[count] = item
                right[count] = other
                count += 1
        pivots[bucket] = last
    return count
