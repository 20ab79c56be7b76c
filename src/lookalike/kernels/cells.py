"""Vectors in cells -> the nearest of each question, among those of some cells."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import rough_kernel


@rough_kernel
def search_cells(asked, cells, begins, rows, places, scores):
    """Write the places of the rows with the greatest products with each question, about, among those of some cells.

    Cell c has the rows from `begins[c]` on, up to where the next begins; question q looks in `cells[q]`. Where there
    are fewer rows than places, these are -1.
    """
    last = places.shape[1] - 1
    for q in range(asked.shape[0]):
        for i in range(last + 1):
            places[q, i] = -1
            scores[q, i] = -np.inf
        for c in range(cells.shape[1]):
            for place in range(begins[cells[q, c]], begins[cells[q, c] + 1]):
                score = np.float32(0)
                for j in range(rows.shape[1]):
                    score += asked[q, j] * rows[place, j]
                if score > scores[q, last]:
                    at = last
                    while at > 0 and score > scores[q, at - 1]:
                        scores[q, at] = scores[q, at - 1]
                        places[q, at] = places[q, at - 1]
                        at -= 1
                    scores[q, at] = score
                    places[q, at] = place
