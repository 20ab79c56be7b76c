"""Exact search among bits, for small distances: bits are cut into more parts than bits may differ.

By the pigeonhole principle, the items of a pair then agree in at least one part: two items that differ in three bits
of 64 agree in one of four parts of 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.groups import find_groups
from lookalike.kernels.vectors import bit_keys
from lookalike.lsh.buckets import Buckets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.exact.vectors import BlockRounds, Blocks
    from lookalike.resources.threads import Threads


@dataclass(frozen=True, slots=True)
class Parts:
    """Finds candidates that include every pair: the items that agree in a part of their bits."""

    blocks: Blocks
    bits: int
    parts: int
    threads: Threads

    def among_all(self) -> PartRounds:
        """Prepare a search among all compared items."""
        return PartRounds(self)

    def among(self, members: NDArray[np.int32]) -> BlockRounds:
        """Prepare a search among some items, which compares all with all."""
        return self.blocks.among(members)


class PartRounds:
    """A search with one round per part."""

    def __init__(self, search: Parts) -> None:
        self._search = search
        self.shares = search.parts

    def buckets(self, width: int) -> Iterator[Buckets]:
        """Yield the items that agree in each part. `width` is the initial number of pivots."""
        search = self._search
        rows = search.blocks.vectors.matrix.view(np.uint8)
        edges = np.arange(search.parts + 1) * search.bits // search.parts

        def group(part: int) -> Buckets:
            positions = np.arange(edges[part], edges[part + 1])
            keys = np.empty((1, len(rows)), np.uint64)
            bit_keys(rows, len(positions), positions, keys)
            return Buckets(*find_groups(keys[0], search.blocks.compared), width)

        yield from search.threads.map(group, range(search.parts), ahead=search.threads.count)

    def close(self) -> None:
        """Do nothing: no part is grouped yet."""


def parts_for(bits: int, distance: float) -> int:
    """Return the number of parts of which a pair must agree in one; 0 if there are fewer bits."""
    parts = int(distance) + 1
    return parts if parts <= bits else 0


def expected_collisions(bits: int, parts: int) -> float:
    """Return the expected number of parts in which two unrelated items agree."""
    return float(parts * 2.0 ** -(bits // parts)) if parts else np.inf
