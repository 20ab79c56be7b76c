"""What an index must know of its kind of items: how they are written, signed and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.index import pack
from lookalike.kernels import weights as weight_kernels
from lookalike.kernels.postings import may_reach
from lookalike.measures import CONTAINMENT
from lookalike.shingle import Shingler
from lookalike.sign import Signer
from lookalike.verify import compare_sets
from lookalike.weigh import Weigher, WeightSigner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.index.part import Part
    from lookalike.read import Kind
    from lookalike.recipe import Recipe
    from lookalike.sign import MadeSets, SignedSets

TEXT_AT_A_TIME = 1 << 20
"""Bytes of packed items that are compared in one go."""


@dataclass(frozen=True, slots=True)
class Types:
    """What the items and ids of an index are, which the first that are added decide."""

    kind: Kind
    form: pack.Form
    element: pa.DataType | None
    """Of lists: what their elements are."""

    @classmethod
    def of(cls, kind: Kind, items: pa.Array) -> Types:
        """Return what these items are."""
        if kind in ("vectors", "bits"):
            raise InputError(f"An index holds texts, sets and weighted sets as yet, not {kind}")
        element = None if kind == "texts" else plain_type(items.type.value_type)
        return cls(kind, pack.form_of(kind, items), element)

    def refuse_others(self, types: Types) -> None:
        """Raise unless items of these types can be compared with those of the index."""
        if types.element != self.element:
            raise InputError(
                f"The elements of the sets in this index are of {self.element}. Got {types.element}; make them one type"
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


class SetKit:
    """Signs and compares sets: of shingles, as they are, or weighted."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._signer: Signer | WeightSigner
        self._weighted = recipe.shingling.kind == "weights"
        if self._weighted:
            self._signer = WeightSigner(recipe, Weigher(recipe.shingling))
        else:
            self._signer = Signer(recipe, Shingler(recipe.shingling))
        measure = recipe.measure
        self._code = CONTAINMENT if measure.one_way else measure.code

    def sign(self, items: pa.Array) -> SignedSets:
        """Return keys, fingerprints and sets of items; safe in any number of threads."""
        return self._signer.sign_sets(items)

    def sets(self, items: pa.Array) -> MadeSets:
        """Return the sets of items only."""
        return self._signer.make_sets(items)

    def possible(self, one: NDArray[np.integer[Any]], two: NDArray[np.integer[Any]], least: float) -> NDArray[np.bool_]:
        """Tell which sets of these sizes may be similar enough."""
        if self._weighted:
            return np.ones(len(one), bool)
        out = np.empty(len(one), bool)
        may_reach((self._code, least), one, two, out)
        return out

    def compare(
        self, asked: MadeSets, left: NDArray[np.int32], held: MadeSets, right: NDArray[np.int32], least: float
    ) -> NDArray[np.float64]:
        """Return the exact similarity of sets on the left with sets on the right, or 0 where it is below `least`.

        Those with the same left one come together.
        """
        out = np.empty(len(left), np.float64)
        if self._weighted:
            weight_kernels.similarities(left, right, weighted_columns(asked), weighted_columns(held), least, out)
            return out
        elements = np.concatenate((asked.elements, held.elements))
        elements.flags.writeable = False
        sizes = np.concatenate((asked.sizes, held.sizes)).astype(np.int32)
        begins = np.cumsum(sizes, dtype=np.int64) - sizes
        others = right + np.int32(len(asked.sizes))
        compare_sets(left, others, (elements, begins, sizes), (self._code, least), out)
        return out

    def unpacked(self, part: Part, items: NDArray[np.int64], types: Types) -> pa.Array:
        """Return some items of a part."""
        return pack.unpack(part.packed(items), types.form, types.element)


def weighted_columns(signed: MadeSets) -> tuple[NDArray[Any], ...]:
    """Return what a kernel must know of weighted sets: the numbers, where sets begin, their sizes."""
    sizes = signed.sizes.astype(np.int32)
    return signed.elements, 2 * (np.cumsum(signed.sizes) - signed.sizes), sizes
