"""The faster of two exact searches among sets: by their rare elements, or all with all by their outlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.exact.all_pairs import AllPairs
from lookalike.exact.elements import ElementFilter
from lookalike.exact.prefixes import Prefixes, PrefixFilter, Samples, cutoff
from lookalike.tuning.cost import ENTER, GROUPED, TEXTS, all_pairs_seconds, exact_set_seconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Found = AllPairs | Prefixes
    """A prepared search."""


@dataclass(frozen=True, slots=True)
class SetSearch(PrefixFilter):
    """Exact search among sets of shingles, as the cost model tells."""

    def among_all(self) -> Found:  # type: ignore[override]  # any exact search will do
        """Prepare a search by samples of all sets, or by whole sets where too many of them meet by their samples."""
        found = Prefixes(self, Samples(self.items, self.compared), cutoff(self.recipe))
        elements = float(self.items.sizes[self.compared].sum(dtype="int64"))
        pairs = len(self.compared) ** 2 / 2
        whole = (TEXTS.make + ENTER) * elements
        if found.comparisons() * TEXTS.collision <= min(whole, TEXTS.make * elements + all_pairs_seconds(pairs, 8, 0)):
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
        dense = AllPairs(self.sets, members, self.goal, self.min_jaccard, self.threads, only)
        seconds = search_seconds(dense)
        if dense.separates and seconds <= ENTER * dense.elements:
            return dense
        rare = self.by_rare_elements(members)
        if dense.separates and search_seconds(rare) > seconds:
            rare.close()
            return dense
        return rare

    def by_rare_elements(self, members: NDArray[np.int32]) -> Prefixes:
        """Prepare a search by the rare elements of whole sets, with outlines."""
        held = (self.compared, self.sides, self.items, self.sets, self.recipe, self.scratch, self.threads)
        return ElementFilter(*held).among(members)


def search_seconds(search: Found) -> float:
    """Return the time of a prepared search, apart from verifying candidates."""
    if isinstance(search, AllPairs):
        return all_pairs_seconds(search.pairs, search.words, search.elements)
    return exact_set_seconds(search.comparisons(), 0.0, 0.0) + GROUPED * search.entries
