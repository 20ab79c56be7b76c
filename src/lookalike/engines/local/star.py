"""Star clusters: every removed item resembles the kept item of its cluster.

Items are decided in the order of the keep rule: an item is kept unless a kept item before it resembles it. It then
belongs to the most similar of those, or to the first of them if several are as similar. Only pairs of a kept item and a
later one matter, so most pairs of a large cluster are never compared.

Connected components come first. Star clusters are parts of them, so that only components of three or more items are
left, and only items of one component that share a bucket are compared: see `Stars`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.groups import find_groups
from lookalike.arrays.random import scramble
from lookalike.engines.local.cluster import precedence
from lookalike.engines.local.verify import merge
from lookalike.kernels import stars as kernels
from lookalike.lsh.buckets import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Keep
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.search import Search
    from lookalike.engines.local.verify import Verified

MIN_SIZE = 3
"""The minimum number of items of a component that may fall into several star clusters."""


def star_roots(
    run: Run, collected: Collected, search: Search, roots: NDArray[np.int32], linked: list[Verified], keep: Keep
) -> NDArray[np.int32]:
    """Return the first item of each item's star cluster, given those of connected components and the pairs that link them."""
    sizes = np.bincount(roots, minlength=len(roots))
    order = in_keep_order(sizes[roots] >= MIN_SIZE, collected, keep)
    if not len(order):
        return roots
    groups = Groups(run, collected, search, roots, order)
    keepers = Stars(order, len(roots), groups, search, linked).keepers()
    first = np.full(len(order), len(roots), np.int32)
    np.minimum.at(first, keepers, order)
    roots = roots.copy()
    roots[order] = first[keepers]
    return roots


def in_keep_order(wanted: NDArray[np.bool_], collected: Collected, keep: Keep) -> NDArray[np.int32]:
    """Return the originals that are wanted, in keep order: each where the first of its copies is."""
    original = collected.copies.original
    items = np.flatnonzero((original >= 0) & wanted[np.maximum(original, 0)])
    if keep.rule != "first":
        items = items[np.lexsort((items, precedence(items, keep, collected.ranks)))]
    owners, first = np.unique(original[items], return_index=True)
    return owners[np.argsort(first)]


@dataclass(frozen=True, slots=True)
class Edges:
    """Similar items, numbered in keep order."""

    earlier: NDArray[np.int32]
    later: NDArray[np.int32]
    score: NDArray[np.float64]

    @classmethod
    def of(cls, pairs: Verified, positions: NDArray[np.int32]) -> Edges:
        """Return the pairs of items that have a position in keep order; -1 stands for none."""
        left, right = positions[pairs.left], positions[pairs.right]
        return cls(np.minimum(left, right), np.maximum(left, right), pairs.similarity).among(left >= 0)

    def among(self, some: NDArray[np.bool_] | NDArray[np.intp]) -> Edges:
        """Return some of the edges."""
        return Edges(self.earlier[some], self.later[some], self.score[some])

    def __add__(self, other: Edges) -> Edges:
        return Edges(
            np.concatenate((self.earlier, other.earlier)),
            np.concatenate((self.later, other.later)),
            np.concatenate((self.score, other.score)),
        )


class Groups:
    """The items of each component that share a bucket, band by band, on disk; see `kernels.stars`.

    In an exact search, which finds all pairs, these are simply the items of each component.
    """

    def __init__(
        self, run: Run, collected: Collected, search: Search, roots: NDArray[np.int32], order: NDArray[np.int32]
    ) -> None:
        count = len(order)
        slots, members = run.scratch.column(np.int32), run.scratch.column(np.int32)
        of_root = scramble(roots[order].astype(np.uint64))
        banding = search.plan.recipe.banding

        def group(band: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
            keys = of_root.copy()
            if banding is not None:
                of_all = np.empty(len(roots), np.uint64)
                collected.items.read_band(band, of_all)
                keys ^= of_all[order]
            return find_groups(keys, np.arange(count, dtype=np.int32))

        bands = banding.bands if banding else 1
        for items, bounds in run.threads.map(group, range(bands), ahead=1):
            places = np.full(count, -1, np.int32)
            places[items] = np.arange(len(items), dtype=np.int32)
            items[bounds[1:] - 1] = ~items[bounds[1:] - 1]
            slots.append(places)
            members.append(np.append(items, np.full(count - len(items), -1, np.int32)))
        self._columns = slots, members
        self._shape = bands, count

    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the slots and the members."""
        slots, members = (column.view().reshape(self._shape) for column in self._columns)
        return slots, members

    def trim(self) -> None:
        """Release the memory that reading has taken, if it is much."""
        for column in self._columns:
            column.trim()

    def close(self) -> None:
        """Delete the groups."""
        for column in self._columns:
            column.close()


class Stars:
    """Decides which items to keep, some at a time.

    In each step, items are chosen that can be decided together: those that share a group with few undecided items
    before them, all of which are chosen. The chosen are compared and decided, then the kept ones are compared with all
    later items of their groups. At first, an item must be the very first undecided item of its groups: where items are
    near-copies of each other, this decides most of them. What is still undecided differs more, and is compared more
    at a time.
    """

    def __init__(
        self, order: NDArray[np.int32], count: int, groups: Groups, search: Search, linked: list[Verified]
    ) -> None:
        self._order = order
        self._positions = np.full(count, -1, np.int32)
        self._positions[order] = np.arange(len(order), dtype=np.int32)
        self._groups = groups
        self._search = search
        self._edges = Edges.of(merge(linked), self._positions)
        self._status = np.full(len(order), kernels.UNDECIDED, np.uint8)
        self._stamp = np.full(len(order), -1, np.int32)
        self._keepers = np.arange(len(order), dtype=np.int32)
        self._best = np.full(len(order), -np.inf)

    def keepers(self) -> NDArray[np.int32]:
        """Decide all items, and return the keeper of each; items are numbered in keep order."""
        limit = 0
        while np.any(self._status == kernels.UNDECIDED):
            self._compare_later(self._decide(limit))
            limit = 2 * limit or 1
            self._groups.trim()
        self._groups.close()
        return self._keepers

    def _decide(self, limit: int) -> NDArray[np.int64]:
        """Choose items, decide them, and return those that are kept."""
        left, right = np.empty((2, BUDGET), np.int32)
        count = kernels.choose(self._status, *self._groups.columns(), limit, self._stamp, left, right)
        self._edges += self._similar(left[:count], right[:count])
        earlier, later = (self._status[side] == kernels.CHOSEN for side in (self._edges.earlier, self._edges.later))
        chosen = self._edges.among(earlier & later)
        chosen = chosen.among(np.argsort(chosen.later, kind="stable"))
        kernels.decide(chosen.earlier, chosen.later, self._status)
        kept = np.flatnonzero(self._status == kernels.CHOSEN)
        self._status[kept] = kernels.KEPT
        self._remove()
        return kept

    def _compare_later(self, kept: NDArray[np.int64]) -> None:
        """Compare kept items with the later items of their groups, and remove those that are similar."""
        for left, right in self._later(kept):
            self._edges += self._similar(left, right)
            self._remove()

    def _later(self, kept: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the candidates of kept items with later items."""
        left, right = np.empty((2, max(BUDGET, len(self._order))), np.int32)
        first = 0
        while first < len(kept):
            count, first = kernels.propose_later(
                kept, first, self._status, *self._groups.columns(), self._stamp, left, right
            )
            yield left[:count], right[:count]

    def _similar(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> Edges:
        """Compare candidates, and return those that are similar. Those seen before are known already."""
        pairs = self._search.verify(self._search.seen.new(self._order[left], self._order[right]))
        return Edges.of(pairs, self._positions)

    def _remove(self) -> None:
        """Remove the items that resemble kept ones, and forget the edges that no longer matter."""
        edges = self._edges.among(self._status[self._edges.earlier] == kernels.KEPT)
        edges = edges.among(np.lexsort((edges.earlier, -edges.score, edges.later)))
        edges = edges.among(np.diff(edges.later, prepend=-1) > 0)
        best, keeper = self._best[edges.later], self._keepers[edges.later]
        edges = edges.among((edges.score > best) | ((edges.score == best) & (edges.earlier < keeper)))
        self._status[edges.later] = kernels.REMOVED
        self._best[edges.later] = edges.score
        self._keepers[edges.later] = edges.earlier
        self._edges = self._edges.among(self._status[self._edges.earlier] == kernels.UNDECIDED)
