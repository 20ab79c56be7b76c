"""Weighted sets -> signatures, and what else differs from plain sets: how they are stored and compared."""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.arrays.random import random_numbers
from lookalike.engines.local.verify import SetVerifier
from lookalike.features.shingles import Columns, Shingler, element_numbers
from lookalike.kernels import darts
from lookalike.kernels import weights as kernels
from lookalike.lsh.minhash import MadeSets, Signed, SignedSets, Signer
from lookalike.read import Batch
from lookalike.store.sets import Sets

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe
    from lookalike.store.items import Items

NUMBER = 8
"""Bytes of a hash, or of a weight."""

EULER = 0.5772
"""k (ln k + this) darts are thrown, on average, until none of k slots is empty."""


class Weigher(Shingler):
    """Makes weighted sets of lists of elements with weights: hashes in order, then the weights of each."""

    def columns(self, items: pa.Array) -> Columns:
        """Return the sets of an Arrow array as they are kept; a null is an empty one."""
        sizes = null_as_zero(pc.list_value_length(items)).to_numpy()
        pairs = items.flatten()
        numbers = np.ascontiguousarray(element_numbers(pairs.field(0)))
        weights = np.ascontiguousarray(pairs.field(1).to_numpy())
        for column in (numbers, weights):
            column.flags.writeable = False
        out = np.empty(2 * len(numbers), np.uint64)
        bounds = np.empty(len(items) + 1, np.int64)
        kernels.pack(numbers, weights, np.append(0, np.cumsum(sizes)), spare_pairs(sizes), out, bounds)
        data = out[: bounds[-1]].view(np.uint8)
        data.flags.writeable = False
        return Columns(data, bounds * NUMBER)

    def grams(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Refuse: a weight is no shingle."""
        raise NotImplementedError

    def sets(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the sets of items, one after the other, and their sizes; item i is `data[slice(*bounds[i])]`."""
        parts = [data[begin:end] for begin, end in bounds]
        packed = np.concatenate([np.empty(0, np.uint8), *parts]).view(np.uint64)
        return packed, (bounds[:, 1] - bounds[:, 0]) // (2 * NUMBER)


def spare_pairs(sizes: NDArray[Any]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Make room to sort the hashes and weights of the largest set in."""
    most = int(sizes.max(initial=0))
    return np.empty(most, np.uint64), np.empty(most)


class WeightSigner:
    """Signs batches of weighted sets, in any number of threads. Without a banding it makes fingerprints only."""

    def __init__(self, recipe: Recipe, weigher: Weigher) -> None:
        self.bands, self.rows = (recipe.banding.bands, recipe.banding.rows) if recipe.banding else (0, 0)
        slots = max(self.bands * self.rows, 1)
        self._area = round(math.log2(slots * (math.log(slots) + EULER)))
        self._seed = random_numbers(recipe.seed, np.arange(1))[0]
        self._weigher = weigher
        self._local = threading.local()

    def sign(self, batch: Batch) -> Signed:
        """Return the band keys and the fingerprint of every item; all zero where an item has no element."""
        columns = self._weigher.columns(batch.items)
        begins = columns.offsets[:-1] // NUMBER
        counts = np.diff(columns.offsets) // (2 * NUMBER)
        keys = np.zeros((self.bands, len(begins)), np.uint64)
        prints = np.empty((len(begins), 2), np.uint64)
        darts.sign_weights(columns.data.view(np.uint64), begins, counts, self._sketch(), prints, keys)
        return Signed(batch, columns, keys, prints, counts)

    def sign_sets(self, items: pa.Array) -> SignedSets:
        """Return band keys and fingerprints as `sign` does, and the set of every item with them."""
        signed = self.sign(Batch(0, items, None, None))
        return SignedSets(signed.columns.data.view(np.uint64), signed.counts, signed.keys, signed.prints)

    def make_sets(self, items: pa.Array) -> MadeSets:
        """Return the set of every item."""
        columns = self._weigher.columns(items)
        return MadeSets(columns.data.view(np.uint64), np.diff(columns.offsets) // (2 * NUMBER))

    def _sketch(self) -> tuple[np.uint64, int, int, NDArray[np.uint64]]:
        if not hasattr(self._local, "signature"):
            self._local.signature = np.empty(self.bands * self.rows, np.uint64)
        return self._seed, self._area, self.rows, self._local.signature


def signer_for(recipe: Recipe) -> Signer | WeightSigner:
    """Return what signs sets by a recipe: weighted ones, plain ones, or those of shingles."""
    if recipe.shingling.kind == "weights":
        return WeightSigner(recipe, Weigher(recipe.shingling))
    return Signer(recipe, Shingler(recipe.shingling))


def weighted_columns(made: MadeSets) -> tuple[NDArray[Any], ...]:
    """Return what a kernel must know of weighted sets: the numbers, where sets begin, their sizes."""
    return made.elements, 2 * (np.cumsum(made.sizes) - made.sizes), made.sizes.astype(np.int32)


class WeightedSets(Sets):
    """The weighted sets of items, where they were put when they were read."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.begins = items.begins // NUMBER
        self.sizes = items.lengths // np.int32(2 * NUMBER)

    @property
    def elements(self) -> NDArray[np.uint64]:
        """Hashes and weights of all sets, read from disk as they are used."""
        return self._items.data.view().view(np.uint64)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """All that a kernel must know of them: the numbers, where sets begin, their sizes."""
        return self.elements, self.begins, self.sizes

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self._items.data.size // NUMBER

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """The total weight of each set."""
        out = np.empty(len(self.begins))
        kernels.totals(*self.columns, out)
        return out

    def trim(self) -> None:
        """Give back the memory that reading has taken, if it is much."""
        self._items.data.trim()

    def make(self, wanted: NDArray[np.int32]) -> None:
        """Do nothing: there they are."""


class WeightVerifier(SetVerifier):
    """Compares items exactly, by their weighted sets."""

    def _compare(
        self, left: NDArray[np.int32], right: NDArray[np.int32], threshold: float, out: NDArray[np.float64]
    ) -> None:
        sets = (self._sets.elements, self._sets.begins, self._sets.sizes)
        kernels.similarities(left, right, sets, sets, threshold, out)
