"""The weighted sets of items: they are read from where they were stored, and need not be made."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.features.weighted import NUMBER
from lookalike.kernels import weights as kernels
from lookalike.store.sets import Sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.store.items import Items


class WeightedSets(Sets):
    """The weighted sets of items, where they were put when they were read."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.begins = items.begins // NUMBER
        self.sizes = items.lengths // np.int32(2 * NUMBER)

    @property
    def elements(self) -> NDArray[np.uint64]:
        """Hashes and weights of all sets, read from disk as they are used."""
        return self._items.data.view().view(np.uint64)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """All that a kernel must know of them: the numbers, where sets begin, their sizes."""
        return self.elements, self.begins, self.sizes

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self._items.data.size // NUMBER

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """The total weight of each set."""
        out = np.empty(len(self.begins))
        kernels.totals(*self.columns, out)
        return out

    def trim(self) -> None:
        """Give back the memory that reading has taken, if it is much."""
        self._items.data.trim()

    def make(self, wanted: NDArray[np.int32]) -> None:
        """Do nothing: there they are."""
