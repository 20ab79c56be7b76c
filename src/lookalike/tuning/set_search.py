"""The faster of two exact searches among sets: by their rare elements, or all with all by their outlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.exact.all_pairs import WORDS, AllPairs
from lookalike.exact.elements import ElementFilter
from lookalike.exact.prefixes import Prefixes, PrefixFilter
from lookalike.tuning.cost import ENTER, GROUPED, TEXTS, all_pairs_seconds, exact_set_seconds
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

    def whole(self, members: NDArray[np.int32], *, only: bool) -> Found:
        """Prepare the faster search by whole sets. `only` is whether nothing else is searched in the run."""
        self.sets.make(members)
        count = len(members)
        if count < 2:  # noqa: PLR2004 - a pair
            return self.by_outlines(members, WORDS[0], only=only)
        drawn = self.draw(members)
        words = drawn.best_words(self.min_jaccard, count)
        seconds = drawn.dense_seconds(words, self.min_jaccard, count)
        if seconds > ENTER * drawn.mean_size * count:
            rare = self.by_rare_elements(members)
            if rare_seconds(rare) < seconds:
                return rare
            rare.close()
        return self.by_outlines(members, words, only=only)

    def draw(self, members: NDArray[np.int32]) -> DrawnPairs:
        """Draw pairs from all pairs of some items, and compare them."""
        random = np.random.default_rng((self.recipe.seed, len(members)))
        drawn = min(max(int(DRAWN_PER_ITEM * len(members)), 1), MAX_DRAWN)
        return DrawnPairs.of(*draw_any(members, drawn, random), self.sets, self.sides)

    def by_outlines(self, members: NDArray[np.int32], words: int, *, only: bool) -> AllPairs:
        """Prepare a search that compares the outlines of all sets."""
        return AllPairs(self.sets, members, self.goal, words, self.threads, only)

    def by_rare_elements(self, members: NDArray[np.int32]) -> ElementPrefixes:
        """Prepare a search by the rare elements of whole sets, with outlines."""
        held = (self.compared, self.sides, self.items, self.sets, self.recipe, self.scratch, self.threads)
        return ElementFilter(*held).among(members)


def samples_suffice(search: Prefixes, count: int, elements: int) -> bool:
    """Return whether a search by samples of so many sets is faster than making whole sets, and searching those."""
    entering, comparing = ENTER * elements, all_pairs_seconds(count**2 / 2, WORDS[-1], elements)
    return search.comparisons() * TEXTS.collision <= TEXTS.make * elements + min(entering, comparing)


def rare_seconds(search: ElementPrefixes) -> float:
    """Return the time of a prepared search by rare elements."""
    comparisons = search.comparisons()
    return exact_set_seconds(comparisons, search.share_kept(), search.mean_size) + GROUPED * search.entries
