"""The faster of two exact searches among sets: by their rare elements, or all with all by their outlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.exact.all_pairs import WORDS, AllPairs
from lookalike.exact.elements import ElementFilter
from lookalike.exact.prefixes import Prefixes, PrefixFilter
from lookalike.tuning.cost import ENTER, GROUPED, TEXTS, all_pairs_seconds, exact_set_seconds, meetings_are_cheap
from lookalike.tuning.drawn import DrawnPairs, draw_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.exact.elements import ElementPrefixes

    Found = AllPairs | Prefixes
    """A prepared search."""

DRAWN_PER_ITEM, MAX_DRAWN = 1 / 4, 1 << 11
"""Pairs drawn from all pairs, which may have nothing in common: per item, and at most."""


@dataclass(frozen=True, slots=True)
class SetSearch(PrefixFilter):
    """Exact search among sets of shingles, as the cost model tells."""

    def among_all(self) -> Found:  # type: ignore[override]  # any exact search will do
        """Prepare a search by samples of all sets, or by whole sets where too many of them meet by their samples."""
        found = PrefixFilter.among_all(self)
        elements = int(self.items.sizes[self.compared].sum(dtype=np.int64))
        if samples_suffice(found, len(self.compared), elements):
            return found
        members = found.owners()
        found.close()
        return self.whole(members, only=True)

    def among(self, members: NDArray[np.int32]) -> Found:  # type: ignore[override]
        """Prepare a search among some items, by whole sets."""
        return self.whole(members, only=False)

    def whole(self, members: NDArray[np.int32], *, only: bool) -> AllPairs | ElementPrefixes:
        """Prepare the faster search by whole sets. `only` is whether nothing else is searched in the run."""
        self.sets.make(members)
        dense = by_outlines(self, members, only=only)
        if dense.seconds <= ENTER * float(self.sets.sizes[members].sum(dtype=np.int64)):
            return dense
        held = (self.compared, self.sides, self.items, self.sets, self.recipe, self.scratch, self.threads)
        return faster(ElementFilter(*held).among(members), dense)


@dataclass(frozen=True, slots=True)
class ElementSearch(ElementFilter):
    """Exact search among sets of elements, as the cost model tells."""

    def among_all(self) -> AllPairs | ElementPrefixes:  # type: ignore[override]  # any exact search will do
        """Prepare a search by rare elements, or by outlines alone where it turns out that none are rare."""
        rare = ElementFilter.among_all(self)
        if meetings_are_cheap(rare.max_collisions, len(self.compared)):
            return rare
        self.sets.make(self.compared)
        return faster(rare, by_outlines(self, self.compared, only=True))


def faster(rare: ElementPrefixes, dense: AllPairs) -> AllPairs | ElementPrefixes:
    """Return the faster of two prepared searches; the other one is closed."""
    if rare_seconds(rare) < dense.seconds:
        return rare
    rare.close()
    return dense


def by_outlines(search: PrefixFilter, members: NDArray[np.int32], *, only: bool) -> AllPairs:
    """Prepare a search that compares the outlines of all sets."""
    words, seconds, count = WORDS[0], 0.0, len(members)
    if count > 1:
        drawn = draw(search, members)
        words = drawn.best_words(search.min_jaccard, count)
        seconds = drawn.dense_seconds(words, search.min_jaccard, count)
    return AllPairs(search.sets, members, search.goal, words, search.threads, only, seconds)


def draw(search: PrefixFilter, members: NDArray[np.int32]) -> DrawnPairs:
    """Draw pairs from all pairs of some items, at least two, and compare them."""
    random = np.random.default_rng((search.recipe.seed, len(members)))
    count = min(max(int(DRAWN_PER_ITEM * len(members)), 1), MAX_DRAWN)
    return DrawnPairs.of(*draw_any(members, count, random), search.sets, search.sides)


def samples_suffice(search: Prefixes, count: int, elements: int) -> bool:
    """Return whether a search by samples of so many sets is faster than making whole sets, and searching those."""
    entering, comparing = ENTER * elements, all_pairs_seconds(count**2 / 2, WORDS[-1], elements)
    return search.comparisons() * TEXTS.collision <= TEXTS.make * elements + min(entering, comparing)


def rare_seconds(search: ElementPrefixes) -> float:
    """Return the time of a prepared search by rare elements."""
    comparing = exact_set_seconds(search.comparisons(), search.share_kept(), search.mean_size)
    return comparing + GROUPED * search.entries
