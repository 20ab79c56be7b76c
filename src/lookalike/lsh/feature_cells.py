"""Feature cells: the more features of two vectors are close, the likelier a random feature falls in one cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.constant import constant
from lookalike.arrays.random import random_numbers
from lookalike.kernels import vectors as kernels
from lookalike.lsh.family import ROUNDING, SHIFTS, Family, uniform_numbers
from lookalike.measures.agreement import Agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Matrix, Rows
    from lookalike.recipe import Recipe


class FeatureCells(Family):
    """Signs and compares vectors by the share of features that are close: a slot is a cell of one feature."""

    pair_seconds = 0.4e-9
    slot_seconds = 0.0

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        assert isinstance(recipe.measure, Agreement)  # noqa: S101 - for the type checker
        self._tolerances = np.full(self.length, recipe.measure.tolerance)
        self._widths = np.full(self.length, recipe.measure.cell())
        self.margin = ROUNDING

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the cells of the sampled features."""
        features, shifts = self._sampled(banding)
        keys = np.empty((banding.bands, part.stop - part.start), np.uint64)
        kernels.feature_keys(self.matrix[part], banding.rows, features, shifts, self._widths, keys)
        return keys

    def slots(self, part: slice, banding: Banding) -> NDArray[np.int64]:
        """Return the number of the cell that vectors fall in, for each sampled feature."""
        features, shifts = self._sampled(banding)
        places = self.matrix[part].astype(np.float64)[:, features] / self._widths[features] + shifts
        cells: NDArray[np.int64] = np.floor(places).T.astype(np.int64)
        return cells

    def _sampled(self, banding: Banding) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return which feature each slot samples, and by how much its cells are shifted."""
        numbers = random_numbers(self.recipe.seed, np.arange(banding.slots))
        features = (numbers % np.uint64(self.length)).astype(np.int64)
        return features, uniform_numbers(self.recipe.seed, SHIFTS, banding.slots)

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the share of features in which each pair is close."""
        out = np.empty(len(left))
        kernels.close_features(left, right, self.matrix, self._tolerances, out)
        return out / self.length

    def prepare(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return the vectors."""
        return self.matrix[items]

    def approximate_scores(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the share of features in which each pair is close."""
        out = np.empty((len(one), len(two)), np.float32)
        kernels.all_close_features(constant(one), constant(two), self._tolerances, out)
        return out / np.float32(self.length)

    def slot_chances(self, left: NDArray[np.int32], right: NDArray[np.int32], scores: NDArray[Any]) -> NDArray[Any]:
        """Return the chances that a random feature of two vectors falls in one cell.

        They do not follow from scores: distant features may share a cell, and close ones may be closer than needed.
        """
        out = np.empty(scores.shape, np.float32)
        kernels.all_shared_cells(self.prepare(left), self.prepare(right), self._widths, out)
        return np.asarray(np.minimum(out / np.float32(self.length), 1))
