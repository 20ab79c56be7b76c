"""Random hyperplanes (SimHash): the smaller the angle of two vectors, the likelier they are on the same side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.kernels import vectors as kernels
from lookalike.lsh.family import ROUNDING, Family, normal_numbers, squared_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Matrix, Rows
    from lookalike.recipe import Recipe


LARGEST = 1e30
"""Numbers between the inverse of this and this are safe in single precision."""


class Hyperplanes(Family):
    """Signs and compares vectors by the angle between them: a slot is the side of a random plane."""

    has_cells = True

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        self.margin = (self.length + 8) * ROUNDING
        self.squares = squared_lengths(self.matrix)
        self._directions = np.empty((self.length, 0), np.float32)

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the sides of the planes that vectors are on."""
        products = self._products(part, banding)
        keys = np.empty((banding.bands, len(products)), np.uint64)
        kernels.sign_keys(products, banding.rows, keys)
        return keys

    def slots(self, part: slice, banding: Banding) -> NDArray[np.int64]:
        """Return the side of each plane that vectors are on: 1 or 0."""
        return (self._products(part, banding) > 0).T.astype(np.int64)

    def _products(self, part: slice, banding: Banding) -> NDArray[np.float32]:
        """Return the products of vectors with the normals of all planes."""
        return self.matrix[part].astype(np.float32, copy=False) @ self.directions(banding.slots)

    def directions(self, count: int) -> NDArray[np.float32]:
        """Return random directions, the normals of planes."""
        if self._directions.shape[1] < count:
            self._directions = normal_numbers(self.recipe.seed, count, self.length).T.astype(np.float32, order="C")
        return self._directions[:, :count]

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the cosine of the angle between the vectors of each pair.

        The divisor is the root of the product of two squares, not the product of two roots: for copies, it is exact.
        """
        out = np.empty(len(left))
        kernels.dot_products(left, right, self.matrix, out)
        out /= np.sqrt(self.squares[left] * self.squares[right])
        return np.clip(out, -1.0, 1.0)

    def prepare(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return vectors scaled to length 1. A row of zeros, which represents a null, stays unchanged."""
        lengths = np.sqrt(self.squares[items])
        scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        rows = self.matrix[items]
        if rows.dtype == np.float32 and np.all((scale < LARGEST) & (scale > 1 / LARGEST)):
            return rows * scale.astype(np.float32)[:, None]
        return (rows * scale[:, None]).astype(np.float32)

    def approximate_scores(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the dot products of vectors of length 1."""
        products: NDArray[np.float32] = one @ two.T
        return products

    def slot_chances(
        self,
        left: NDArray[np.int32],  # noqa: ARG002 - the scores are enough
        right: NDArray[np.int32],  # noqa: ARG002
        scores: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the chance that a plane does not separate two vectors, for each score."""
        return np.asarray(1 - np.arccos(np.clip(scores, -1, 1)) / scores.dtype.type(np.pi))
