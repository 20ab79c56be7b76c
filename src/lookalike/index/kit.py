"""What an index must know of its kind of items: how they are written, signed and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, get_args

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.read import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.index.storage.packed import Packed
    from lookalike.index.storage.part import Part
    from lookalike.recipe import Recipe


COLUMNS: dict[Kind, str] = {
    "texts": "text",
    "tokens": "tokens",
    "elements": "elements",
    "weights": "weights",
    "vectors": "vector",
    "bits": "bits",
}
"""What the column of items is called where they are written."""


@dataclass(frozen=True, slots=True)
class Types:
    """What the items of an index are, which the first that are added decide."""

    kind: Kind
    element: pa.DataType | None
    """Of sets and vectors: what they are made of."""
    length: int
    """Of vectors: how many numbers each has, or bytes of bits."""

    @classmethod
    def of(cls, kind: Kind, items: pa.Array) -> Types:
        """Return what these items are."""
        if kind == "texts":
            return cls(kind, None, 0)
        if kind in ("vectors", "bits"):
            return cls(kind, items.type.value_type, items.type.list_size)
        return cls(kind, plain_type(items.type.value_type), 0)

    @property
    def arrow(self) -> pa.DataType:
        """The type of an array of such items."""
        if self.element is None:
            return pa.large_string()
        return pa.list_(self.element, self.length) if self.length else pa.large_list(self.element)

    def refuse_others(self, others: Types) -> None:
        """Raise unless items of these types can be compared with those of the index."""
        if self.length != others.length and self.kind == "bits":
            raise InputError(
                f"The items of this index have {8 * self.length} bits. Got {8 * others.length}; make all of one length"
            )
        if self.length != others.length:
            raise InputError(
                f"The vectors of this index have the length {self.length}. Got {others.length}; make all of one length"
            )
        if self.kind not in ("vectors", "bits") and others.element != self.element:
            raise InputError(
                f"The elements of the sets in this index are of {self.element}. Got {others.element}; make them one "
                "type"
            )


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that values are kept as: a dictionary is one for its values, integers have 64 bits."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_floating(kind):
        return pa.float64()
    return pa.large_string()


class Signed(Protocol):
    """Items after signing."""

    @property
    def keys(self) -> NDArray[np.uint64]:
        """Of item i they are `keys[:, i]`, one for each band."""

    @property
    def prints(self) -> NDArray[np.uint64]:
        """Two numbers, the same for items that are the same; the first is 0 if there is nothing of an item."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How much there is of each item."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """What is written of items that were signed."""

    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    sizes: NDArray[np.int64]


class Kit(Protocol):
    """Writes, signs and compares items of one kind. Each method may be used by several threads at a time."""

    recipe: Recipe

    def pack(self, items: pa.Array, types: Types) -> Packed:
        """Return items as bytes."""

    def unpack(self, part: Part, items: NDArray[np.int64], types: Types) -> pa.Array:
        """Return some items of a part."""

    def key(self, items: pa.Array) -> Signed:
        """Sign items, with all that finding them takes; they may be told to be larger than they are."""

    def sign(self, items: pa.Array) -> Signed:
        """Sign items, with all that comparing them takes, too."""

    def load(self, part: Part, items: NDArray[np.int64], types: Types) -> Any:  # noqa: ANN401 - what `compare` takes
        """Return some items of a part, ready to be compared."""

    def everything(
        self,
        part: Part,
        firsts: NDArray[np.int64],
        asked: Any,  # noqa: ANN401 - signed items
        there: NDArray[np.int64],
        least: float,
        types: Types,
    ) -> Iterator[NDArray[np.uint64]]:
        """Yield (place, item) that may be similar enough, without bands: of what is asked about, and of a part."""

    def possible(self, asked: NDArray[Any], held: NDArray[Any], least: float) -> NDArray[np.bool_]:
        """Tell which items may be similar enough, by the size of the one asked about and at most that of the other."""

    def compare(
        self,
        asked: Any,  # noqa: ANN401 - signed items
        left: NDArray[np.int32],
        held: Any,  # noqa: ANN401 - loaded items
        right: NDArray[np.int32],
        least: float,
    ) -> NDArray[np.float64]:
        """Return the exact score of items on the left with items on the right; anything less where it is below `least`.

        Those with the same left one come together.
        """


def kit_for(recipe: Recipe) -> Kit:
    """Return what a recipe asks for."""
    if recipe.measure.of == "sets":
        from lookalike.index.set_kit import SetKit  # noqa: PLC0415 - one of two

        return SetKit(recipe)
    from lookalike.index.vector_kit import VectorKit  # noqa: PLC0415 - one of two

    return VectorKit(recipe)


def kind_by(recipe: Recipe) -> Kind:
    """Return what the items of a recipe are."""
    kinds: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    return kinds.get(recipe.shingling.kind, "texts")


def column_of(recipe: Recipe) -> str:
    """Return what the column of its items is called where they are written."""
    return COLUMNS[kind_by(recipe)]
