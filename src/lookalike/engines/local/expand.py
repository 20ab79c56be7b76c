"""Expansion of pairs of originals to pairs of all items, copies included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.verify import Verified
    from lookalike.recipe import Recipe
    from lookalike.store.copies import Copies

LARGEST_GROUP = 1000
"""The maximum number of copies of one item that are all paired. A larger group is condensed: see `Groups`."""


@dataclass(frozen=True, slots=True)
class IndexedPairs:
    """Pairs of items by index, in order."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]
    condensed: int
    """The number of items in groups too large to pair all of them."""

    def __len__(self) -> int:
        return len(self.left)

    def across(self, boundary: int | None) -> IndexedPairs:
        """Keep the pairs that cross the boundary between two collections, if there is one."""
        if boundary is None:
            return self
        keep = (self.left < boundary) & (self.right >= boundary)
        return IndexedPairs(self.left[keep], self.right[keep], self.similarity[keep], self.condensed)

    def directed(self, collected: Collected, recipe: Recipe) -> IndexedPairs:
        """Return the pairs of a one-way measure: in both directions, or in one if two collections are compared."""
        if not recipe.measure.one_way:
            return self
        sizes = collected.items.set_sizes()
        assert sizes is not None  # noqa: S101 - one-way measures are of sets
        return self._one_way(collected.copies, sizes, recipe.threshold, both=collected.boundary is None)

    def _one_way(self, copies: Copies, sizes: NDArray[np.int32], min_share: float, *, both: bool) -> IndexedPairs:
        """Return those pairs, found by overlap, whose right item contains enough of the left one.

        `sizes` holds the sizes of the sets of originals. With `both`, each pair is also tried in reverse.
        """
        one, two = copies.original[self.left], copies.original[self.right]
        shared = np.rint(self.similarity * np.minimum(sizes[one], sizes[two]))
        found = []
        for left, right, size in ((self.left, self.right, sizes[one]), (self.right, self.left, sizes[two]))[: 1 + both]:
            share = np.divide(shared, size, out=np.ones(len(shared)), where=one != two)
            enough = share >= min_share
            found.append((left[enough], right[enough], share[enough]))
        left, right, similarity = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((right, left))
        return IndexedPairs(left[order], right[order], similarity[order], self.condensed)


class Groups:
    """Groups of equal items: each original with its copies.

    The number of pairs within a group grows with its square. A group of more than `LARGEST_GROUP` items is condensed:
    its first item represents it (when two collections are compared, the first item of each). Only these delegates are
    paired with items of other groups, and with all the items of their own. `best` is the score of copies.
    """

    def __init__(self, copies: Copies, boundary: int | None, best: float = 1.0) -> None:
        self.best = best
        items = np.flatnonzero(copies.original >= 0)
        order = np.argsort(copies.original[items], kind="stable")
        self.items = items[order]
        self.sizes = np.bincount(copies.original[items], minlength=len(copies.original))
        self.begins = np.cumsum(self.sizes) - self.sizes
        self.large = self.sizes > LARGEST_GROUP
        is_delegate = ~self.large[copies.original[self.items]] | self._first(boundary, copies)
        self.delegates = self.items[is_delegate]
        self.delegations = np.bincount(copies.original[self.delegates], minlength=len(copies.original))
        self.delegate_begins = np.cumsum(self.delegations) - self.delegations

    def _first(self, boundary: int | None, copies: Copies) -> NDArray[np.bool_]:
        """Mark the first item of each group, and its first item after the boundary."""
        group = copies.original[self.items].astype(np.int64)
        side = group * 2 + (self.items >= boundary) if boundary is not None else group
        return np.not_equal(np.diff(side, prepend=-1), 0)

    def expand(self, pairs: Verified) -> IndexedPairs:
        """Return all pairs of items that follow from pairs of originals, and those within groups."""
        across = self._product(pairs)
        inside = self._inside()
        star = self._star()
        left = np.concatenate((across[0], inside[0], star[0]))
        right = np.concatenate((across[1], inside[1], star[1]))
        similarity = np.concatenate((across[2], np.full(len(inside[0]) + len(star[0]), self.best)))
        low, high = np.minimum(left, right), np.maximum(left, right)
        order = np.lexsort((high, low))
        return IndexedPairs(low[order], high[order], similarity[order], int(self.sizes[self.large].sum()))

    def _product(self, pairs: Verified) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Pair all delegates of one group with all delegates of the other."""
        lefts, rights = self.delegations[pairs.left], self.delegations[pairs.right]
        pair, nth = within(lefts * rights)
        left = self.delegates[self.delegate_begins[pairs.left[pair]] + nth // rights[pair]]
        right = self.delegates[self.delegate_begins[pairs.right[pair]] + nth % rights[pair]]
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
        """Pair the delegates of a large group with all other items of it."""
        group = np.flatnonzero(self.large)
        of, nth = within(self.sizes[group] * self.delegations[group])
        group = group[of]
        one = self.delegates[self.delegate_begins[group] + nth // self.sizes[group]]
        two = self.items[self.begins[group] + nth % self.sizes[group]]
        is_delegate = np.zeros(len(self.sizes), bool)
        is_delegate[self.delegates] = True
        wanted = (one < two) | ((one > two) & ~is_delegate[two])
        return one[wanted], two[wanted]


def within(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each element of runs of the given lengths, which run it belongs to and its position in it.

    >>> within(np.array([2, 0, 3]))
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    run = np.repeat(np.arange(len(counts)), counts)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts)
