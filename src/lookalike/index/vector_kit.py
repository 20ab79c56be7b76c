"""Vectors and bits in an index. They are not packed, so that a part has them as one matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.exact.vectors import SIDE, above
from lookalike.index.storage.errors import damaged
from lookalike.index.storage.packed import Packed
from lookalike.index.storage.postings import codes_of
from lookalike.lsh.family import FAMILIES
from lookalike.store.vectors import FewVectors, as_compared, fingerprints, matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.kit import Types
    from lookalike.index.storage.part import Part
    from lookalike.lsh.family import Family
    from lookalike.recipe import Recipe


@dataclass(frozen=True, slots=True)
class SignedRows:
    """Vectors after signing."""

    rows: NDArray[Any]
    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    sizes: NDArray[np.int64]


class VectorKit:
    """Signs and compares vectors, or bits."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def pack(self, items: pa.Array, types: Types) -> Packed:
        """Return vectors as their bytes; a null as zeros."""
        assert types.element is not None  # noqa: S101 - of vectors
        rows = matrix_of(items).astype(types.element.to_pandas_dtype(), copy=False)
        return Packed(rows.tobytes(), np.full(len(rows), rows.itemsize * types.length))

    def key(self, items: pa.Array) -> SignedRows:
        """Sign vectors."""
        return self.sign(items)

    def unpack(self, part: Part, items: NDArray[np.int64], types: Types) -> pa.Array:
        """Return some vectors of a part; null where there is none."""
        rows = plain_rows(part, types)[items]
        there = part.sizes[items] > 0
        values = pa.FixedSizeListArray.from_arrays(as_arrow(rows.ravel()), types.length)
        if there.all():
            return values
        return pa.array([v.as_py() if t else None for v, t in zip(values, there, strict=True)], types.arrow)

    def sign(self, items: pa.Array) -> SignedRows:
        """Sign vectors, which have been looked through."""
        missing = items.is_null().to_numpy(zero_copy_only=False)
        rows = self._ready(matrix_of(items))
        prints = fingerprints(rows)
        prints[missing] = 0
        banding = self.recipe.banding
        keys = np.zeros((banding.bands if banding else 0, len(rows)), np.uint64)
        if banding and len(rows):
            keys[:] = self._family(rows, 8 * items.type.list_size).keys(slice(0, len(rows)), banding)
        return SignedRows(rows, keys, prints, (~missing).astype(np.int64))

    def load(self, part: Part, items: NDArray[np.int64], types: Types) -> NDArray[Any]:
        """Return some vectors of a part, ready to be compared."""
        return self._ready(plain_rows(part, types)[items])

    def everything(
        self,
        part: Part,
        firsts: NDArray[np.int64],
        asked: SignedRows,
        there: NDArray[np.int64],
        least: float,
        types: Types,
    ) -> Iterator[NDArray[np.uint64]]:
        """Yield what may be similar enough, by products of blocks with blocks."""
        family = self._family(asked.rows)
        for begin in range(0, len(there), SIDE):
            some = there[begin : begin + SIDE].astype(np.int32)
            ready = family.ready(some)
            for first in range(0, len(firsts), SIDE):
                items = firsts[first : first + SIDE]
                others = self._family(self.load(part, items, types))
                for one, two in above(family, ready, others.ready(slice(None)), least, same=False):
                    yield codes_of(some[one], items[two])

    def possible(
        self,
        asked: NDArray[Any],
        held: NDArray[Any],  # noqa: ARG002 - all vectors have one length
        least: float,  # noqa: ARG002
    ) -> NDArray[np.bool_]:
        """Tell that all may be similar enough."""
        return np.ones(len(asked), bool)

    def compare(
        self,
        asked: SignedRows,
        left: NDArray[np.int32],
        held: NDArray[Any],
        right: NDArray[np.int32],
        least: float,  # noqa: ARG002 - all of them are computed
    ) -> NDArray[np.float64]:
        """Return the exact score of vectors on the left with vectors on the right."""
        both = np.concatenate((asked.rows, held.astype(asked.rows.dtype, copy=False)))
        both.flags.writeable = False
        return self._family(both).scores(left, right + np.int32(len(asked.rows)))

    def _family(self, rows: NDArray[Any], bits: int = 0) -> Family:
        """Return what compares these rows; how many bits are in one must be known to sign it."""
        measure = self.recipe.measure
        if measure.of == "bits":
            measure = replace(measure, bits=bits)
        return FAMILIES[measure.name](FewVectors(rows), replace(self.recipe, measure=measure))

    def _ready(self, rows: NDArray[Any]) -> NDArray[Any]:
        made = as_compared(rows, self.recipe.measure)
        made.flags.writeable = False
        return made


def plain_rows(part: Part, types: Types) -> NDArray[Any]:
    """Return all vectors of a part, where they stand."""
    assert types.element is not None  # noqa: S101 - of vectors
    data = part.container.column("items").view(types.element.to_pandas_dtype())
    if data.size != part.count * types.length:
        raise damaged(part.container.name, "its vectors are not as many as its items")
    rows: NDArray[Any] = data.reshape(part.count, types.length)
    return rows
