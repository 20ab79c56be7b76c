"""Random projections: the closer two vectors are, the likelier they fall in one cell of a random line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.kernels import vectors as kernels
from lookalike.lsh.family import ROUNDING, SHIFTS, Family, normal_numbers, squared_lengths, uniform_numbers
from lookalike.measures.euclidean import Euclidean, same_cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Matrix, Rows
    from lookalike.recipe import Recipe


KNOWN = 2000
"""The number of distances whose chance is computed; others are interpolated."""


class Projections(Family):
    """Signs and compares vectors by their distance: a slot is a cell of a random line."""

    pair_seconds = 0.12e-9
    slot_seconds = 0.1e-9

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        squared_lengths(self.matrix)  # raises an error if a number is not finite
        self._directions = np.empty((self.length, 0))
        self._middle = vectors.middle
        """Subtracted from vectors before they are multiplied, to preserve small differences."""
        assert isinstance(recipe.measure, Euclidean)  # noqa: S101 - for the type checker
        self._width = recipe.measure.cell(recipe.threshold)

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the cells of random lines that vectors fall in."""
        products, shifts = self._on_lines(part, banding)
        keys = np.empty((banding.bands, len(products)), np.uint64)
        kernels.cell_keys(products, banding.rows, shifts, self._width, keys)
        return keys

    def slots(self, part: slice, banding: Banding) -> NDArray[np.int64]:
        """Return the number of the cell that vectors fall in, on each line."""
        products, shifts = self._on_lines(part, banding)
        return np.floor(products / self._width + shifts).T.astype(np.int64)

    def _on_lines(self, part: slice, banding: Banding) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where vectors are on random lines, and by how much the cells of each line are shifted."""
        if self._directions.shape[1] != banding.slots:
            self._directions = normal_numbers(self.recipe.seed, banding.slots, self.length).T.copy()
        products = (self.matrix[part] - self._middle) @ self._directions
        return products, uniform_numbers(self.recipe.seed, SHIFTS, banding.slots)

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the negative distance of each pair of vectors."""
        out = np.empty(len(left))
        kernels.squared_distances(left, right, self.matrix, out)
        return 0.0 - np.sqrt(out)

    def prepare(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return vectors relative to the mean, and the squares of their lengths."""
        rows = self.matrix[items] - self._middle
        return rows, np.einsum("ij,ij->i", rows, rows)

    def approximate_scores(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the negative approximate distance, in double precision: squares that cancel lose digits."""
        (rows, squares), (others, their_squares) = one, two
        products = rows @ others.T
        products *= -2
        products += squares[:, None]
        products += their_squares[None, :]
        largest = squares.max(initial=0) + their_squares.max(initial=0)
        products -= 4 * (self.length + 8) * np.finfo(np.float64).eps * largest
        with np.errstate(over="ignore"):  # an infinite distance is far enough
            closest: NDArray[np.float32] = np.sqrt(np.maximum(products, 0)).astype(np.float32)
        closest *= np.float32(4 * ROUNDING - 1)
        return closest

    def slot_chances(
        self,
        left: NDArray[np.int32],  # noqa: ARG002 - the scores are enough
        right: NDArray[np.int32],  # noqa: ARG002
        scores: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the chance that two vectors fall in one cell, interpolated between known distances."""
        known = np.geomspace(1e-4, 1e6, KNOWN)
        chances = np.array([same_cell(float(ratio), 1.0) for ratio in known])
        return np.asarray(np.interp(np.minimum(-scores, 1e30) / self._width, known, chances))
