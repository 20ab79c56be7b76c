"""The probability that slots of vectors agree: against the definition, the promise and the real keys."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from numpy.typing import NDArray
from support import call_kernels

from lookalike import Banding, Measure, Recipe, Shingling
from lookalike.kernels.vectors import all_shared_cells
from lookalike.kinds.vectors import scores_among
from lookalike.measures.vectors import vector_measure

COUNT, LENGTH = 40, 16
MEASURES = {
    "cosine": (Measure("cosine", "vectors"), 0.9),
    "euclidean": (Measure("euclidean", "vectors"), 1.5),
    "agreement": (Measure("agreement", "vectors", tolerance=0.3), 0.6),
    "hamming": (Measure("hamming", "bits", bits=128), 10),
}
each = pytest.mark.parametrize(("measure", "threshold"), MEASURES.values(), ids=MEASURES)


class Rows:
    """Vectors in memory, as a family wants them."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix = matrix
        self.length = matrix.shape[1]
        self.middle = np.zeros(self.length)


def made(measure: Measure, threshold: float, seed: int = 1) -> tuple[Any, Recipe]:
    """Return a family of some vectors, of which some are closer than others, and its recipe."""
    source = np.random.default_rng(3)
    matrix: NDArray[Any] = source.normal(size=(COUNT, LENGTH)) * np.linspace(0.1, 1, COUNT)[:, None] + 1
    if measure.of == "bits":
        matrix = np.packbits(source.random((COUNT, 128)) < np.linspace(0.02, 0.5, COUNT)[:, None], axis=1)
        matrix = matrix.view(np.uint64)
    recipe = Recipe(Shingling(measure.of, 1), None, threshold, measure=measure, seed=seed)
    rows: Any = Rows(matrix)
    return vector_measure(recipe).family(rows, recipe), recipe


def chances_of(measure: Measure, threshold: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores and chances of all two vectors; those of one with itself are -inf and anything."""
    family, _ = made(measure, threshold)
    every = np.arange(COUNT, dtype=np.int32)
    scores = scores_among(family, every, every)
    return scores.astype(float), family.slot_chances(every, every, scores).astype(float)


@call_kernels.compiled
def test_shared_cells_are_those_of_the_definition() -> None:
    source = np.random.default_rng(1)
    one, two = source.normal(size=(10, LENGTH)), source.normal(size=(20, LENGTH))
    widths = np.linspace(0.1, 3, LENGTH)
    out = np.empty((10, 20), np.float32)
    all_shared_cells(one, two, widths, out)
    expected = [[naive.shared_cells(a, b, widths.tolist()) for b in two.tolist()] for a in one.tolist()]
    assert np.allclose(out, expected, rtol=1e-6, atol=1e-6)


@each
def test_chances_are_those_of_the_measure_or_more(measure: Measure, threshold: float) -> None:
    """A measure promises of features only what the close ones have at their worst."""
    scores, chances = chances_of(measure, threshold)
    others = np.isfinite(scores)
    promised = np.array([measure.slot_chance(measure.score(float(score)), threshold) for score in scores[others]])
    if measure.name == "agreement":
        assert np.all(chances[others] >= promised - 1e-6)
        assert chances[others].mean() > 1.1 * promised.mean()
    else:
        assert np.allclose(chances[others], promised, atol=2e-4)


@pytest.mark.slow
@call_kernels.compiled
@each
def test_keys_agree_as_often_as_that(measure: Measure, threshold: float) -> None:
    """A key of one row is a slot; each is drawn by itself, so the number of those that agree is binomial."""
    _, chances = chances_of(measure, threshold)
    keys = []
    for seed in range(8):
        family, _ = made(measure, threshold, seed)
        keys.append(family.keys(slice(0, COUNT), Banding(500, 1)))
    every = np.concatenate(keys)
    for i in range(COUNT):
        for j in range(i):
            agree, p = int((every[:, i] == every[:, j]).sum()), chances[i, j]
            assert abs(agree - p * len(every)) <= 5 * np.sqrt(max(p * (1 - p), 1e-3) * len(every))
