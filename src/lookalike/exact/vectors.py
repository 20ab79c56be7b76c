"""Exact search among vectors: blocks of them against blocks, every pair looked at, only the close ones kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels.vectors import gather_above
from lookalike.lsh.buckets import Candidates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Join, Seen
    from lookalike.lsh.family import Family, Matrix
    from lookalike.store.vectors import Vectors

SIDE = 1 << 10
"""Vectors in a block."""

MOST_HELD = 1 << 28
"""Bytes of blocks that are held, once they are made ready."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Finds candidates that miss no pair, by comparing all vectors, or all of some."""

    family: Family
    vectors: Vectors
    compared: NDArray[np.int32]
    least: float

    def everywhere(self) -> BlockRounds:
        """Look among all vectors that are compared."""
        return self.among(self.compared)

    def among(self, members: NDArray[np.int32]) -> BlockRounds:
        """Look among some vectors."""
        return BlockRounds(self, members)


class BlockRounds:
    """A round for each block: it against itself and all blocks after it."""

    def __init__(self, blocks: Blocks, members: NDArray[np.int32]) -> None:
        self.blocks = blocks
        self.members = members
        self.shares = max(-(-len(members) // SIDE), 1)
        self._held: dict[int, Matrix] = {}
        self._holds = len(members) * blocks.vectors.length * 8 <= MOST_HELD

    def ready(self, begin: int) -> Matrix:
        """Return the block that begins there, made ready; all of them are held if they are not too large."""
        if begin in self._held:
            return self._held[begin]
        made = self.blocks.family.prepare(self.members[begin : begin + SIDE])
        if self._holds:
            self._held[begin] = made
        return made

    def buckets(self, width: int) -> Iterator[BlockRow]:  # noqa: ARG002 - all pairs of a block are looked at in one go
        """Yield the rounds."""
        for begin in range(0, len(self.members), SIDE):
            yield BlockRow(self, begin)

    def close(self) -> None:
        """Do nothing: no blocks are prepared yet."""


class BlockRow:
    """One block against itself and all after it."""

    def __init__(self, rounds: BlockRounds, begin: int) -> None:
        self._rounds = rounds
        self._begin = begin

    def proposals(
        self,
        roots: NDArray[np.int32],
        sides: NDArray[np.uint8],
        seen: Seen,
        join: Join,  # noqa: ARG002 - nothing is left over
    ) -> Iterator[Candidates]:
        """Yield the pairs of vectors that are close enough, or nearly so."""
        blocks, members = self._rounds.blocks, self._rounds.members
        one = members[self._begin : self._begin + SIDE]
        ready = self._rounds.ready(self._begin)
        for begin in range(self._begin, len(members), SIDE):
            two = members[begin : begin + SIDE]
            same = begin == self._begin
            for left, right in above(blocks.family, ready, self._rounds.ready(begin), blocks.least, same=same):
                found = Candidates(one[left], two[right])
                apart = roots[found.left] != roots[found.right]
                if len(sides):
                    apart &= (sides[found.left] | sides[found.right]) == 3  # noqa: PLR2004 - both sides
                found = Candidates(found.left[apart], found.right[apart])
                seen.count(found)
                if len(found):
                    yield found
        blocks.vectors.trim()


def above(
    family: Family, one: Matrix, two: Matrix, least: float, *, same: bool
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield the places in two blocks of all pairs that may reach the score `least`."""
    products = family.approximate_scores(one, two)
    with np.errstate(over="ignore"):  # what is out of range is an infinity, and below all others as well
        bound = np.float32(np.nextafter(np.float32(least - family.margin), np.float32(-np.inf)))
    out = (np.empty(1 << 16, np.int32), np.empty(1 << 16, np.int32))
    if products.shape[1] > len(out[0]):
        out = (np.empty(products.shape[1], np.int32), np.empty(products.shape[1], np.int32))
    row = 0
    while row < len(products):
        filled, rows = gather_above(products[row:], bound, row if same else -1, out)
        if filled:
            yield out[0][:filled] + np.int32(row), out[1][:filled] + np.int32(0)
        row += rows
