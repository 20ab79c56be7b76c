"""Exact search among bits, for small distances: in more parts than bits may differ, so that one part is the same.

It is the pigeonhole principle: who differs in three bits of 64 agrees in one of four parts of 16.
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
    """Finds candidates that miss no pair: those that agree in a part of their bits."""

    blocks: Blocks
    bits: int
    parts: int
    threads: Threads

    def everywhere(self) -> PartRounds:
        """Look among all items that are compared."""
        return PartRounds(self)

    def among(self, members: NDArray[np.int32]) -> BlockRounds:
        """Look among some, all with all."""
        return self.blocks.among(members)


class PartRounds:
    """A round for each part."""

    def __init__(self, search: Parts) -> None:
        self._search = search
        self.shares = search.parts

    def buckets(self, width: int) -> Iterator[Buckets]:
        """Yield the items that agree in each part; `width` is how many pivots are taken at first."""
        search = self._search
        rows = search.blocks.vectors.matrix.view(np.uint8)
        edges = np.arange(search.parts + 1) * search.bits // search.parts

        def group(part: int) -> Buckets:
            places = np.arange(edges[part], edges[part + 1])
            keys = np.empty((1, len(rows)), np.uint64)
            bit_keys(rows, len(places), places, keys)
            return Buckets(*find_groups(keys[0], search.blocks.compared), width)

        yield from search.threads.map(group, range(search.parts), ahead=search.threads.count)

    def close(self) -> None:
        """Do nothing: no part is grouped yet."""


def parts_for(bits: int, distance: float) -> int:
    """Return the number of parts in which one must be the same; 0 if there are not so many bits."""
    parts = int(distance) + 1
    return parts if parts <= bits else 0


def meetings(bits: int, parts: int) -> float:
    """Return how many times two items meet, if their bits have nothing to do with each other."""
    return float(parts * 2.0 ** -(bits // parts)) if parts else np.inf
