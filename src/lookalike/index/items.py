"""What an index does with its items: it packs, signs and compares them, as their kind says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.index import pack
from lookalike.index.storage.errors import damaged
from lookalike.index.storage.packed import Packed
from lookalike.index.storage.postings import codes_of
from lookalike.kinds import kind_of
from lookalike.store.rows import matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.storage.part import Part
    from lookalike.index.types import Types
    from lookalike.kinds.base import Signed
    from lookalike.recipe import Recipe


class ItemOperations:
    """Packs, signs and compares the items of an index. Every method may be called by several threads at a time."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._comparer = kind_of(recipe).comparer(recipe)

    def pack(self, items: pa.Array, types: Types) -> Packed:
        """Return items as bytes. Those of one length are not compressed, so that a part holds them as a matrix."""
        if not types.length:
            return pack.pack(items, types)
        assert types.element is not None  # noqa: S101 - it has a length
        rows = matrix_of(items).astype(types.element.to_pandas_dtype(), copy=False)
        return Packed(rows.tobytes(), np.full(len(rows), rows.itemsize * types.length))

    def unpack(self, part: Part, items: NDArray[np.int64], types: Types) -> pa.Array:
        """Return some items of a part."""
        if not types.length:
            return pack.unpack(part.packed(items), types)
        rows = rows_of(part, types)[items]
        present = part.sizes[items] > 0
        values = pa.FixedSizeListArray.from_arrays(as_arrow(rows.ravel()), types.length)
        if present.all():
            return values
        return pa.array([v.as_py() if one else None for v, one in zip(values, present, strict=True)], types.arrow)

    def key(self, items: pa.Array) -> Signed:
        """Sign items with all that finding them takes; their sizes may be upper bounds."""
        return self._comparer.key(items)

    def sign(self, items: pa.Array) -> Signed:
        """Sign items with all that comparing them takes."""
        return self._comparer.sign(items)

    def load(self, part: Part, items: NDArray[np.int64], types: Types) -> Any:  # noqa: ANN401 - what `scores` takes
        """Return the features of some items of a part."""
        return self._comparer.features(self.unpack(part, items, types))

    def candidates(
        self,
        part: Part,
        originals: NDArray[np.int64],
        queries: Signed,
        places: NDArray[np.int64],
        min_score: float,
        types: Types,
    ) -> Iterator[NDArray[np.uint64]]:
        """Yield (query, item) that may be similar enough, without bands: of queries at some places, and of a part."""

        def load(items: NDArray[np.int64]) -> Any:  # noqa: ANN401 - features
            return self.load(part, items, types)

        for some, items in self._comparer.candidates(queries, places, originals, load, min_score):
            yield codes_of(some, items)

    def possible(self, queries: NDArray[Any], items: NDArray[Any], min_score: float) -> NDArray[np.bool_]:
        """Return which items may be similar enough, by their sizes."""
        return self._comparer.possible(queries, items, min_score)

    def scores(
        self,
        queries: Signed,
        left: NDArray[np.int32],
        items: Any,  # noqa: ANN401 - features
        right: NDArray[np.int32],
        min_score: float,
    ) -> NDArray[np.float64]:
        """Return the exact score of queries with items; anything less where it is below the minimum."""
        return self._comparer.scores(queries, left, items, right, min_score)


def rows_of(part: Part, types: Types) -> NDArray[Any]:
    """Return all items of one length in a part as a matrix."""
    assert types.element is not None  # noqa: S101 - it has a length
    data = part.container.column("items").view(types.element.to_pandas_dtype())
    if data.size != part.count * types.length:
        raise damaged(part.container.name, "it has not as many vectors as items")
    rows: NDArray[Any] = data.reshape(part.count, types.length)
    return rows
