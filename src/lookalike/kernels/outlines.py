"""Outlines of sets: a few bits that limit how much two sets can share.

Each element is assigned to one bit, and a bit is set if an odd number of the elements of a set are assigned to it.
Shared elements cancel out, so two outlines differ in at most as many bits as the sets differ in elements. This rejects
most sets that collide by a fairly common element, before anything else of them is read.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.buckets import are_apart
from lookalike.kernels.jit import count_ones, inline, kernel
from lookalike.kernels.measures import guess_needed, reaches

BITS = np.uint64(63)
"""The mask of a bit's position in a word."""

SLACK = 0.001
"""The tolerance for the rounding of `guess_needed`."""

GROUP = 64
"""Outlines that are checked together: mostly none of them is close."""


@kernel
def draw_outlines(elements, begins, ends, members, outlines):
    """Write the outline of each member, whose set is `elements[begins[i]:ends[i]]`, in a power of two of words."""
    words = np.uint64(outlines.shape[1] - 1)
    for i in range(members.size):
        outline = outlines[members[i]]
        outline[:] = np.uint64(0)
        for h in elements[begins[i] : ends[i]]:
            outline[h >> np.uint64(40) & words] ^= np.uint64(1) << (h >> np.uint64(56) & BITS)


@kernel
def lay_out(entries, sets, outlines, out):
    """Write the columns of the entries of a bucket: owners, rests, sizes, outlines folded to two words."""
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
def sift(goal, pivot, rests, sizes, first, second, kept):
    """Write which sets may reach the threshold with a pivot; return their number. There is no branch to mispredict.

    `pivot` is the size of the pivot's set and the two words of its outline.
    """
    size, pivot_first, pivot_second = pivot
    found = 0
    for i in range(sizes.size):
        apart = count_ones(pivot_first ^ first[i]) + count_ones(pivot_second ^ second[i])
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
    """Write the candidates of some pivots with the entries after them, as far as there is room; return their number.

    Each row is (first pivot, end of pivots, end of the bucket). `sets` is (owner of each entry, elements left from the
    shared one on, sizes of items). A candidate must be able to reach the threshold with the elements left, and with the
    intersection that outlines allow. `work` is room for the columns of `lay_out`, and for positions.
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


@kernel
def add_two_words(one, two, ones, twos, apart):
    """Add the bits in which two words of one outline differ from those of others. Apart, the loop is vectorised."""
    for i in range(apart.size):
        apart[i] += np.int32(count_ones(one ^ ones[i]) + count_ones(two ^ twos[i]))


@kernel
def write_allowed(goal, size, sizes, allowed):
    """Write in how many elements a set of one size may at most differ from others, to reach the threshold with them."""
    for i in range(sizes.size):
        both = np.float64(size) + np.float64(sizes[i])
        allowed[i] = np.int32(both - 2 * guess_needed(goal, np.float64(size), np.float64(sizes[i])) + SLACK)


@kernel
def any_close(apart, allowed):
    """Return whether any outline differs in as few bits as it may. As a loop of its own, it is vectorised."""
    close = np.int32(0)
    for i in range(apart.size):
        close |= np.int32(apart[i] <= allowed[i])
    return close != 0


@kernel
def window_ends(goal, sizes, ends):
    """Write up to where sets, in order of size, are small enough to reach the threshold with each set."""
    end = 0
    for i in range(sizes.size):
        size = np.int64(sizes[i])
        end = max(end, i + 1)
        while end < sizes.size and reaches(goal, size, size, np.int64(sizes[end])):
            end += 1
        ends[i] = end


@kernel
def measure(columns, one, low, high, apart):
    """Write in how many bits one outline differs from some others, which have a row per word in `columns`."""
    apart[:] = 0
    for word in range(0, columns.shape[0], 2):
        first, second = columns[word], columns[word + 1]
        add_two_words(first[one], second[one], first[low:high], second[low:high], apart)


@kernel
def take_close(item, others, apart, allowed, root, sides, count, left, right):
    """Write the others whose outlines differ in as few bits as they may from that of an item; return the new count."""
    for begin in range(0, others.size, GROUP):
        if not any_close(apart[begin : begin + GROUP], allowed[begin : begin + GROUP]):
            continue
        for i in range(begin, min(begin + GROUP, others.size)):
            if apart[i] <= allowed[i] and are_apart(item, others[i], root, sides):
                if count < left.size:
                    left[count] = item
                    right[count] = others[i]
                count += 1
    return count


@kernel
def propose_all(pivots, listed, columns, root, sides, goal, work, left, right):
    """Write the candidates of some pivots with all sets after them, as far as there is room; return their number.

    `pivots` is (first, end). `listed` is (items in order of size, their sizes, ends of `window_ends`); `columns` has a
    row per word of their outlines. A candidate must be able to reach the threshold with the intersection that outlines
    allow. The others are taken a part at a time, so that their outlines stay in the CPU cache; `work` is room for two
    numbers per item of a part.
    """
    items, sizes, ends = listed
    apart, allowed = work
    first, last = pivots
    count = 0
    for begin in range(first + 1, ends[last - 1], apart.size):
        end = min(begin + apart.size, items.size)
        held = -1
        for one in range(first, last):
            low, high = max(begin, one + 1), min(end, ends[one])
            if low >= high:
                continue
            if sizes[one] != held:
                held = sizes[one]
                write_allowed(goal, held, sizes[begin:end], allowed)
            measure(columns, one, low, high, apart[: high - low])
            near, may = apart[: high - low], allowed[low - begin : high - begin]
            count = take_close(items[one], items[low:high], near, may, root, sides, count, left, right)
    return count
