"""Exact search among weighted sets: the prefix filter, by weight.

Rare elements come first. A prefix ends where less weight is left than the threshold needs. Sets are read whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.exact.prefixes import ALL, PrefixBuckets, Prefixes, PrefixFilter, Whole
from lookalike.features.weighted import spare_pairs
from lookalike.kernels import weights as kernels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lookalike.exact.prefixes import Marks, Out, Part
    from lookalike.store.weighted_sets import WeightedSets


@dataclass(frozen=True, slots=True)
class WeightFilter(PrefixFilter):
    """Prefix filter that finds the rare elements of all items, or of some."""

    sets: WeightedSets

    def among_all(self) -> Prefixes:
        """Return the rare elements of all items."""
        return self.among(self.compared)

    def among(self, members: NDArray[np.int32]) -> Prefixes:
        """Return the rare elements of some items."""
        return WeightPrefixes(self, members)


class WeightBuckets(PrefixBuckets):
    """Buckets of items that share a rare element, with the rest of their weight from that element on."""

    _kernels: Any = kernels


class WeightPrefixes(Prefixes):
    """The rare elements of weighted sets."""

    def __init__(self, weight_filter: WeightFilter, members: NDArray[np.int32]) -> None:
        self._totals = weight_filter.sets.totals
        self._threshold = float(weight_filter.recipe.threshold)
        super().__init__(weight_filter, Whole(weight_filter.sets, members), ALL)

    def _fill(self, part: Part, marks: Marks, out: Out) -> int:
        keys, owners, rests = out
        sets = (part.elements, part.begins, part.sizes, part.members)
        room = (keys, owners, rests.view(kernels.REST))
        work = (spare_pairs(part.sizes), spare_pairs(part.sizes))
        return int(kernels.prefixes(sets, self._totals, self._threshold, marks, work, room))

    def group(self, share: int, width: int) -> PrefixBuckets:
        """Return the buckets of one share."""
        return WeightBuckets(*self._load(share), self._totals, self._threshold, width)
