"""Sets in an index: of shingles, as they are, or weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.engines.local.verify import compare_sets
from lookalike.features.weighted import signer_for, weighted_columns
from lookalike.index import pack
from lookalike.index.kit import Keyed
from lookalike.index.storage.part import FINDS
from lookalike.index.storage.postings import codes_of
from lookalike.kernels import weights as weight_kernels
from lookalike.kernels.postings import may_reach
from lookalike.measures import CONTAINMENT
from lookalike.read import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.index.kit import Types
    from lookalike.index.storage.packed import Packed
    from lookalike.index.storage.part import Part
    from lookalike.lsh.minhash import MadeSets, SignedSets
    from lookalike.recipe import Recipe


class SetKit:
    """Signs and compares sets: of shingles, as they are, or weighted."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._signer = signer_for(recipe)
        self._weighted = recipe.shingling.kind == "weights"
        measure = recipe.measure
        self._code = CONTAINMENT if measure.one_way else measure.code

    def key(self, items: pa.Array) -> Keyed:
        """Return keys, fingerprints and numbers of shingles of items; safe in any number of threads."""
        signed = self._signer.sign(Batch(0, items, None, None))
        return Keyed(signed.keys, signed.prints, signed.counts)

    def sign(self, items: pa.Array) -> SignedSets:
        """Return keys, fingerprints and sets of items; safe in any number of threads."""
        return self._signer.sign_sets(items)

    def load(self, part: Part, items: NDArray[np.int64], types: Types) -> MadeSets:
        """Return the sets of some items of a part."""
        return self._signer.make_sets(self.unpack(part, items, types))

    def everything(
        self,
        part: Part,  # noqa: ARG002 - all of them may be similar
        firsts: NDArray[np.int64],
        asked: MadeSets,  # noqa: ARG002
        there: NDArray[np.int64],
        least: float,  # noqa: ARG002
        types: Types,  # noqa: ARG002
    ) -> Iterator[NDArray[np.uint64]]:
        """Yield all with all, some of what is asked about at a time."""
        step = max(FINDS // max(len(firsts), 1), 1)
        for begin in range(0, len(there), step):
            yield codes_of(there[begin : begin + step, None], firsts).ravel()

    def possible(
        self, asked: NDArray[np.integer[Any]], held: NDArray[np.integer[Any]], least: float
    ) -> NDArray[np.bool_]:
        """Tell which sets may be similar enough. A set that may be smaller than it is told to be may be as large."""
        if self._weighted:
            return np.ones(len(asked), bool)
        out = np.empty(len(asked), bool)
        may_reach((self._code, least), asked, np.minimum(asked, held), out)
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

    def pack(self, items: pa.Array, types: Types) -> Packed:
        """Return items as bytes."""
        return pack.pack(items, types)

    def unpack(self, part: Part, items: NDArray[np.int64], types: Types) -> pa.Array:
        """Return some items of a part."""
        return pack.unpack(part.packed(items), types)
