"""Weighted sets as features: the hashes of their elements, sorted, followed by their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.features.columns import Columns
from lookalike.features.elements import element_numbers
from lookalike.features.shingles import Shingler
from lookalike.kernels import weights as kernels

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.columns import Spans

NUMBER = 8
"""Bytes of a hash, or of a weight."""


class Weigher(Shingler):
    """Makes weighted sets of lists of elements with weights: sorted hashes, then the weight of each."""

    def columns(self, items: pa.Array) -> Columns:
        """Return the sets of an Arrow array as they are kept; a null is an empty one."""
        sizes = null_as_zero(pc.list_value_length(items)).to_numpy()
        pairs = items.flatten()
        numbers = np.ascontiguousarray(element_numbers(pairs.field(0)))
        weights = np.ascontiguousarray(pairs.field(1).to_numpy())
        for column in (numbers, weights):
            column.flags.writeable = False
        out = np.empty(2 * len(numbers), np.uint64)
        bounds = np.empty(len(items) + 1, np.int64)
        kernels.pack(numbers, weights, np.append(0, np.cumsum(sizes)), spare_pairs(sizes), out, bounds)
        data = out[: bounds[-1]].view(np.uint8)
        data.flags.writeable = False
        return Columns(data, bounds * NUMBER)

    def _write_grams(self, items: Spans, out: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        raise NotImplementedError("a weighted set is not made of shingles")

    def sets(self, data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the sets of items, one after the other, and their sizes; item i is `data[slice(*bounds[i])]`."""
        parts = [data[begin:end] for begin, end in bounds]
        packed = np.concatenate([np.empty(0, np.uint8), *parts]).view(np.uint64)
        return packed, (bounds[:, 1] - bounds[:, 0]) // (2 * NUMBER)


def spare_pairs(sizes: NDArray[Any]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Make room to sort the hashes and weights of the largest set in."""
    most = int(sizes.max(initial=0))
    return np.empty(most, np.uint64), np.empty(most)
