"""Equal keys -> groups of their items, by sorting. Band keys, fingerprints and ids are grouped alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import buckets as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 1 << 16
"""Keys up to which two digits tell them apart well enough."""


def group_keys(keys: NDArray[np.uint64], items: NDArray[np.int32]) -> None:
    """Bring equal keys together, in place, items of one key in their order."""
    digits = 2 if keys.size < FEW else 4
    kernels.group(keys, items, digits, np.empty_like(keys), np.empty_like(items))


def find_groups(keys: NDArray[np.uint64], items: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the items whose key is not alone, group by group, and where groups begin. It overwrites both."""
    group_keys(keys, items)
    bounds = np.empty(len(keys) // 2 + 1, np.int64)
    kept, groups = kernels.find_buckets(keys, items, bounds)
    return items[:kept].copy(), bounds[: groups + 1].copy()
