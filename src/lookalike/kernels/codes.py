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


@kernel
def near_codes(queries, codes, wanted, work, rows, places):
    """Write for each query the places of the codes that differ least from its own; return how many in all.

    There are `wanted` of each, or fewer if some differ as much as the last of them; `rows` says whose they are. `work`
    is room for a number for each code, and for one more than each has bits.
    """
    distances, counts = work
    filled = 0
    for q in range(queries.shape[0]):
        counts[:] = 0
        for i in range(codes.shape[0]):
            apart = 0
            for word in range(codes.shape[1]):
                apart += count_ones(queries[q, word] ^ codes[i, word])
            distances[i] = apart
            counts[apart] += 1
        most = -1
        total = 0
        while most + 1 < counts.size and total + counts[most + 1] <= wanted:
            most += 1
            total += counts[most]
        left_over = wanted - total
        for i in range(codes.shape[0]):
            if distances[i] <= most or (distances[i] == most + 1 and left_over > 0):
                left_over -= distances[i] == most + 1
                rows[filled] = q
                places[filled] = i
                filled += 1
    return filled


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
