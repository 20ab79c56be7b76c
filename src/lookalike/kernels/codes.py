"""Vectors as short codes of bits: which of many may be the nearest; and the nearest of those whose score is known."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import count_ones, inline, kernel

FIRST, SECOND, THIRD = 2, 6, 8
"""Words of 64 bits in each part of a code. The first is looked at for all vectors, the second for what it leaves, a few
in ten perhaps, and the third for what that leaves, a few in a hundred."""

WORDS = FIRST + SECOND + THIRD

TILE = 1 << 13
"""Codes whose first part stays in a cache while several queries are compared with it."""


@kernel
def pack_codes(products, codes):
    """Write the signs of products as bits of 64-bit words."""
    for i in range(codes.shape[0]):
        for word in range(codes.shape[1]):
            bits = np.uint64(0)
            for j in range(word * 64, word * 64 + 64):
                bits = bits << np.uint64(1) | np.uint64(products[i, j] > 0)
            codes[i, word] = bits


@inline
def second_distance(queries, q, codes, i):
    """Count the bits in which a query and a code differ in the second part; so many words are no loop."""
    apart = 0
    for word in range(SECOND):
        apart += count_ones(queries[q, FIRST + word] ^ codes[i, word])
    return apart


@inline
def third_distance(queries, q, codes, i):
    """Count the bits in which a query and a code differ in the third part."""
    apart = 0
    for word in range(THIRD):
        apart += count_ones(queries[q, FIRST + SECOND + word] ^ codes[i, word])
    return apart


@inline
def first_distance(queries, q, codes, i):
    """Count the bits in which a query and a code differ in the first part."""
    return count_ones(queries[q, 0] ^ codes[i, 0]) + count_ones(queries[q, 1] ^ codes[i, 1])


@kernel
def sift(query, codes, begin, end, most, kept, distances):
    """Write the places of codes whose first part is close to a query's, and by how much it differs; return how many.

    There is no branch: it would often be mispredicted.
    """
    one, two = query[0], query[1]
    at = 0
    for i in range(begin, end):
        apart = count_ones(one ^ codes[i, 0]) + count_ones(two ^ codes[i, 1])
        kept[at] = i
        distances[at] = apart
        at += apart <= most
    return at


@kernel
def near_codes(queries, codes, most, wanted, work, rows, places):
    """Write for each query the places of the codes that differ least from its own, `wanted` at most; return how many.

    Codes have three parts, one array each. What differs by no more than `most[0]` in the first is looked at on, and of
    that again what differs by no more than `most[1]` in the first two. `rows` says whose the places are. `work` is room
    for a distance and a place for each query and code, and for a count of each distance.
    """
    distances, kept, counts = work
    first, second, third = codes
    left = np.zeros(queries.shape[0], np.int64)
    for begin in range(0, first.shape[0], TILE):
        end = min(begin + TILE, first.shape[0])
        for q in range(queries.shape[0]):
            left[q] += sift(queries[q], first, begin, end, most[0], kept[q, left[q] :], distances[q, left[q] :])
    filled = 0
    for q in range(queries.shape[0]):
        still = 0
        for i in range(left[q]):
            place = kept[q, i]
            apart = distances[q, i] + second_distance(queries, q, second, place)
            kept[q, still] = place
            distances[q, still] = apart
            still += apart <= most[1]
        counts[:] = 0
        for i in range(still):
            apart = distances[q, i] + third_distance(queries, q, third, kept[q, i])
            distances[q, i] = apart
            counts[apart] += 1
        last = 0
        spare = np.int64(wanted)
        while last < counts.size - 1 and spare >= counts[last]:
            spare -= counts[last]
            last += 1
        for i in range(still):
            if distances[q, i] < last or (distances[q, i] == last and spare > 0):
                spare -= distances[q, i] == last
                rows[filled] = q
                places[filled] = kept[q, i]
                filled += 1
    return filled


@kernel
def code_ranks(queries, codes, answers, work, apart, ranks):
    """Write by how much the codes of answers differ from a query's, with one part, two and three; and their rank.

    The rank is how many codes differ by no more, in all parts. An answer is a place; -1 is none.
    """
    distances, counts = work
    first, second, third = codes
    for q in range(queries.shape[0]):
        counts[:] = 0
        for i in range(distances.size):
            total = first_distance(queries, q, first, i) + second_distance(queries, q, second, i)
            total += third_distance(queries, q, third, i)
            distances[i] = total
            counts[total] += 1
        for i in range(1, counts.size):
            counts[i] += counts[i - 1]
        for j in range(answers.shape[1]):
            place = answers[q, j]
            if place >= 0:
                apart[0, q, j] = first_distance(queries, q, first, place)
                apart[1, q, j] = apart[0, q, j] + second_distance(queries, q, second, place)
                ranks[q, j] = counts[distances[place]]


@kernel
def count_passing(queries, codes, most):
    """Return how many codes pass the first part, and the second, of all queries."""
    first, second, _ = codes
    one = two = 0
    for q in range(queries.shape[0]):
        for i in range(first.shape[0]):
            apart = first_distance(queries, q, first, i)
            if apart <= most[0]:
                one += 1
                two += apart + second_distance(queries, q, second, i) <= most[1]
    return one, two


@kernel
def keep_best(rows, items, scores, own, best_items, best_scores):
    """Take the scores of items into the best of each row, which are in order: greatest score first, then least item.

    Places that are not taken yet have the item -1. A row does not take its own item.
    """
    last = best_items.shape[1] - 1
    for i in range(rows.size):
        row, item, score = rows[i], items[i], scores[i]
        if item == own[row] or not comes_before(score, item, best_scores[row, last], best_items[row, last]):
            continue
        at = last
        while at > 0 and comes_before(score, item, best_scores[row, at - 1], best_items[row, at - 1]):
            best_scores[row, at] = best_scores[row, at - 1]
            best_items[row, at] = best_items[row, at - 1]
            at -= 1
        best_scores[row, at] = score
        best_items[row, at] = item


@inline
def comes_before(score, item, other_score, other_item):
    """Tell whether an item goes before another."""
    return other_item < 0 or score > other_score or (score == other_score and item < other_item)


@kernel
def gather_above_bounds(products, bounds, first, rows, columns):
    """Write the places of products that reach the bound of their row; return how many, and the row it came to.

    It begins with the row `first`, and stops before one that might not fit.
    """
    filled = 0
    for i in range(first, products.shape[0]):
        if filled + products.shape[1] > rows.size:
            return filled, i
        for j in range(products.shape[1]):
            if products[i, j] >= bounds[i]:
                rows[filled] = i
                columns[filled] = j
                filled += 1
    return filled, products.shape[0]
