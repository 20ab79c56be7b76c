"""Signing and comparing items that are not part of a run: those of an index, and queries to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.exact.set_scores import score_sets
from lookalike.exact.vectors import SIDE, above
from lookalike.kernels.postings import may_reach
from lookalike.kinds.base import Comparer, Keyed
from lookalike.lsh.minhash import Signer
from lookalike.measures.sets import set_measure
from lookalike.measures.vectors import vector_measure
from lookalike.read import Batch
from lookalike.store.rows import MatrixRows, fingerprints, matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.shingles import Shingler
    from lookalike.kinds.base import Load, Places
    from lookalike.lsh.family import Family
    from lookalike.lsh.minhash import MadeSets, SignedSets
    from lookalike.lsh.weighted import WeightSigner
    from lookalike.recipe import Recipe
    from lookalike.store.rows import NumberRows

PAIRS_AT_A_TIME = 1 << 20
"""Candidates that are proposed at a time where there are no bands."""


class SetComparer(Comparer):
    """Signs and compares sets: of shingles, or of elements."""

    _signer: Signer | WeightSigner

    def __init__(self, recipe: Recipe, shingler: Shingler) -> None:
        self.recipe = recipe
        self._signer = Signer(recipe, shingler)
        self._measure = set_measure(recipe)

    def key(self, items: pa.Array) -> Keyed:
        """Return keys, fingerprints and numbers of shingles, which may count repetitions."""
        signed = self._signer.sign(Batch(0, items, None, None))
        return Keyed(signed.keys, signed.prints, signed.counts)

    def sign(self, items: pa.Array) -> SignedSets:
        """Return keys, fingerprints and sets."""
        return self._signer.sign_sets(items)

    def features(self, items: pa.Array) -> MadeSets:
        """Return the sets of items."""
        return self._signer.make_sets(items)

    def candidates(
        self,
        queries: MadeSets,  # noqa: ARG002 - any sets may be similar
        places: NDArray[np.int64],
        items: NDArray[np.int64],
        load: Load,  # noqa: ARG002
        min_score: float,  # noqa: ARG002
    ) -> Iterator[Places]:
        """Yield each query with each item, some queries at a time."""
        step = max(PAIRS_AT_A_TIME // max(len(items), 1), 1)
        for begin in range(0, len(places), step):
            some = places[begin : begin + step]
            yield np.repeat(some, len(items)), np.tile(items, len(some))

    def possible(
        self, queries: NDArray[np.integer[Any]], items: NDArray[np.integer[Any]], min_score: float
    ) -> NDArray[np.bool_]:
        """Return which sets may be similar enough, by their sizes; that of an item is an upper bound."""
        out = np.empty(len(queries), bool)
        goal = (self._measure.kernel_code, self._measure.kernel_threshold(min_score))
        may_reach(goal, queries, np.minimum(queries, items), out)
        return out

    def scores(
        self, queries: MadeSets, left: NDArray[np.int32], items: MadeSets, right: NDArray[np.int32], min_score: float
    ) -> NDArray[np.float64]:
        """Return the exact similarity of queries with items, or 0 where it is below the minimum."""
        out = np.empty(len(left), np.float64)
        elements = np.concatenate((queries.elements, items.elements))
        elements.flags.writeable = False
        sizes = np.concatenate((queries.sizes, items.sizes)).astype(np.int32)
        begins = np.cumsum(sizes, dtype=np.int64) - sizes
        sides = left, right + np.int32(len(queries.sizes))
        score_sets(self._measure, self._measure.kernel_code, sides, (elements, begins, sizes), min_score, out)
        return out


@dataclass(frozen=True, slots=True)
class SignedRows(Keyed):
    """Vectors after signing."""

    rows: NDArray[Any]


class VectorComparer(Comparer):
    """Signs and compares vectors, or bits."""

    def __init__(self, recipe: Recipe, rows: NumberRows) -> None:
        self.recipe = recipe
        self._rows = rows
        self._measure = vector_measure(recipe)

    def key(self, items: pa.Array) -> SignedRows:
        """Sign vectors."""
        return self.sign(items)

    def sign(self, items: pa.Array) -> SignedRows:
        """Sign vectors, which have been checked."""
        missing = items.is_null().to_numpy(zero_copy_only=False)
        given = matrix_of(items)
        rows = self._as_compared(given)
        prints = fingerprints(rows)
        prints[missing] = 0
        banding = self.recipe.banding
        keys = np.zeros((banding.bands if banding else 0, len(rows)), np.uint64)
        if banding and len(rows):
            keys[:] = self._family(rows, self._rows.bits(given)).keys(slice(0, len(rows)), banding)
        return SignedRows(keys, prints, (~missing).astype(np.int64), rows)

    def features(self, items: pa.Array) -> NDArray[Any]:
        """Return the rows of vectors."""
        return self._as_compared(matrix_of(items))

    def candidates(
        self,
        queries: SignedRows,
        places: NDArray[np.int64],
        items: NDArray[np.int64],
        load: Load,
        min_score: float,
    ) -> Iterator[Places]:
        """Yield what may be similar enough, by products of blocks with blocks."""
        family = self._family(queries.rows)
        for begin in range(0, len(places), SIDE):
            some = places[begin : begin + SIDE]
            prepared = family.prepare(some.astype(np.int32))
            for first in range(0, len(items), SIDE):
                block = items[first : first + SIDE]
                others = self._family(load(block)).prepare(slice(None))
                for one, two in above(family, prepared, others, min_score, same=False):
                    yield some[one], block[two]

    def possible(
        self,
        queries: NDArray[np.integer[Any]],
        items: NDArray[np.integer[Any]],  # noqa: ARG002 - all vectors have one length
        min_score: float,  # noqa: ARG002
    ) -> NDArray[np.bool_]:
        """Return that all may be similar enough."""
        return np.ones(len(queries), bool)

    def scores(
        self,
        queries: SignedRows,
        left: NDArray[np.int32],
        items: NDArray[Any],
        right: NDArray[np.int32],
        min_score: float,  # noqa: ARG002 - all of them are computed
    ) -> NDArray[np.float64]:
        """Return the exact score of queries with items."""
        both = np.concatenate((queries.rows, items.astype(queries.rows.dtype, copy=False)))
        both.flags.writeable = False
        return self._family(both).scores(left, right + np.int32(len(queries.rows)))

    def _family(self, rows: NDArray[Any], bits: int = 0) -> Family:
        """Return what compares these rows; to sign them, the number of bits must be known."""
        measure = self._measure.with_bits(bits)
        return measure.family(MatrixRows(rows), replace(self.recipe, measure=measure))

    def _as_compared(self, rows: NDArray[Any]) -> NDArray[Any]:
        made = self._rows.as_compared(rows, self._measure)
        made.flags.writeable = False
        return made
