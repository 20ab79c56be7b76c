"""Exact search among vectors: blocks against blocks. Every pair is scored, and only close ones are kept."""

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
"""The number of vectors per block."""

MAX_HELD = 1 << 28
"""The maximum number of bytes of prepared blocks held in memory."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Finds candidates that include every pair, by comparing all vectors, or some, with each other."""

    family: Family
    vectors: Vectors
    compared: NDArray[np.int32]
    min_score: float

    def among_all(self) -> BlockRounds:
        """Prepare a search among all compared vectors."""
        return self.among(self.compared)

    def among(self, members: NDArray[np.int32]) -> BlockRounds:
        """Prepare a search among some vectors."""
        return BlockRounds(self, members)


class BlockRounds:
    """A search with one round per block, which compares it with itself and all blocks after it."""

    def __init__(self, blocks: Blocks, members: NDArray[np.int32]) -> None:
        self.blocks = blocks
        self.members = members
        self.shares = max(-(-len(members) // SIDE), 1)
        self._held: dict[int, Matrix] = {}
        self._holds = len(members) * blocks.vectors.length * 8 <= MAX_HELD

    def prepared(self, begin: int) -> Matrix:
        """Return the block that begins at an index, prepared. All blocks are held if they are not too large."""
        if begin in self._held:
            return self._held[begin]
        made = self.blocks.family.prepare(self.members[begin : begin + SIDE])
        if self._holds:
            self._held[begin] = made
        return made

    def buckets(self, width: int) -> Iterator[BlockRow]:  # noqa: ARG002 - all pairs of a block are compared at once
        """Yield the rounds."""
        for begin in range(0, len(self.members), SIDE):
            yield BlockRow(self, begin)

    def close(self) -> None:
        """Do nothing: no blocks are prepared yet."""


class BlockRow:
    """One block, compared with itself and all blocks after it."""

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
        """Yield the pairs of vectors that are close enough, up to rounding."""
        blocks, members = self._rounds.blocks, self._rounds.members
        one = members[self._begin : self._begin + SIDE]
        prepared = self._rounds.prepared(self._begin)
        for begin in range(self._begin, len(members), SIDE):
            two = members[begin : begin + SIDE]
            same = begin == self._begin
            for left, right in above(
                blocks.family, prepared, self._rounds.prepared(begin), blocks.min_score, same=same
            ):
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
    family: Family, one: Matrix, two: Matrix, min_score: float, *, same: bool
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield the positions in two blocks of all pairs that may reach the minimum score."""
    products = family.approximate_scores(one, two)
    with np.errstate(over="ignore"):  # a bound out of range becomes -inf, which is below all scores
        bound = np.float32(np.nextafter(np.float32(min_score - family.margin), np.float32(-np.inf)))
    out = (np.empty(1 << 16, np.int32), np.empty(1 << 16, np.int32))
    if products.shape[1] > len(out[0]):
        out = (np.empty(products.shape[1], np.int32), np.empty(products.shape[1], np.int32))
    row = 0
    while row < len(products):
        filled, rows = gather_above(products[row:], bound, row if same else -1, out)
        if filled:
            yield out[0][:filled] + np.int32(row), out[1][:filled] + np.int32(0)
        row += rows
