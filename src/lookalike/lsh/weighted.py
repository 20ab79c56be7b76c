"""Signatures of weighted sets, by darts: slots agree with the chance sum(min) / sum(max) of the weights."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.random import random_numbers
from lookalike.features.weighted import NUMBER, Weigher
from lookalike.kernels import darts
from lookalike.lsh.minhash import MadeSets, Signed, SignedSets
from lookalike.read import Batch

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe

EULER = 0.5772
"""Euler's constant: k (ln k + this) darts are needed, on average, to hit all of k slots."""


class WeightSigner:
    """Signs batches of weighted sets, in any number of threads. Without a banding, it only makes fingerprints."""

    def __init__(self, recipe: Recipe, weigher: Weigher) -> None:
        self.bands, self.rows = (recipe.banding.bands, recipe.banding.rows) if recipe.banding else (0, 0)
        slots = max(self.bands * self.rows, 1)
        self._area = round(math.log2(slots * (math.log(slots) + EULER)))
        self._seed = random_numbers(recipe.seed, np.arange(1))[0]
        self._weigher = weigher
        self._local = threading.local()

    def sign(self, batch: Batch) -> Signed:
        """Return the band keys and fingerprints of items. They are all zero for an item without elements."""
        columns = self._weigher.columns(batch.items)
        begins = columns.offsets[:-1] // NUMBER
        counts = np.diff(columns.offsets) // (2 * NUMBER)
        keys = np.zeros((self.bands, len(begins)), np.uint64)
        prints = np.empty((len(begins), 2), np.uint64)
        darts.sign_weights(columns.data.view(np.uint64), begins, counts, self._sketch(), prints, keys)
        return Signed(batch, columns, keys, prints, counts)

    def sign_sets(self, items: pa.Array) -> SignedSets:
        """Return band keys and fingerprints, as `sign` does, with the sets of items."""
        signed = self.sign(Batch(0, items, None, None))
        return SignedSets(signed.columns.data.view(np.uint64), signed.counts, signed.keys, signed.prints)

    def make_sets(self, items: pa.Array) -> MadeSets:
        """Return the sets of items."""
        columns = self._weigher.columns(items)
        return MadeSets(columns.data.view(np.uint64), np.diff(columns.offsets) // (2 * NUMBER))

    def signatures(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return the signatures that band keys are made of, a row per slot; zeros for an item without elements."""
        made = self.make_sets(items)
        numbers, weights = made.elements, made.elements.view(np.float64)
        out = np.zeros((len(items), self.bands * self.rows), np.uint64)
        begins = 2 * (np.cumsum(made.sizes) - made.sizes)
        for signature, begin, size in zip(out, begins, made.sizes, strict=True):
            if size:
                middle = begin + size
                darts.dart_sketch(
                    numbers[begin:middle], weights[middle : middle + size], self._seed, self._area, signature
                )
        return out.T

    def _sketch(self) -> tuple[np.uint64, int, int, NDArray[np.uint64]]:
        if not hasattr(self._local, "signature"):
            self._local.signature = np.empty(self.bands * self.rows, np.uint64)
        return self._seed, self._area, self.rows, self._local.signature
