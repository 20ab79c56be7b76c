"""Pairs of originals -> pairs of all items, copies included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.items import Copies
    from lookalike.verify import Verified

LARGEST_GROUP = 1000
"""Copies of one item up to which each is paired with each. A larger group is condensed: see `Groups`."""


@dataclass(frozen=True, slots=True)
class IndexedPairs:
    """Pairs of items by index, in order."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]
    condensed: int
    """Items of groups too large to pair each with each."""

    def __len__(self) -> int:
        return len(self.left)

    def across(self, boundary: int | None) -> IndexedPairs:
        """Keep the pairs of an item before the boundary and one from there on, if there is a boundary."""
        if boundary is None:
            return self
        keep = (self.left < boundary) & (self.right >= boundary)
        return IndexedPairs(self.left[keep], self.right[keep], self.similarity[keep], self.condensed)


class Groups:
    """Each original with its copies.

    The pairs within a group grow with its square. In a group of more than `LARGEST_GROUP` items every copy is paired
    with the original only, and the original alone stands for the group in pairs with others.
    """

    def __init__(self, copies: Copies) -> None:
        items = np.flatnonzero(copies.original >= 0)
        original = copies.original[items]
        order = np.argsort(original, kind="stable")
        self.items = items[order]
        self.sizes = np.bincount(original, minlength=len(copies.original))
        self.begins = np.cumsum(self.sizes) - self.sizes
        self.large = self.sizes > LARGEST_GROUP

    def expand(self, pairs: Verified) -> IndexedPairs:
        """Return all pairs of items that follow from pairs of originals, and those within groups."""
        across = self._product(pairs)
        inside = self._inside()
        star = self._star()
        left = np.concatenate((across[0], inside[0], star[0]))
        right = np.concatenate((across[1], inside[1], star[1]))
        similarity = np.concatenate((across[2], np.ones(len(inside[0]) + len(star[0]))))
        low, high = np.minimum(left, right), np.maximum(left, right)
        order = np.lexsort((high, low))
        return IndexedPairs(low[order], high[order], similarity[order], int(self.sizes[self.large].sum()))

    def _members(self, originals: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many items each original stands for in pairs with others."""
        return np.where(self.large[originals], 1, self.sizes[originals])

    def _product(self, pairs: Verified) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Pair every item of one group with every item of the other."""
        lefts, rights = self._members(pairs.left), self._members(pairs.right)
        pair, nth = within(lefts * rights)
        left = self.items[self.begins[pairs.left[pair]] + nth // rights[pair]]
        right = self.items[self.begins[pairs.right[pair]] + nth % rights[pair]]
        return left, right, pairs.similarity[pair]

    def _inside(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pair every item of a group with every later one."""
        group = np.flatnonzero((self.sizes > 1) & ~self.large)
        of, position = within(self.sizes[group])
        group, behind = group[of], self.sizes[group][of] - 1 - position
        one, ahead = within(behind)
        at = self.begins[group][one] + position[one]
        return self.items[at], self.items[at + 1 + ahead]

    def _star(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pair the original of a large group with each of its copies."""
        group = np.flatnonzero(self.large)
        of, nth = within(self.sizes[group] - 1)
        begin = self.begins[group][of]
        return self.items[begin], self.items[begin + 1 + nth]


def within(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each element of runs of these lengths, which run it belongs to and its place in it.

    >>> within(np.array([2, 0, 3]))
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    run = np.repeat(np.arange(len(counts)), counts)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts)
