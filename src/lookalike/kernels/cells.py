"""Vectors in cells -> the nearest of each question, among those of some cells."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline, kernel

LANES = 16
"""Products that are summed beside each other."""


@inline
def single_product(one, two, sums):
    """Return the product of two vectors, in single precision."""
    whole = one.size - one.size % LANES
    for lane in range(LANES):
        sums[lane] = np.float32(0)
    for j in range(0, whole, LANES):
        for lane in range(LANES):
            sums[lane] += one[j + lane] * two[j + lane]
    for j in range(whole, one.size):
        sums[j - whole] += one[j] * two[j]
    total = np.float32(0)
    for lane in range(LANES):
        total += sums[lane]
    return total


@kernel
def look_in_cells(asked, cells, begins, rows, places, scores):
    """Write the places of the rows with the greatest products with each question, among those of some cells.

    Cell c has the rows from `begins[c]` on, up to where the next begins; question q looks in `cells[q]`. Where there
    are fewer rows than places, these are -1.
    """
    last = places.shape[1] - 1
    sums = np.empty(LANES, np.float32)
    for q in range(asked.shape[0]):
        for i in range(last + 1):
            places[q, i] = -1
            scores[q, i] = -np.inf
        for c in range(cells.shape[1]):
            for place in range(begins[cells[q, c]], begins[cells[q, c] + 1]):
                score = single_product(asked[q], rows[place], sums)
                if score > scores[q, last]:
                    at = last
                    while at > 0 and score > scores[q, at - 1]:
                        scores[q, at] = scores[q, at - 1]
                        places[q, at] = places[q, at - 1]
                        at -= 1
                    scores[q, at] = score
                    places[q, at] = place
