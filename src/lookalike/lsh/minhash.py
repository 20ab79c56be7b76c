"""MinHash signatures of items, kept as one key per band."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.random import random_numbers
from lookalike.arrays.slices import slices
from lookalike.kernels import sketch as kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.columns import Columns
    from lookalike.features.shingles import Shingler
    from lookalike.read import Batch
    from lookalike.recipe import Recipe

    Made = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]
    """Band keys, fingerprints, and the number of shingles per item."""

TEXT_AT_A_TIME = 1 << 19
"""Bytes of text whose shingles are built and signed at a time, while they are in the CPU cache."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed batch, with the values that later stages need."""

    batch: Batch
    columns: Columns
    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    counts: NDArray[np.int64]
    """The number of shingles per item, including duplicates."""
    sampled: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    """In an exact search, `keys` holds sampled shingles, item by item. This is their number per item, and set sizes."""


@dataclass(frozen=True, slots=True)
class MadeSets:
    """Sets of items, one after another: set i has `sizes[i]` elements."""

    elements: NDArray[np.uint64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SignedSets(MadeSets):
    """Signed items, with their sets."""

    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]


class Signer:
    """Signs batches, in any number of threads. Without a banding, it only makes fingerprints."""

    def __init__(self, recipe: Recipe, shingler: Shingler) -> None:
        self.bands, self.rows = (recipe.banding.bands, recipe.banding.rows) if recipe.banding else (0, 0)
        self.classic = recipe.sketch == "classic"
        self.multipliers = odd_numbers(recipe.seed, 2 * self.bands * self.rows)
        self.shingler = shingler
        self._local = threading.local()

    def sign(self, batch: Batch) -> Signed:
        """Return the band keys and fingerprints of items. They are all zero for an item without shingles."""
        columns = self.shingler.columns(batch.items)
        return Signed(batch, columns, *self.keys(columns.data, columns.offsets[:-1], columns.offsets[1:]))

    def keys(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
        """Return band keys, fingerprints and numbers of shingles. Item i is `data[begins[i]:ends[i]]`."""
        out = self._room(len(begins))
        for _ in self._sign(data, begins, ends, out):
            pass
        return out

    def sign_sets(self, items: pa.Array) -> SignedSets:
        """Return band keys and fingerprints, as `sign` does, with the sets of items."""
        columns = self.shingler.columns(items)
        out = self._room(len(items))
        keys, prints, counts = out
        made = [np.empty(0, np.uint64)]
        for part, grams in self._sign(columns.data, columns.offsets[:-1], columns.offsets[1:], out):
            elements, counts[part] = self.shingler.made_sets(grams, counts[part])
            made.append(elements.copy())
        return SignedSets(np.concatenate(made), counts, keys, prints)

    def make_sets(self, items: pa.Array) -> MadeSets:
        """Return the sets of items."""
        columns = self.shingler.columns(items)
        bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
        made, sizes = [np.empty(0, np.uint64)], np.empty(len(items), np.int64)
        for part in slices(bounds[:, 1] - bounds[:, 0], TEXT_AT_A_TIME):
            elements, sizes[part] = self.shingler.sets(columns.data, bounds[part])
            made.append(elements.copy())
        return MadeSets(np.concatenate(made), sizes)

    def signatures(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return the signatures that band keys are made of, a row per slot; zeros for an item without shingles."""
        columns = self.shingler.columns(items)
        grams, counts = self.shingler.grams(columns.data, columns.offsets[:-1], columns.offsets[1:])
        return self.signatures_of(grams, counts)

    def signatures_of(self, grams: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the signatures of items by their shingles: item i has `counts[i]` of them.

        That of an item is the least of those of its shingles, slot by slot.
        """
        sketch = kernels.classic_sketch if self.classic else kernels.fast_sketch
        out = np.zeros((len(counts), self.bands * self.rows), np.uint64)
        ends = np.cumsum(counts)
        for signature, begin, end in zip(out, ends - counts, ends, strict=True):
            if begin < end:
                sketch(grams[begin:end], self.multipliers, signature)
        return out.T

    def _room(self, count: int) -> Made:
        """Allocate the keys, fingerprints and numbers of shingles of items."""
        return np.zeros((self.bands, count), np.uint64), np.empty((count, 2), np.uint64), np.empty(count, np.int64)

    def _sign(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64], out: Made
    ) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Sign items part by part, and yield each part with its shingles, while they are in the CPU cache."""
        keys, prints, counts = out
        for part in slices(ends - begins, TEXT_AT_A_TIME):
            grams, counts[part] = self.shingler.grams(data, begins[part], ends[part])
            of_part = np.zeros((self.bands, len(begins[part])), np.uint64)  # contiguous, unlike a part of `keys`
            kernels.sign_batch(grams, counts[part], self._sketch(), prints[part], of_part)
            keys[:, part] = of_part
            yield part, grams

    def _sketch(self) -> tuple[NDArray[np.uint64], int, bool, NDArray[np.uint64]]:
        if not hasattr(self._local, "signature"):
            self._local.signature = np.empty(self.bands * self.rows, np.uint64)
        return self.multipliers, self.rows, self.classic, self._local.signature


def odd_numbers(seed: int, count: int) -> NDArray[np.uint64]:
    """Return well-mixed odd numbers that depend on the seed alone and are the same on every platform."""
    return random_numbers(seed, np.arange(count)) | np.uint64(1)
