"""Kernel that finds the nearest vectors of queries in some cells."""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import rough_kernel


@rough_kernel
def search_cells(queries, cells, begins, rows, positions, scores):
    """Write the positions of the rows in some cells with the approximately greatest products with each query.

    Cell c has the rows `begins[c]` to `begins[c + 1]`. Query q is searched in `cells[q]`. If there are fewer rows than
    positions, the others are -1.
    """
    last = positions.shape[1] - 1
    for q in range(queries.shape[0]):
        for i in range(last + 1):
            positions[q, i] = -1
            scores[q, i] = -np.inf
        for c in range(cells.shape[1]):
            for position in range(begins[cells[q, c]], begins[cells[q, c] + 1]):
                score = np.float32(0)
                for j in range(rows.shape[1]):
                    score += queries[q, j] * rows[position, j]
                if score > scores[q, last]:
                    at = last
                    while at > 0 and score > scores[q, at - 1]:
                        scores[q, at] = scores[q, at - 1]
                        positions[q, at] = positions[q, at - 1]
                        at -= 1
                    scores[q, at] = score
                    positions[q, at] = position
