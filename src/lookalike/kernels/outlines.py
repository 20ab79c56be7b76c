"""Outlines of sets: a few bits from which follows how much two sets share at most.

Each element belongs to one bit, and a bit tells whether an odd number of the elements of a set belongs to it. What both
sets have does not matter then: two outlines differ in no more bits than the sets in elements. Most sets that meet by an
element that is not so rare are told apart by this, before anything else of them is looked up.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import count_ones, inline, kernel
from lookalike.kernels.measures import guess_needed, reaches

BITS = np.uint64(63)
"""The last bit of a word."""

SLACK = 0.001
"""By how much less than guessed may have to be shared: a guess is a little wrong."""


@kernel
def draw_outlines(elements, begins, ends, members, outlines):
    """Write the outline of each member, whose set is `elements[begins[i]:ends[i]]`; the words are a power of two."""
    words = np.uint64(outlines.shape[1] - 1)
    for i in range(members.size):
        outline = outlines[members[i]]
        outline[:] = np.uint64(0)
        for h in elements[begins[i] : ends[i]]:
            outline[h >> np.uint64(40) & words] ^= np.uint64(1) << (h >> np.uint64(56) & BITS)


@kernel
def lay_out(entries, sets, outlines, out):
    """Put what is known of the entries of a bucket side by side: owners, rests, sizes, outlines folded to two words."""
    owners, rests, sizes = sets
    held, left, large, first, second = out
    for i in range(entries.size):
        owner = owners[entries[i]]
        held[i] = owner
        left[i] = rests[entries[i]]
        large[i] = sizes[owner]
        first[i] = np.uint64(0)
        second[i] = np.uint64(0)
        for word in range(0, outlines.shape[1], 2):
            first[i] ^= outlines[owner, word]
            second[i] ^= outlines[owner, word + 1]


@kernel
def sift(goal, one, rests, sizes, first, second, kept):
    """Write which sets may reach the threshold with another; return how many. There is no branch: it would be missed.

    `one` is the size of the other set and the two words of its outline.
    """
    size, here, there = one
    found = 0
    for i in range(sizes.size):
        apart = count_ones(here ^ first[i]) + count_ones(there ^ second[i])
        shared = min((size + sizes[i] - apart) >> 1, np.int64(rests[i]))
        kept[found] = i
        found += shared >= guess_needed(goal, np.float64(size), np.float64(sizes[i])) - SLACK
    return found


@inline
def differ(outlines, one, two):
    """Count the bits in which two outlines differ."""
    apart = 0
    for word in range(outlines.shape[1]):
        apart += count_ones(outlines[one, word] ^ outlines[two, word])
    return apart


@kernel
def propose_by_outlines(entries, rows, root, sides, sets, outlines, goal, work, left, right):
    """Write the candidates of some pivots with the entries after them, as far as there is room; return how many.

    Each row is the first of some pivots, the last but one, and the end of their bucket. `sets` is (owner of each entry,
    elements left from the shared one on, sizes of items). A candidate must be able to reach the threshold with what is
    left, and with what outlines allow to be shared. `work` is room for the columns of `lay_out`, and for places.
    """
    held, rests, sizes, first, second, kept = work
    count = 0
    for row in range(rows.shape[0]):
        begin, last, end = rows[row]
        lay_out(entries[begin:end], sets, outlines, (held, rests, sizes, first, second))
        for one in range(last - begin):
            rest = slice(one + 1, end - begin)
            pivot = (np.int64(sizes[one]), first[one], second[one])
            item = held[one]
            for i in kept[: sift(goal, pivot, rests[rest], sizes[rest], first[rest], second[rest], kept)]:
                two = one + 1 + i
                other = held[two]
                both = np.int64(sizes[one]) + np.int64(sizes[two])
                shared = min((both - differ(outlines, item, other)) >> 1, np.int64(min(rests[one], rests[two])))
                if not reaches(goal, shared, np.int64(sizes[one]), np.int64(sizes[two])):
                    continue
                if root[item] == root[other] or (sides.size > 0 and sides[item] | sides[other] != 3):
                    continue
                if count < left.size:
                    left[count] = item
                    right[count] = other
                count += 1
    return count
