"""Weighted sets: elements with weights, compared by sum(min) / sum(max) of the weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.comparison.sets import explain_sets
from lookalike.exact.scan_weights import weight_search
from lookalike.exact.weights import WeightFilter
from lookalike.features.shingling import Shingling
from lookalike.features.weighted import Weigher
from lookalike.kernels import weights as kernels
from lookalike.kinds.base import Kind
from lookalike.kinds.comparers import SetComparer
from lookalike.kinds.sets import WrittenSets
from lookalike.kinds.trails import element_trail, join
from lookalike.kinds.whole import fingerprint_bytes
from lookalike.lsh.weighted import WeightSigner
from lookalike.neighbours.sets import ScanFinder
from lookalike.store.weighted_sets import WeightedSets

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.comparison.sets import SetComparison
    from lookalike.exact.base import Exact
    from lookalike.exact.scan import Few, TaskSearch
    from lookalike.kinds.base import Compared
    from lookalike.kinds.trails import Trail
    from lookalike.lsh.banding import Banding
    from lookalike.lsh.minhash import MadeSets
    from lookalike.neighbours.best import Finder
    from lookalike.read import Batch
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources
    from lookalike.tuning.sample import Tally


class WeightedKind(Kind):
    """Sets of elements with weights."""

    name = "weights"
    noun = "set"
    part = "element"
    excerpt_unit = "elements"
    column = "weights"

    def compared_as(self, shingling: Shingling) -> str:  # noqa: ARG002 - as they are
        """Return what weighted sets are compared by, in words."""
        return "weighted elements"

    def as_python(self, value: Any) -> Any:  # noqa: ANN401 - a list of elements with weights, or None
        """Return a dict of elements to weights."""
        return None if value is None else {one["element"]: one["weight"] for one in value}

    def collection(self, recipe: Recipe, resources: Resources, *, searched: bool = True) -> WeightedCollection:
        """Return an empty collection."""
        return WeightedCollection(recipe, resources, Weigher(recipe.shingling), searched=searched)

    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per weighted set, the same for equal ones."""
        return fingerprint_bytes(Weigher(Shingling(self.name, 1)).columns(items))

    def comparer(self, recipe: Recipe) -> WeightedComparer:
        """Return what signs and compares weighted sets that are not part of a run."""
        return WeightedComparer(recipe)

    def explain(self, recipe: Recipe, items: pa.Array) -> SetComparison:
        """Compare two weighted sets."""
        signed = WeightSigner(recipe, Weigher(recipe.shingling)).sign_sets(items)
        return explain_sets(recipe, items, signed.keys, weighted_similarity(signed))


class WeightedCollection(WrittenSets):
    """The weighted sets of a run. They are stored as they are compared."""

    _sets: WeightedSets

    def _make_signer(self, *, exactly: bool) -> WeightSigner:  # type: ignore[override]  # noqa: ARG002 - signs likewise
        """Return what signs weighted sets; for an exact search, it only makes fingerprints."""
        assert isinstance(self._shingler, Weigher)  # noqa: S101 - for the type checker
        return WeightSigner(self.recipe, self._shingler)

    def _make_sets(self) -> WeightedSets:
        return WeightedSets(self._items)

    def trail(self, banding: Banding, batches: Iterator[Batch]) -> Trail:
        """Return the elements of weighted sets, and their signatures."""
        assert isinstance(self._shingler, Weigher)  # noqa: S101 - for the type checker
        signer = WeightSigner(replace(self.recipe, banding=banding), self._shingler)
        return join(element_trail(signer, batch.items) for batch in batches)

    def _write_scores(
        self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float, out: NDArray[np.float64]
    ) -> None:
        kernels.similarities(left, right, self._sets.columns, self._sets.columns, min_score, out)

    def exact(self, compared: Compared) -> Exact:
        """Return the prefix filter by weight."""
        return self._filter(WeightFilter, compared)

    def _task_search(self, few: Few, code: int, min_score: float) -> TaskSearch:  # noqa: ARG002 - there is one measure
        return weight_search(few, self._items.data.view(), min_score)

    def nearest(self, queries: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float) -> Finder:  # noqa: ARG002 - exactly
        """Return what finds the nearest sets, by comparing with all that share an element."""
        return ScanFinder(self, among)

    def compare_sample(
        self,
        sample: NDArray[np.int32],
        originals: NDArray[np.int32],
        tally: Tally,
        random: np.random.Generator,  # noqa: ARG002 - with all of them
    ) -> int:
        """Compare a sample with all others; the similarity is the chance of a slot."""
        with self._resources.stages.stage("scan", len(originals)) as advance:
            for hits in self.scan(sample, originals, 0.0):
                others = hits.item != sample[hits.few]
                similarity = hits.similarity[others]
                tally.add(hits.few[others].astype(np.int64), similarity, similarity)
                advance(hits.scanned)
        return len(originals)


class WeightedComparer(SetComparer):
    """Signs and compares weighted sets."""

    def __init__(self, recipe: Recipe) -> None:
        weigher = Weigher(recipe.shingling)
        super().__init__(recipe, weigher)
        self._signer = WeightSigner(recipe, weigher)

    def possible(
        self,
        queries: NDArray[np.integer[Any]],
        items: NDArray[np.integer[Any]],  # noqa: ARG002 - sizes say nothing of weights
        min_score: float,  # noqa: ARG002
    ) -> NDArray[np.bool_]:
        """Return that all may be similar enough."""
        return np.ones(len(queries), bool)

    def scores(
        self, queries: MadeSets, left: NDArray[np.int32], items: MadeSets, right: NDArray[np.int32], min_score: float
    ) -> NDArray[np.float64]:
        """Return the exact similarity of queries with items, or 0 where it is below the minimum."""
        out = np.empty(len(left), np.float64)
        kernels.similarities(left, right, weighted_columns(queries), weighted_columns(items), min_score, out)
        return out


def weighted_columns(made: MadeSets) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """Return what kernels need of weighted sets: the numbers, where sets begin, their sizes."""
    return made.elements, 2 * (np.cumsum(made.sizes) - made.sizes), made.sizes.astype(np.int32)


def weighted_similarity(two: MadeSets) -> float:
    """Return the similarity of two weighted sets; 0 if either is empty."""
    if not two.sizes.all():
        return 0.0
    out, columns = np.empty(1), weighted_columns(two)
    kernels.similarities(np.array([0], np.int32), np.array([1], np.int32), columns, columns, 0.0, out)
    return float(out[0])
