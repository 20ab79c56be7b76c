"""Measures and a kind that are added from outside the package, and run through the whole suite.

sharp       a measure of sets without a kernel: the square of the Jaccard similarity
manhattan   a distance of vectors, searched exactly
melodies    a kind: lists of notes, the same in every key, compared by their steps
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from conformance.samples import Sample, sets, vectors
from lookalike import kinds
from lookalike.features.elements import TokenShingler, number_columns
from lookalike.features.registry import FEATURES, Feature
from lookalike.kinds.texts import TokenKind
from lookalike.lsh.family import Family
from lookalike.measures import NAMES, SetMeasure, VectorMeasure, register
from lookalike.measures.base import CLASSES
from lookalike.read.item_types import unregister
from lookalike.read.item_types.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lookalike.features.columns import Columns
    from lookalike.features.shingles import Shingler
    from lookalike.features.shingling import Shingling
    from lookalike.lsh.banding import Banding


class Sharp(SetMeasure):
    """The square of the Jaccard similarity."""

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets."""
        return (shared / (left + right - shared)) ** 2

    def min_jaccard(self, similarity: float) -> float:
        """Return the Jaccard similarity, which follows exactly."""
        return float(similarity**0.5)

    def max_jaccard(self, similarity: float) -> float:
        """Return the same."""
        return similarity**0.5  # type: ignore[no-any-return]  # of an array, too


class Sums(Family):
    """Compares vectors by the sum of differences."""

    margin = 1e-4

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Refuse: there are no bands."""
        raise NotImplementedError

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return minus the distances."""
        found: NDArray[np.float64] = -np.abs(self.matrix[left].astype(np.float64) - self.matrix[right]).sum(axis=1)
        return found

    def prepare(self, items: NDArray[np.int32] | slice) -> Any:
        """Return the rows."""
        return self.matrix[items]

    def approximate_scores(self, one: Any, two: Any) -> NDArray[np.float32]:
        """Return minus the distances of all with all."""
        found: NDArray[np.float32] = -np.abs(one[:, None, :] - two[None, :, :]).sum(axis=2).astype(np.float32)
        return found

    def slot_chances(self, left: NDArray[np.int32], right: NDArray[np.int32], scores: NDArray[Any]) -> NDArray[Any]:
        """Refuse: there are no slots."""
        raise NotImplementedError


class Manhattan(VectorMeasure):
    """The sum of the differences of two vectors."""

    is_distance = True
    banded = False

    @property
    def family(self) -> type[Family]:
        """What compares vectors."""
        return Sums


class StepShingler(TokenShingler):
    """Makes shingles of the steps from note to note."""

    def columns(self, items: pa.Array) -> Columns:
        """Return the differences of consecutive notes."""
        steps = [None if notes is None else np.diff(notes).tolist() for notes in items.to_pylist()]
        return number_columns(pa.array(steps, pa.large_list(pa.int64())))


class MelodyKind(TokenKind):
    """Lists of notes."""

    name = "melodies"
    noun = "melody"
    part = "run of steps"
    column = "melody"

    def shingler(self, shingling: Shingling) -> Shingler:
        """Return what makes the shingles of melodies."""
        return StepShingler(shingling)


class Melodies(Tokens):
    """Reads lists of notes."""

    name = "melodies"
    columns = ("melody", "notes")


@contextmanager
def installed() -> Iterator[None]:
    """Register the toys, and remove them at the end, so that other tests do not meet them."""
    tables: list[dict[Any, Any]] = [CLASSES, NAMES, FEATURES, kinds.KINDS]
    before = [dict(table) for table in tables]
    register("sets", "sharp")(Sharp)
    register("vectors", "manhattan")(Manhattan)
    steps = Feature("steps", "melodies", sized=True, size=3, noun="melody", unit="step")
    kinds.register(MelodyKind(), Melodies(), [steps])
    try:
        yield
    finally:
        unregister(Melodies.name)
        for table, values in zip(tables, before, strict=True):
            table.clear()
            table.update(values)


def melodies() -> list[Any]:
    """Return melodies, some of them in another key, some with a wrong note."""
    random = np.random.default_rng(6)
    made: list[Any] = []
    for _ in range(25):
        notes = random.integers(40, 80, 40).tolist()
        wrong = list(notes)
        wrong[20] += 1
        made += [notes, [note + 5 for note in notes], wrong]
    return [*made, None]


TOYS: dict[str, Callable[[], Sample]] = {
    "sharp": lambda: Sample(sets(), {"shingle": "elements", "measure": "sharp", "threshold": 0.5}, 0.2),
    "manhattan": lambda: Sample(vectors(), {"measure": "manhattan", "threshold": 1.0}, 4.0),
    "melodies": lambda: Sample(melodies(), {"shingle": "steps:3", "threshold": 0.7}, 0.3),
}
