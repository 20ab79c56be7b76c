"""Vectors: rows of a matrix, compared by angle, distance or close features."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lookalike.comparison.base import Comparison, count_shared_bands
from lookalike.errors import InputError
from lookalike.exact.bits import Parts
from lookalike.exact.scan import Hits
from lookalike.exact.vectors import SIDE, Blocks, above
from lookalike.kinds.base import Collection, Excerpt, Kind
from lookalike.kinds.comparers import VectorComparer
from lookalike.kinds.trails import Trail
from lookalike.measures.vectors import vector_measure
from lookalike.neighbours.vectors import vector_finder
from lookalike.store.rows import MatrixRows, NumberRows, fingerprints, matrix_of
from lookalike.store.vectors import Vectors
from lookalike.tuning.cost import VectorCosts, bit_parts
from lookalike.tuning.sample import SAMPLED, Closeness, draw_others

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.exact.base import Exact, Rounds
    from lookalike.features.shingling import Shingling
    from lookalike.kinds.base import Compared
    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Family
    from lookalike.neighbours.best import Finder
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources
    from lookalike.resources.progress import Advance
    from lookalike.store.copies import Copies
    from lookalike.tuning.sample import Tally

PAIRS_AT_A_TIME = 1 << 14
"""Pairs compared in one task."""

CELLS = 400
"""Cells in which the chances of slots are counted."""

SHOWN = 24
"""Numbers of a vector that are written out."""

SEPARATOR = ", "


class VectorKind(Kind):
    """Vectors of one length."""

    name = "vectors"
    noun = "vector"
    part = "number"
    lacks = "vector"
    excerpt_unit = "numbers"
    has_parts = False
    column = "vector"
    chooses_early = False
    rows: ClassVar[NumberRows] = NumberRows()

    def collection(
        self,
        recipe: Recipe,
        resources: Resources,
        *,
        searched: bool = True,  # noqa: ARG002 - they are signed once they are complete
    ) -> VectorCollection:
        """Return an empty collection."""
        return VectorCollection(recipe, resources, self.rows)

    def compared_as(self, shingling: Shingling) -> str:  # noqa: ARG002 - as they are
        """Return what vectors are compared by, in words."""
        return self.name

    def check(self, batch: Batch, source: Source, recipe: Recipe) -> None:
        """Raise where a vector cannot be compared, naming its place."""
        self.rows.check(batch, source, vector_measure(recipe))

    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per vector, the same for equal ones, whatever type their numbers have."""
        return fingerprints(self.rows.as_told(matrix_of(items)))

    def comparer(self, recipe: Recipe) -> VectorComparer:
        """Return what signs and compares vectors that are not part of a run."""
        return VectorComparer(recipe, self.rows)

    def explain(self, recipe: Recipe, items: pa.Array) -> Comparison:
        """Compare two vectors."""
        if items.null_count:
            raise InputError("Cannot compare a null vector. Pass two vectors")
        family = self.family(recipe, items)
        one, other = np.array([0], np.int32), np.array([1], np.int32)
        prints, measure = fingerprints(family.matrix), family.recipe.measure
        score = measure.best if (prints[0] == prints[1]).all() else float(family.scores(one, other)[0])
        met = count_shared_bands(family.keys(slice(0, 2), recipe.banding)) if recipe.banding else 0
        return Comparison(measure.score(score), recipe.threshold, family.recipe, met)

    def family(self, recipe: Recipe, items: pa.Array) -> Family:
        """Return what signs and compares the vectors of an array."""
        measure = vector_measure(recipe)
        rows = matrix_of(items)
        measure = measure.with_bits(self.rows.bits(rows))
        rows = self.rows.as_compared(rows, measure)
        rows.flags.writeable = False
        return measure.family(MatrixRows(rows), replace(recipe, measure=measure))


class VectorCollection(Collection):
    """The vectors of a run."""

    single = 0
    fragile = 0

    def __init__(self, recipe: Recipe, resources: Resources, rows: NumberRows) -> None:
        self.recipe = recipe
        self._resources = resources
        self._rows = rows
        self._vectors = Vectors(resources.scratch, vector_measure(recipe), rows)
        self._signed = False

    @property
    def count(self) -> int:
        """The number of items."""
        return self._vectors.count

    @property
    def nulls(self) -> int:
        """The number of nulls."""
        return self._vectors.nulls

    @property
    def empty(self) -> int:
        """The number of nulls: every other vector has features."""
        return self._vectors.nulls

    def add(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:
        """Check the vectors of a source, and store them."""
        first = 0
        for checked in self._resources.threads.map(lambda batch: self._vectors.check(batch, source), batches):
            self._vectors.append(checked, source, first)
            first += len(checked.rows)
            advance(len(checked.rows))

    def finish(self) -> Copies:
        """Find equal vectors, and let the measure know how many bits they have."""
        self._vectors.finish()
        copies = self._vectors.copies()
        self.recipe = replace(self.recipe, measure=self.recipe.measure.with_bits(self._vectors.bits))
        return copies

    @cached_property
    def family(self) -> Family:
        """What signs and compares the vectors."""
        return vector_measure(self.recipe).family(self._vectors, self.recipe)

    def sign(self, banding: Banding) -> None:
        """Give every vector its band keys."""
        vectors = self._vectors
        blocks = self._resources.threads.map(
            lambda part: vectors.store_keys(self.family.keys(part, banding)), vectors.parts()
        )
        vectors.take_keys(list(blocks))

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every vector."""
        self._vectors.read_band(band, keys)

    def scores(
        self,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        min_score: float = 0.0,  # noqa: ARG002 - all of them are computed
    ) -> NDArray[np.float64]:
        """Return the exact score of each left vector with the right one."""
        out = np.empty(len(left), np.float64)

        def compare(part: slice) -> None:
            out[part] = self.family.scores(left[part], right[part])

        parts = (slice(begin, begin + PAIRS_AT_A_TIME) for begin in range(0, len(left), PAIRS_AT_A_TIME))
        for _ in self._resources.threads.map(compare, parts):
            self._vectors.trim()
        return out

    def exact(self, compared: Compared) -> Exact:
        """Return a search that compares all with all, or bits that may differ little, by parts that are equal."""
        blocks = Blocks(self.family, self._vectors, compared.originals, self.recipe.min_score)
        if parts := bit_parts(self.family):
            return Parts(blocks, self.recipe.measure.bits, parts, self._resources.threads)
        return blocks

    def estimates(self, compared: Compared, prepared: Rounds) -> VectorEstimates:  # noqa: ARG002 - it has no state
        """Return how long searches would take."""
        return VectorEstimates(self, compared.originals)

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some vectors in blocks."""
        return [slice(begin, begin + SIDE) for begin in range(0, len(few), SIDE)]

    def scan(
        self,
        few: NDArray[np.int32],
        among: NDArray[np.int32],
        min_score: float,
        *,
        one_way: bool = False,  # noqa: ARG002 - no measure of vectors is
    ) -> Iterator[Hits]:
        """Compare a few vectors with many others."""
        prepared = self.family.prepare(few)
        for begin in range(0, len(among), SIDE):
            some = among[begin : begin + SIDE]
            for one, two in above(self.family, prepared, self.family.prepare(some), min_score, same=False):
                scores = self.family.scores(few[one], some[two])
                enough = scores >= min_score
                yield Hits(some[two[enough]], one[enough], scores[enough], 0)
            self._vectors.trim()
            yield Hits(some[:0], some[:0], np.empty(0), len(some))

    def nearest(self, queries: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float) -> Finder:
        """Return what finds the nearest vectors."""
        return vector_finder(self._resources, self.family, queries, among, k, recall)

    def compare_sample(
        self, sample: NDArray[np.int32], originals: NDArray[np.int32], tally: Tally, random: np.random.Generator
    ) -> int:
        """Compare a sample with others in single precision, some at a time."""
        others = draw_others(originals, random)
        family, best = self.family, self.recipe.measure.best
        with self._resources.stages.stage("scan", len(sample)) as advance:
            for begin in range(0, len(sample), SAMPLED):
                some = sample[begin : begin + SAMPLED]
                scores = scores_among(family, some, others).astype(np.float64)
                known = np.isfinite(scores)
                scores = np.minimum(scores + family.margin, best)
                chances = family.slot_chances(some, others, scores)
                few = np.broadcast_to(begin + np.arange(len(some))[:, None], scores.shape)
                tally.add(few[known], scores[known], chances[known])
                advance(len(some))
        return len(others)

    def costs(self, sample: NDArray[np.int32], compared: int) -> VectorCosts:  # noqa: ARG002 - all have one length
        """Return the cost model of the collection."""
        return VectorCosts(self.family, compared)

    def trail(self, banding: Banding, batches: Iterator[Batch]) -> Trail:
        """Return the numbers of vectors, and their signatures; a null has no numbers."""
        present = [valid.as_py() for batch in batches for valid in batch.items.is_valid()]
        rows = self._rows.numbers(self._vectors.matrix, self._vectors.bits)
        parts = [dict(enumerate(row.tolist())) if valid else {} for row, valid in zip(rows, present, strict=True)]
        return Trail(parts, self.family.slots(slice(0, self.count), banding))

    def write_out(
        self,
        pairs: Sequence[tuple[int, int]],
        sources: tuple[Source, ...],  # noqa: ARG002 - they are stored as they were read
    ) -> list[tuple[Excerpt, Excerpt]]:
        """Return the first numbers of the two vectors of each pair."""
        matrix = self._vectors.matrix
        return [(excerpt_of(matrix[left]), excerpt_of(matrix[right])) for left, right in pairs]


class VectorEstimates:
    """How long searches among vectors would take."""

    def __init__(self, collection: VectorCollection, originals: NDArray[np.int32]) -> None:
        self._collection = collection
        self._originals = originals
        self._costs = VectorCosts(collection.family, len(originals))

    @property
    def exact_seconds(self) -> float:
        """The time of an exact search."""
        return self._costs.exact

    @property
    def exact_is_cheap(self) -> bool:
        """Whether there are no more vectors than a sample has."""
        return len(self._originals) <= SAMPLED

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""
        return sum(self._costs.seconds(banding, self._closeness.expect(banding)))

    @cached_property
    def _closeness(self) -> Closeness:
        """How close some vectors are to others."""
        family, compared = self._collection.family, self._originals
        random = np.random.default_rng(family.recipe.seed)
        sample = random.choice(compared, SAMPLED, replace=False)
        others = draw_others(compared, random)
        scores = scores_among(family, sample, others)
        known = family.slot_chances(sample, others, scores)[np.isfinite(scores)]
        counts, edges = np.histogram(known, CELLS)
        scale = (len(compared) - 1) / max(len(known), 1)
        return Closeness((edges[:-1] + edges[1:]) / 2, counts * scale, len(compared))


def scores_among(family: Family, sample: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the approximate score of each sampled vector with each of the others; -inf with itself."""
    scores = family.approximate_scores(family.prepare(sample), family.prepare(others))
    scores[sample[:, None] == others[None, :]] = -np.inf
    return scores


def excerpt_of(vector: NDArray[Any]) -> Excerpt:
    """Write out the first numbers of a vector."""
    held = vector[:SHOWN].tolist()
    text = SEPARATOR.join(f"{number:016x}" if isinstance(number, int) else f"{number:.4g}" for number in held)
    return Excerpt(text, (), vector.size - len(held))
