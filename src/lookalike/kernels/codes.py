"""Vectors as short codes of bits: which of many may be the nearest; and the nearest of those whose score is known."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import count_ones, inline, kernel


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
def distance(queries, q, begin, codes, i):
    """Count the bits in which a query, from a word on, and a part of a code differ."""
    apart = 0
    for word in range(codes.shape[1]):
        apart += count_ones(queries[q, begin + word] ^ codes[i, word])
    return apart


@kernel
def near_codes(queries, codes, most, wanted, work, rows, places):
    """Write for each query the places of the codes that differ least from its own, `wanted` at most; return how many.

    Codes have three parts, one array each, the first of two words. What differs by no more than `most[0]` in the first is
    looked at on, and of that again what differs by no more than `most[1]` in the first two. `rows` says whose the places
    are. `work` is room for a number and a place for each code, and for a count of each distance.
    """
    distances, kept, counts = work
    first, second, third = codes
    filled = 0
    for q in range(queries.shape[0]):
        one, two = queries[q, 0], queries[q, 1]
        left = 0
        for i in range(first.shape[0]):  # without a branch, which would often be mispredicted
            apart = count_ones(one ^ first[i, 0]) + count_ones(two ^ first[i, 1])
            kept[left] = i
            distances[left] = apart
            left += apart <= most[0]
        still = 0
        for i in range(left):
            apart = distances[i] + distance(queries, q, 2, second, kept[i])
            kept[still] = kept[i]
            distances[still] = apart
            still += apart <= most[1]
        counts[:] = 0
        for i in range(still):
            apart = distances[i] + distance(queries, q, 2 + second.shape[1], third, kept[i])
            distances[i] = apart
            counts[apart] += 1
        last = 0
        spare = np.int64(wanted)
        while last < counts.size - 1 and spare >= counts[last]:
            spare -= counts[last]
            last += 1
        for i in range(still):
            if distances[i] < last or (distances[i] == last and spare > 0):
                spare -= distances[i] == last
                rows[filled] = q
                places[filled] = kept[i]
                filled += 1
    return filled


@kernel
def code_ranks(queries, codes, answers, work, apart, ranks):
    """Write by how much the codes of answers differ from a query's, with one part, two and three; and their rank.

    The rank is how many codes differ by no more, in all parts. An answer is a place; -1 is none.
    """
    distances, counts = work
    for q in range(queries.shape[0]):
        at = 0
        distances[:] = 0
        for part in range(len(codes)):
            for i in range(distances.size):
                distances[i] += distance(queries, q, at, codes[part], i)
            at += codes[part].shape[1]
            for j in range(answers.shape[1]):
                apart[part, q, j] = distances[answers[q, j]] if answers[q, j] >= 0 else 0
        counts[:] = 0
        for i in range(distances.size):
            counts[distances[i]] += 1
        for i in range(1, counts.size):
            counts[i] += counts[i - 1]
        for j in range(answers.shape[1]):
            ranks[q, j] = counts[distances[answers[q, j]]] if answers[q, j] >= 0 else 0


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
