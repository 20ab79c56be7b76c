"""Bit sampling: the fewer bits differ between two items, the likelier a random bit is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.constant import constant
from lookalike.arrays.random import random_numbers
from lookalike.kernels import vectors as kernels
from lookalike.lsh.family import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Matrix


class BitSamples(Family):
    """Signs and compares items by the bits in which they differ: a slot is one of the bits."""

    pair_seconds = 0.5e-9
    slot_seconds = 0.0

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the sampled bits."""
        keys = np.empty((banding.bands, part.stop - part.start), np.uint64)
        kernels.bit_keys(self.matrix[part].view(np.uint8), banding.rows, self._positions(banding), keys)
        return keys

    def slots(self, part: slice, banding: Banding) -> NDArray[np.int64]:
        """Return the sampled bits, each by itself."""
        bits = np.unpackbits(self.matrix[part].view(np.uint8), axis=1)
        return bits[:, self._positions(banding)].T.astype(np.int64)

    def _positions(self, banding: Banding) -> NDArray[np.int64]:
        """Return which bit each slot samples."""
        total = np.uint64(self.recipe.measure.bits)
        return (random_numbers(self.recipe.seed, np.arange(banding.slots)) % total).astype(np.int64)

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the negative number of bits in which each pair differs."""
        out = np.empty(len(left))
        kernels.bit_distances(left, right, self.matrix, out)
        return 0.0 - out

    def prepare(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return the 64-bit words of items."""
        return self.matrix[items]

    def approximate_scores(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the negative number of bits in which each pair differs."""
        out = np.empty((len(one), len(two)), np.float32)
        kernels.all_bit_distances(constant(one), constant(two), out)
        return out

    def slot_chances(
        self,
        left: NDArray[np.int32],  # noqa: ARG002 - the scores are enough
        right: NDArray[np.int32],  # noqa: ARG002
        scores: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the chance that a random bit is the same, for each score."""
        bits = self.recipe.measure.bits
        return np.asarray(1 + np.maximum(scores, -bits) / bits)
