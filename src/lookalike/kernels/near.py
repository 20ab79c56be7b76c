"""Sets -> the nearest of each, exactly, by lists of which sets have an element.

The lists of a set's elements are gone through, the short ones first, and the sets in them counted. Now and then those
that look best are compared in full: whoever is to be among the k nearest must reach the worst of these. Soon what is
left of the lists, the long ones, is too little for a set that was in none so far. Then the lists left are only asked
about the sets that can still make it.

Sets are in the order of their sizes. So how much must be shared grows from each to the next, and it is enough to look
at the greatest count of some of them at a time.
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
"""Where fewer than 1 in so many sets are counted, these are listed, and not looked for among all."""

GROUP = 128
"""Sets whose counts are looked at together."""

ASK, COUNT = 12.0, 1.5
"""What it costs to ask a list about a set, and to count a set of it: nanoseconds, about; only the ratio matters."""

DEAR = 64
"""Sets that are counted in the time that a list is asked about one, about, if the list is long."""

ROUNDING = 1e-12
"""What rounding can make of a share, and far more."""


@kernel
def gather_shared(elements, begins, sizes, seen, keys, members):
    """Write the elements that several sets have, as `seen` tells, and whose they are; return how many."""
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
    """Put each run of equal keys in a table, with where it begins and ends."""
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
def find_nearest(asked, base, index, goal, work, best):
    """Take the sets of the base into the best of each set that is asked for; return how many sets were scored.

    `asked` is (elements, where each set begins, sizes, items); `base` is (sizes, in order, items, places: 0, 1, 2...).
    `index` is (table, begins, ends, members). `goal` is (measure, least similarity that is wanted). `work` is (counts,
    all 0, and touched, with room for each set of the base; lists, with room for each element of a set asked for;
    leaders, with room for the best of one row and one more). `best` is (items, scores), as `keep_best` has them.
    """
    elements, begins, sizes, items = asked
    counts, _, lists, _ = work
    scored = 0
    for row in range(begins.size):
        found = find_lists(elements[begins[row] : begins[row] + sizes[row]], index, lists)
        total = 0
        for one in lists[:found]:
            total += one >> 32
        question = (row, np.int64(sizes[row]), items[row], found)
        if total * FEW < counts.size:
            scored += find_among_few(question, base, index[3], goal, work, best)
        else:
            scored += find_among_many(question, base, index[3], goal, work, best)
    return scored


@kernel
def find_among_few(question, base, members, goal, work, best):
    """Count the sets of all lists and take them into the best of a row; return how many they are."""
    row, size, own, found = question
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
def find_among_many(question, base, members, goal, work, best):
    """Count the sets of the short lists, ask the long ones, and take sets into the best of a row."""
    row, size, own, found = question
    counts, touched, lists, _ = work
    sizes, items, _ = base
    measure, least = goal
    done, bound = count_lists(question, base, members, (measure, bound_of(best, row, least)), work)
    if done < found:
        able = find_able(counts, sizes, size, found - done, (measure, bound), touched)
        if cheap_to_count(lists[done:found], able):
            count_members(lists[done:found], members, counts)
            done = found
    if done == found:
        scored = take_best(counts, (sizes, items), (size, own), (measure, bound), (best[0], best[1], row))
        counts[:] = 0
        return scored
    for one in touched[:able]:
        bound = max(bound, bound_of(best, row, least))
        shared = ask(one, np.int64(counts[one]), lists[done:found], members, (measure, bound), size, sizes)
        if shared > 0 and items[one] != own:
            insert(best, row, items[one], similarity(measure, shared, size, np.int64(sizes[one])))
    counts[:] = 0
    return able


@kernel
def count_lists(question, base, members, goal, work):
    """Count the sets of lists until no other can be among the best; return how many lists are done, and the bound."""
    _, size, own, found = question
    counts, _, lists, _ = work
    measure, bound = goal
    counted = 0
    for i in range(found):
        rest = np.int64(found - i)
        if counted >= counts.size + work[3][0].size * rest * DEAR:
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
def bound_by_leaders(question, left, base, members, measure, work):
    """Compare the sets in full that look best so far; return the least of their scores, or -1 if there are too few."""
    size, own = question
    counts, _, _, (leaders, scores) = work
    sizes, items, places = base
    leaders[:] = -1
    scores[:] = -np.inf
    take_best(counts, (sizes, places), (size, -2), (measure, 0.0), (leaders, scores, 0))
    least = np.inf
    others = 0
    for one in leaders[0]:
        if one >= 0 and items[one] != own:
            shared = ask(one, np.int64(counts[one]), left, members, (measure, 0.0), size, sizes)
            least = min(least, similarity(measure, shared, size, np.int64(sizes[one])))
            others += 1
    return least if others >= leaders.shape[1] - 1 else -1.0


@kernel
def take_best(counts, base, question, goal, best):
    """Take sets by what was counted into the best of a row, but not the one asked for; return how many were scored."""
    sizes, items = base
    size, own = question
    measure, least = goal
    found = (best[0], best[1])
    row = best[2]
    scored = 0
    for begin in range(0, counts.size, GROUP):
        group = counts[begin : begin + GROUP]
        limit = enough((measure, bound_of(found, row, least)), size, np.int64(sizes[begin]))
        if greatest(group) < limit:
            continue
        for i in range(group.size):
            if group[i] >= limit:
                one = begin + i
                scored += 1
                score = similarity(measure, np.int64(group[i]), size, np.int64(sizes[one]))
                if score >= least and items[one] != own:
                    insert(found, row, items[one], score)
    return scored


@kernel
def find_able(counts, sizes, size, rest, goal, out):
    """Write the sets that reach the goal if they share all of the rest; return how many."""
    filled = 0
    for begin in range(0, counts.size, GROUP):
        group = counts[begin : begin + GROUP]
        limit = enough(goal, size, np.int64(sizes[begin])) - rest
        if greatest(group) >= limit:
            for i in range(group.size):
                out[filled] = begin + i
                filled += group[i] >= limit
    return filled


@kernel
def greatest(counts):
    """Return the greatest of some counts; as a loop of its own it is done many at a time."""
    most = counts[0]
    for count in counts:
        most = max(most, count)
    return np.int64(most)


@inline
def enough(goal, one, two):
    """Return the least that sets must share to reach a score, at least 1; the second has this size, or a greater."""
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
    """Write the lists of the elements of a set, the shortest first; return how many there are."""
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
    """Return where a list begins."""
    return one & np.int64(0xFFFFFFFF)


@inline
def end_of(one):
    """Return where a list ends."""
    return (one & np.int64(0xFFFFFFFF)) + (one >> 32)


@inline
def bound_of(best, row, least):
    """Return the score that is needed to be among the best of a row."""
    last = best[0].shape[1] - 1
    return max(best[1][row, last], least) if best[0][row, last] >= 0 else least


@kernel
def cheap_to_count(lists, sets):
    """Tell whether it takes less to count all that is in lists than to ask each about so many sets."""
    total = 0
    steps = 0.0
    for one in lists:
        total += one >> 32
        steps += math.log2(np.float64(one >> 32) + 1)
    return COUNT * total < ASK * steps * sets


@kernel
def ask(one, shared, lists, members, goal, size, sizes):
    """Return how much a set shares, given the lists that are left; or 0 as soon as it cannot reach the goal."""
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
    """Take an item into the best of a row, if it is among them."""
    items, scores = best
    at = items.shape[1] - 1
    if comes_before(score, item, scores[row, at], items[row, at]):
        while at > 0 and comes_before(score, item, scores[row, at - 1], items[row, at - 1]):
            scores[row, at] = scores[row, at - 1]
            items[row, at] = items[row, at - 1]
            at -= 1
        scores[row, at] = score
        items[row, at] = item
