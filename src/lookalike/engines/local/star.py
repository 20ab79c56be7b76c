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
from lookalike.engines.local.verify import Verified, merge
from lookalike.kernels import stars as kernels
from lookalike.lsh.buckets import LARGE, PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Keep
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.search import Search

AT_A_TIME = 1 << 19
"""The maximum number of candidates proposed at a time."""

SPARSE = 64
"""The maximum number of items removed per item kept in a component whose pairs are few enough to list."""

MIN_SIZE = 3
"""The minimum number of items of a component that may fall into several star clusters."""


@dataclass(frozen=True, slots=True)
class Found:
    """The star clusters of a collection."""

    roots: NDArray[np.int32]
    """The first item of each item's cluster."""
    rays: Verified
    """The pairs of a keeper and a member, where a component has three or more items."""
    pairs: int
    """The number of pairs found in addition to those known before."""


def find_stars(
    run: Run, collected: Collected, search: Search, keep: Keep, roots: NDArray[np.int32], linked: list[Verified]
) -> Found:
    """Split connected components into star clusters, given the first item of each and the pairs that link them."""
    sizes = np.bincount(roots, minlength=len(roots))
    order = in_keep_order(sizes[roots] >= MIN_SIZE, collected, keep)
    groups = Groups(run, collected, search, roots, order)
    stars = Stars(order, len(roots), groups, search, linked)
    keepers, scores = stars.keepers()
    first = np.full(len(order), len(roots), np.int32)
    np.minimum.at(first, keepers, order)
    roots = roots.copy()
    roots[order] = first[keepers]
    removed = np.isfinite(scores)
    return Found(roots, Verified(order[keepers[removed]], order[removed], scores[removed]), stars.pairs)


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
        self._run = run
        self._collected = collected
        self._order = order
        self._banding = search.plan.recipe.banding
        self.components = roots[order]
        self._keys = scramble(self.components.astype(np.uint64))
        self._group()

    @property
    def exact(self) -> bool:
        """Whether the search is exact."""
        return self._banding is None

    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the slots and the members."""
        shape = -1, len(self._order)
        return self._slots.view().reshape(shape), self._members.view().reshape(shape)

    def leave(self, items: NDArray[np.int64]) -> None:
        """Take items out of their groups."""
        self._keys[items] = scramble((items + self._collected.items.count).astype(np.uint64))
        self.close()
        self._group()

    def trim(self) -> None:
        """Release the memory that reading has taken, if it is much."""
        self._slots.trim()
        self._members.trim()

    def close(self) -> None:
        """Delete the groups."""
        self._slots.close()
        self._members.close()

    def _group(self) -> None:
        self._slots, self._members = (self._run.scratch.column(np.int32) for _ in range(2))
        bands = self._banding.bands if self._banding else 1
        for items, bounds in self._run.threads.map(self._in_band, range(bands), ahead=1):
            slots, members = np.full((2, len(self._order)), -1, np.int32)
            slots[items] = np.arange(len(items))
            members[: len(items)] = items
            members[bounds[1:] - 1] = ~items[bounds[1:] - 1]
            self._slots.append(slots)
            self._members.append(members)

    def _in_band(self, band: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the items that share a group, group by group, and the offsets at which groups begin."""
        keys = self._keys.copy()
        if not self.exact:
            of_all = np.empty(self._collected.items.count, np.uint64)
            self._collected.items.read_band(band, of_all)
            keys ^= of_all[self._order]
        return find_groups(keys, np.arange(len(keys), dtype=np.int32))


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
        self.pairs = 0
        """The number of pairs found in addition to those known before."""

    def keepers(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Decide all items, and return the keeper of each, with its score; a kept item has the score -inf."""
        limit = 0
        while np.any(self._status == kernels.UNDECIDED):
            self._compare_later(self._decide(limit))
            limit = 2 * limit or 1
            if self._groups.exact and limit >= PATIENCE:
                self._search_sparse()
            self._groups.trim()
        self._groups.close()
        return self._keepers, self._best

    def _decide(self, limit: int) -> NDArray[np.int64]:
        """Choose items, decide them, and return those that are kept."""
        left, right = np.empty((2, AT_A_TIME), np.int32)
        count = kernels.choose(self._status, *self._groups.columns(), limit, self._stamp, left, right)
        self._compare(left[:count], right[:count])
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
            self._compare(left, right)
            self._remove()

    def _later(self, kept: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the candidates of kept items with later items."""
        left, right = np.empty((2, AT_A_TIME), np.int32)
        place = np.array([0, 0, -1])
        while place[0] < len(kept):
            count = kernels.propose_later(kept, place, self._status, *self._groups.columns(), self._stamp, left, right)
            yield left[:count], right[:count]

    def _search_sparse(self) -> None:
        """Find all pairs among the items of large components that kept items leave undecided, by an exact search.

        Comparing all with all would take long there, and the pairs are few. Afterwards they are all known, so that
        these items need no groups.
        """
        numbers = np.unique(self._groups.components, return_inverse=True)[1]
        undecided, kept, removed = (
            np.bincount(numbers[self._status == status], minlength=numbers.max() + 1)
            for status in (kernels.UNDECIDED, kernels.KEPT, kernels.REMOVED)
        )
        left: list[NDArray[np.int64]] = []
        for number in np.flatnonzero((undecided >= LARGE) & (removed <= SPARSE * kept)):
            left.append(np.flatnonzero((numbers == number) & (self._status != kernels.KEPT)))
            for pairs in self._search.pairs_among(self._order[left[-1]]):
                self._add(pairs)
        if left:
            self._groups.leave(np.concatenate(left))

    def _compare(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> None:
        """Compare candidates. Of those that were seen before, the similar ones are known."""
        self._add(self._search.verify(self._search.seen.new(self._order[left], self._order[right])))

    def _add(self, pairs: Verified) -> None:
        """Add pairs to those known."""
        self.pairs += len(pairs)
        self._edges += Edges.of(pairs, self._positions)

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
