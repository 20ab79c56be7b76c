"""Kernels for the best results: insertion of scores in order, and selection of products that may be among the best."""

from __future__ import annotations

from lookalike.kernels.jit import inline, kernel


@kernel
def keep_best(rows, items, scores, own, best_items, best_scores):
    """Insert scores of items into the best of each row, which are in order: highest score first, then lowest item.

    Free positions have the item -1. A row never takes its own item.
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
    """Return whether an item precedes another."""
    return other_item < 0 or score > other_score or (score == other_score and item < other_item)


@kernel
def gather_above_bounds(products, bounds, first, rows, columns):
    """Write the positions of products that reach the bound of their row; return their number and the row reached.

    It begins with the row `first`, and stops before a row that might not fit.
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
