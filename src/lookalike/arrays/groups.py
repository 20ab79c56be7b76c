"""Grouping of items by equal keys, by sorting. Used for band keys, fingerprints and ids alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import buckets as kernels
from lookalike.kernels.shingles import power_of_two

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW_KEYS = 1 << 16
"""The number of keys up to which sorting by two digits separates them well enough."""

BITS_PER_KEY = 8
"""Bits of the bitmap per key: one in eight unique keys hits the bit of another key and is sorted with the rest."""


def group_keys(keys: NDArray[np.uint64], items: NDArray[np.int32]) -> None:
    """Bring equal keys together, in place. Items with the same key keep their order."""
    digits = 2 if keys.size < FEW_KEYS else 4
    kernels.group(keys, items, digits, np.empty_like(keys), np.empty_like(items))


def find_groups(keys: NDArray[np.uint64], among: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the items whose key is not unique, group by group, and the offsets at which groups begin.

    `keys[i]` is the key of item i, and is overwritten. `among` holds the items to group, in order.
    """
    items = np.empty(len(among), np.int32)
    bits = np.zeros(2 * power_of_two(len(among) * BITS_PER_KEY // 64), np.uint64)
    some = slice(kernels.drop_unique(keys, among, bits, items))
    keys, items = keys[some], items[some]
    group_keys(keys, items)
    bounds = np.empty(len(keys) // 2 + 1, np.int64)
    kept, groups = kernels.find_buckets(keys, items, bounds)
    return items[:kept].copy(), bounds[: groups + 1].copy()
