"""Items -> signatures, kept as one key for each band."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import sketch as kernels
from lookalike.splitmix import random_numbers
from lookalike.threads import slices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.read import Batch
    from lookalike.recipe import Recipe
    from lookalike.shingle import Columns, Shingler

TEXT_AT_A_TIME = 1 << 19
"""Bytes of text whose shingles are made and signed in one go, while they are in a cache."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A batch after signing: what the later stages need of it."""

    batch: Batch
    columns: Columns
    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    counts: NDArray[np.int64]
    """Shingles of each item, repetitions counted."""
    sampled: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    """In an exact search `keys` are the shingles sampled, one item after the other: how many of each; sizes of sets."""


class Signer:
    """Signs batches, in any number of threads. Without a banding it makes fingerprints only."""

    def __init__(self, recipe: Recipe, shingler: Shingler) -> None:
        self.bands, self.rows = (recipe.banding.bands, recipe.banding.rows) if recipe.banding else (0, 0)
        self.classic = recipe.sketch == "classic"
        self.multipliers = odd_numbers(recipe.seed, 2 * self.bands * self.rows)
        self.shingler = shingler
        self._local = threading.local()

    def sign(self, batch: Batch) -> Signed:
        """Return the band keys and the fingerprint of every item; all zero where an item has no shingle."""
        columns = self.shingler.columns(batch.items)
        return Signed(batch, columns, *self.keys(columns.data, columns.offsets[:-1], columns.offsets[1:]))

    def keys(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
        """Return the band keys, the fingerprints and the numbers of shingles; item i is `data[begins[i]:ends[i]]`."""
        keys = np.zeros((self.bands, len(begins)), np.uint64)
        prints = np.empty((len(begins), 2), np.uint64)
        counts = np.empty(len(begins), np.int64)
        for part in slices(ends - begins, TEXT_AT_A_TIME):
            grams, counts[part] = self.shingler.grams(data, begins[part], ends[part])
            kernels.sign_batch(grams, counts[part], self._sketch(), prints[part], keys[:, part])
        return keys, prints, counts

    def _sketch(self) -> tuple[NDArray[np.uint64], int, bool, NDArray[np.uint64]]:
        if not hasattr(self._local, "signature"):
            self._local.signature = np.empty(self.bands * self.rows, np.uint64)
        return self.multipliers, self.rows, self.classic, self._local.signature


def odd_numbers(seed: int, count: int) -> NDArray[np.uint64]:
    """Return well-mixed odd numbers that follow from the seed alone, the same on every platform."""
    return random_numbers(seed, np.arange(count)) | np.uint64(1)
