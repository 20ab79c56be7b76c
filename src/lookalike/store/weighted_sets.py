"""The weighted sets of items, read from where they were stored when the items were read."""

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
    """Weighted sets of items. They are stored when the items are read and need not be built."""

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
        """The arrays that kernels take: the numbers, the offsets where sets begin, their sizes."""
        return self.elements, self.begins, self.sizes

    @property
    def total(self) -> int:
        """The number of hashes and weights in all sets."""
        return self._items.data.size // NUMBER

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """The total weight of each set."""
        out = np.empty(len(self.begins))
        kernels.totals(*self.columns, out)
        return out

    def trim(self) -> None:
        """Release the memory taken by reading, if it exceeds the limit."""
        self._items.data.trim()

    def make(self, wanted: NDArray[np.int32]) -> None:
        """Do nothing: the sets exist already."""
