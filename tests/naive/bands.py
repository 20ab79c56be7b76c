"""Bands of signatures, buckets, and the candidates that share one."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

from naive.hashing import FIRST, MODULUS, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def band_key(signature: Sequence[int], rows: int, band: int) -> int:
    """Hash the slots of one band."""
    key = (band + 1) * SECOND % MODULUS
    for value in signature[band * rows : (band + 1) * rows]:
        key = (key ^ value) * FIRST % MODULUS
        key ^= key >> 32
    return key * SECOND % MODULUS


def band_keys(signature: Sequence[int], rows: int) -> list[int]:
    """Hash every band of a signature."""
    return [band_key(signature, rows, band) for band in range(len(signature) // rows)]


def buckets(keys: Iterable[int]) -> dict[int, list[int]]:
    """Map each key that more than one item has to those items."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for item, key in enumerate(keys):
        found[key].append(item)
    return {key: items for key, items in found.items() if len(items) > 1}


def pairs_within(group: Iterable[int]) -> set[tuple[int, int]]:
    """Return all pairs of a group of items, the lesser first."""
    return set(itertools.combinations(sorted(group), 2))


def candidates(signatures: Sequence[Sequence[int]], rows: int) -> set[tuple[int, int]]:
    """Return the pairs of items that agree in all rows of at least one band."""
    return {
        (i, j)
        for (i, one), (j, two) in itertools.combinations(enumerate(signatures), 2)
        if any(one[k : k + rows] == two[k : k + rows] for k in range(0, len(one), rows))
    }
