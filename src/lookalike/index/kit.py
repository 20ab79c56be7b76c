"""What an index asks of its kind of items: how they are packed, signed and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.index import pack
from lookalike.index.storage.errors import damaged
from lookalike.index.storage.packed import Packed
from lookalike.index.storage.postings import codes_of
from lookalike.kinds import kind_named, kind_of
from lookalike.store.rows import matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.storage.part import Part
    from lookalike.kinds.base import Signed
    from lookalike.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Types:
    """The types of the items in an index, set by the first ones added."""

    kind: str
    element: pa.DataType | None
    """For sets and vectors: the type of their elements."""
    length: int
    """For items of one length: how many elements each has; otherwise 0."""

    @classmethod
    def of(cls, kind: str, items: pa.Array) -> Types:
        """Return the types of items."""
        if pa.types.is_fixed_size_list(items.type):
            return cls(kind, items.type.value_type, items.type.list_size)
        if pa.types.is_list(items.type) or pa.types.is_large_list(items.type):
            return cls(kind, plain_type(items.type.value_type), 0)
        return cls(kind, None, 0)

    @property
    def arrow(self) -> pa.DataType:
        """The type of an array of such items."""
        if self.element is None:
            return pa.large_string()
        return pa.list_(self.element, self.length) if self.length else pa.large_list(self.element)

    def refuse_others(self, others: Types) -> None:
        """Raise unless items of these types can be compared with those of the index."""
        if self.length != others.length:
            mine, other = map(kind_named(self.kind).written_length, (self.length, others.length))
            raise InputError(f"The items of this index have {mine}. Got {other}; make all of one length")
        if not self.length and others.element != self.element:
            raise InputError(f"The elements of this index are {self.element}. Got {others.element}; use one type")


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that values are stored as: that of a dictionary's values; integers have 64 bits."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_floating(kind):
        return pa.float64()
    return pa.large_string()


class Kit:
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

    def load(self, part: Part, items: NDArray[np.int64], types: Types) -> Any:  # noqa: ANN401 - what `compare` takes
        """Return the features of some items of a part."""
        return self._comparer.features(self.unpack(part, items, types))

    def everything(
        self,
        part: Part,
        firsts: NDArray[np.int64],
        asked: Signed,
        there: NDArray[np.int64],
        least: float,
        types: Types,
    ) -> Iterator[NDArray[np.uint64]]:
        """Yield (place, item) that may be similar enough, without bands: of queries, and of a part."""

        def load(items: NDArray[np.int64]) -> Any:  # noqa: ANN401 - features
            return self.load(part, items, types)

        for places, items in self._comparer.candidates(asked, there, firsts, load, least):
            yield codes_of(places, items)

    def possible(self, asked: NDArray[Any], held: NDArray[Any], least: float) -> NDArray[np.bool_]:
        """Return which items may be similar enough, by their sizes."""
        return self._comparer.possible(asked, held, least)

    def compare(
        self,
        asked: Signed,
        left: NDArray[np.int32],
        held: Any,  # noqa: ANN401 - features
        right: NDArray[np.int32],
        least: float,
    ) -> NDArray[np.float64]:
        """Return the exact score of queries with items; anything less where it is below `least`."""
        return self._comparer.scores(asked, left, held, right, least)


def rows_of(part: Part, types: Types) -> NDArray[Any]:
    """Return all items of one length in a part as a matrix."""
    assert types.element is not None  # noqa: S101 - it has a length
    data = part.container.column("items").view(types.element.to_pandas_dtype())
    if data.size != part.count * types.length:
        raise damaged(part.container.name, "it has not as many vectors as items")
    rows: NDArray[Any] = data.reshape(part.count, types.length)
    return rows


def kit_for(recipe: Recipe) -> Kit:
    """Return the kit of a recipe."""
    return Kit(recipe)


def kind_by(recipe: Recipe) -> str:
    """Return the kind of items that a recipe is for."""
    return recipe.kind


def column_of(recipe: Recipe) -> str:
    """Return the name of the column of items, where they are written."""
    return kind_of(recipe).column
