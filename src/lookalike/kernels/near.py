"""Kernels that find the nearest sets exactly, by lists of which sets have an element.

The lists of a query's elements are processed, the shortest first, and the sets in them counted. From time to time, the
most promising sets are compared in full: any of the k nearest must reach the worst of these. Soon the remaining lists,
the long ones, are too few for a set that was in none so far. From then on, the remaining lists are only searched for
the sets that can still be among the nearest.

Sets are ordered by size. The required intersection therefore increases from each set to the next, and it suffices to
check the maximum count of a group of sets at a time.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.kernels.best import comes_before
from lookalike.kernels.codes import CONTAINMENT, COSINE, DICE, JACCARD
from lookalike.kernels.jit import inline, kernel
from lookalike.kernels.measures import similarity
from lookalike.kernels.prefix import BOTH, slot_of
from lookalike.kernels.shingles import place

FEW = 16
"""If fewer than 1 in 16 sets are counted, they are listed rather than searched for among all."""

GROUP = 128
"""The number of sets whose counts are checked together."""

SEARCH, COUNT = 12.0, 1.5
"""The cost to search a list for a set, and to count a set in it: approximate nanoseconds; only the ratio matters."""

SEARCH_RATIO = 64
"""The approximate number of sets counted in the time of searching a long list for one set."""

ROUNDING = 1e-12
"""Far more than the rounding error of a share."""


@kernel
def gather_shared(elements, begins, sizes, seen, keys, members):
    """Write the elements that several sets have, according to `seen`, and their sets; return their number."""
    filled = 0
    for i in range(begins.size):
        for j in range(begins[i], begins[i] + sizes[i]):
            _, at, shift = slot_of(elements[j], seen)
            keys[filled] = elements[j]
            members[filled] = i
            filled += np.uint64(seen[at]) >> shift & BOTH == BOTH
    return filled


@kernel
def index_lists(keys, table, begins, ends):
    """Put each run of equal keys in a table, with the positions where it begins and ends."""
    table[:] = np.uint64(0)
    mask = np.uint64(table.size - 1)
    first = 0
    for i in range(1, keys.size + 1):
        if i == keys.size or keys[i] != keys[first]:
            at = place(table, mask, keys[first])
            table[at] = keys[first]
            begins[at] = first
            ends[at] = i
            first = i


@kernel
def find_nearest(queries, base, index, goal, work, best):
    """Insert the sets of the base into the best of each query; return the number of sets scored.

    `queries` is (elements, begins of sets, sizes, items). `base` is (sizes in order, items, positions: 0, 1, 2...).
    `index` is (table, begins, ends, members). `goal` is (measure, minimum similarity). `work` is (counts, all 0, and
    touched, with room for each set of the base; lists, with room for each element of a query; leaders, with room for
    the best of one row and one more). `best` is (items, scores), as in `keep_best`.
    """
    elements, begins, sizes, items = queries
    counts, _, lists, _ = work
    scored = 0
    for row in range(begins.size):
        found = find_lists(elements[begins[row] : begins[row] + sizes[row]], index, lists)
        total = 0
        for one in lists[:found]:
            total += one >> 32
        query = (row, np.int64(sizes[row]), items[row], found)
        if total * FEW < counts.size:
            scored += find_among_few(query, base, index[3], goal, work, best)
        else:
            scored += find_among_many(query, base, index[3], goal, work, best)
    return scored


@kernel
def find_among_few(query, base, members, goal, work, best):
    """Count the sets of all lists and insert them into the best of a row; return their number."""
    row, size, own, found = query
    counts, touched, lists, _ = work
    sizes, items, _ = base
    known = 0
    for i in range(found):
        for j in range(begin_of(lists[i]), end_of(lists[i])):
            one = members[j]
            touched[known] = one
            known += counts[one] == 0
            counts[one] += 1
    for one in touched[:known]:
        score = similarity(goal[0], np.int64(counts[one]), size, np.int64(sizes[one]))
        counts[one] = 0
        if items[one] != own and score >= goal[1]:
            insert(best, row, items[one], score)
    return known


@kernel
def find_among_many(query, base, members, goal, work, best):
    """Count the sets of the short lists, search the long ones, and insert sets into the best of a row."""
    row, size, own, found = query
    counts, touched, lists, _ = work
    sizes, items, _ = base
    measure, min_score = goal
    done, bound = count_lists(query, base, members, (measure, bound_of(best, row, min_score)), work)
    if done < found:
        reachable = find_reachable(counts, sizes, size, found - done, (measure, bound), touched)
        if cheap_to_count(lists[done:found], reachable):
            count_members(lists[done:found], members, counts)
            done = found
    if done == found:
        scored = take_best(counts, (sizes, items), (size, own), (measure, bound), (best[0], best[1], row))
        counts[:] = 0
        return scored
    for one in touched[:reachable]:
        bound = max(bound, bound_of(best, row, min_score))
        shared = search_lists(one, np.int64(counts[one]), lists[done:found], members, (measure, bound), size, sizes)
        if shared > 0 and items[one] != own:
            insert(best, row, items[one], similarity(measure, shared, size, np.int64(sizes[one])))
    counts[:] = 0
    return reachable


@kernel
def count_lists(query, base, members, goal, work):
    """Count the sets of lists until no other can be among the best; return the number of lists done, and the bound."""
    _, size, own, found = query
    counts, _, lists, _ = work
    measure, bound = goal
    counted = 0
    for i in range(found):
        rest = np.int64(found - i)
        if counted >= counts.size + work[3][0].size * rest * SEARCH_RATIO:
            counted = 0
            bound = max(bound, bound_by_leaders((size, own), lists[i:found], base, members, measure, work))
        if similarity(measure, rest, size, rest) < bound:
            return i, bound
        count_members(lists[i : i + 1], members, counts)
        counted += lists[i] >> 32
    return found, bound


@kernel
def count_members(lists, members, counts):
    """Count the sets of some lists."""
    for one in lists:
        for j in range(begin_of(one), end_of(one)):
            counts[members[j]] += 1


@kernel
def bound_by_leaders(query, left, base, members, measure, work):
    """Compare the most promising sets in full; return the minimum of their scores, or -1 if there are too few."""
    size, own = query
    counts, _, _, (leaders, scores) = work
    sizes, items, positions = base
    leaders[:] = -1
    scores[:] = -np.inf
    take_best(counts, (sizes, positions), (size, np.int32(-2)), (measure, 0.0), (leaders, scores, np.int64(0)))
    lowest = np.inf
    others = 0
    for one in leaders[0]:
        if one >= 0 and items[one] != own:
            shared = search_lists(one, np.int64(counts[one]), left, members, (measure, 0.0), size, sizes)
            lowest = min(lowest, similarity(measure, shared, size, np.int64(sizes[one])))
            others += 1
    return lowest if others >= leaders.shape[1] - 1 else -1.0


@kernel
def take_best(counts, base, query, goal, best):
    """Insert sets, by their counts, into the best of a row, except the query itself; return the number scored."""
    sizes, items = base
    size, own = query
    measure, min_score = goal
    found = (best[0], best[1])
    row = best[2]
    scored = 0
    for begin in range(0, counts.size, GROUP):
        group = counts[begin : begin + GROUP]
        limit = min_shared((measure, bound_of(found, row, min_score)), size, np.int64(sizes[begin]))
        if max_count(group) < limit:
            continue
        for i in range(group.size):
            if group[i] >= limit:
                one = begin + i
                scored += 1
                score = similarity(measure, np.int64(group[i]), size, np.int64(sizes[one]))
                if score >= min_score and items[one] != own:
                    insert(found, row, items[one], score)
    return scored


@kernel
def find_reachable(counts, sizes, size, rest, goal, out):
    """Write the sets that reach the goal if they are in all remaining lists; return their number."""
    filled = 0
    for begin in range(0, counts.size, GROUP):
        group = counts[begin : begin + GROUP]
        limit = min_shared(goal, size, np.int64(sizes[begin])) - rest
        if max_count(group) >= limit:
            for i in range(group.size):
                out[filled] = begin + i
                filled += group[i] >= limit
    return filled


@kernel
def max_count(counts):
    """Return the maximum of some counts. As a loop of its own, it is vectorised."""
    maximum = counts[0]
    for count in counts:
        maximum = max(maximum, count)
    return np.int64(maximum)


@inline
def min_shared(goal, one, two):
    """Return the minimum intersection, at least 1, to reach a score with sets of the second size or larger."""
    measure, score = goal
    if measure == JACCARD:
        guess = score * (one + two) / (1.0 + score)
    elif measure == DICE:
        guess = score * (one + two) / 2
    elif measure == COSINE:
        guess = score * math.sqrt(np.float64(one) * np.float64(two))
    else:
        guess = score * (one if measure == CONTAINMENT else min(one, two))
    return max(np.int64(guess * (1 - ROUNDING)), 1)


@kernel
def find_lists(one, index, lists):
    """Write the lists of the elements of a set, the shortest first; return their number."""
    table, begins, ends, _ = index
    mask = np.uint64(table.size - 1)
    found = 0
    for h in one:
        at = place(table, mask, h)
        if table[at] == h:
            lists[found] = np.int64(ends[at] - begins[at]) << 32 | np.int64(begins[at])
            found += 1
    lists[:found].sort()
    return found


@inline
def begin_of(one):
    """Return the position where a list begins."""
    return one & np.int64(0xFFFFFFFF)


@inline
def end_of(one):
    """Return the position where a list ends."""
    return (one & np.int64(0xFFFFFFFF)) + (one >> 32)


@inline
def bound_of(best, row, min_score):
    """Return the minimum score to be among the best of a row."""
    last = best[0].shape[1] - 1
    return max(best[1][row, last], min_score) if best[0][row, last] >= 0 else min_score


@kernel
def cheap_to_count(lists, sets):
    """Return whether counting all sets in lists is cheaper than searching each list for some sets."""
    total = 0
    steps = 0.0
    for one in lists:
        total += one >> 32
        steps += math.log2(np.float64(one >> 32) + 1)
    return COUNT * total < SEARCH * steps * sets


@kernel
def search_lists(one, shared, lists, members, goal, size, sizes):
    """Return the intersection of a set with the query, given the lists left; 0 if it cannot reach the goal."""
    measure, bound = goal
    two = np.int64(sizes[one])
    for i in range(lists.size + 1):
        left = np.int64(lists.size - i)
        if similarity(measure, min(shared + left, two), size, two) < bound:
            return np.int64(0)
        if left == 0:
            break
        low, high = begin_of(lists[i]), end_of(lists[i])
        while low < high:
            middle = (low + high) >> 1
            if members[middle] < one:
                low = middle + 1
            else:
                high = middle
        shared += np.int64(low < end_of(lists[i]) and members[low] == one)
    return shared


@inline
def insert(best, row, item, score):
    """Insert an item into the best of a row, if it is among them."""
    items, scores = best
    at = items.shape[1] - 1
    if comes_before(score, item, scores[row, at], items[row, at]):
        while at > 0 and comes_before(score, item, scores[row, at - 1], items[row, at - 1]):
            scores[row, at] = scores[row, at - 1]
            items[row, at] = items[row, at - 1]
            at -= 1
        scores[row, at] = score
        items[row, at] = item
