"""The probability that vectors or bits share a slot, against its formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lookalike import Recipe
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import Measure, same_cell
from lookalike.measures.vectors import vector_measure
from lookalike.read import Batch, open_source
from lookalike.resources.scratch import Scratch
from lookalike.store.rows import BitRows, NumberRows
from lookalike.store.vectors import Vectors


def agreeing(rows: NDArray[Any], measure: Measure, threshold: float, slots: int, tmp_path: Path) -> NDArray[np.float64]:
    """Return in which share of so many slots each two rows, one after the other, agree; by the real families."""
    kind: Any = "bits" if measure.of == "bits" else "vectors"
    scratch = Scratch(tmp_path)
    recipe = Recipe(Shingling(kind, 1), None, threshold, measure=measure, seed=3)
    measured = vector_measure(recipe)
    vectors = Vectors(scratch, measured, BitRows() if kind == "bits" else NumberRows())
    source = open_source(rows, kind=kind)
    for batch in source.batches():
        assert isinstance(batch, Batch)
        vectors.append(vectors.check(batch, source), source, batch.first)
    keys = measured.family(vectors, recipe).keys(slice(0, len(rows)), Banding(slots, 1))
    scratch.close()
    return np.asarray((keys[:, ::2] == keys[:, 1::2]).mean(axis=0))


def assert_chance(shares: NDArray[np.float64], chance: float, slots: int) -> None:
    """Each share is of slots that are independent; so is their mean."""
    bound = 5 * math.sqrt(chance * (1 - chance) / slots)
    assert np.abs(shares - chance).max() <= bound
    assert abs(shares.mean() - chance) <= bound


SLOTS = 4000


@pytest.mark.parametrize("cosine", [-0.9, 0.0, 0.3, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("length", [2, 3, 50])
def test_planes_keep_vectors_together_by_their_angle(cosine: float, length: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(6):
        one, other = rng.normal(size=(2, length))
        other -= one * (one @ other) / (one @ one)
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
        rows += [one * rng.uniform(0.1, 9), (cosine * one + math.sqrt(1 - cosine**2) * other) * rng.uniform(0.1, 9)]
    measure = Measure("cosine", "vectors")
    assert measure.slot_chance(cosine, 0.9) == pytest.approx(1 - math.acos(cosine) / math.pi)
    assert_chance(agreeing(np.array(rows), measure, 0.9, SLOTS, tmp_path), measure.slot_chance(cosine, 0.9), SLOTS)


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_cells_keep_vectors_together_by_their_distance(ratio: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    threshold, rows = 0.3, []
    for _ in range(6):
        one, step = rng.normal(size=(2, 20))
        rows += [one + 100, one + 100 + step / np.linalg.norm(step) * threshold * ratio]
    measure = Measure("euclidean", "vectors")
    chance = measure.slot_chance(threshold * ratio, threshold)
    assert_chance(agreeing(np.array(rows), measure, threshold, SLOTS, tmp_path), chance, SLOTS)


def test_the_chance_of_one_cell_is_the_integral() -> None:
    """Over the normal difference of two products, of the chance that no edge falls between them."""
    steps = np.linspace(0, 4, 400_001)
    density = np.exp(-(steps**2) / 2) * math.sqrt(2 / math.pi)
    whole = float(np.trapezoid(density * (1 - steps / 4), steps))
    assert same_cell(1.0, 4.0) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("differ", [0, 1, 7, 32, 64])
def test_bits_agree_by_how_many_differ(differ: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(6):
        one = rng.integers(0, 2, 64)
        two = one.copy()
        two[rng.choice(64, differ, replace=False)] ^= 1
        rows += [np.packbits(one), np.packbits(two)]
    measure = Measure("hamming", "bits", bits=64)
    assert measure.slot_chance(differ, 6) == 1 - differ / 64
    assert_chance(agreeing(np.array(rows), measure, 6, SLOTS, tmp_path), 1 - differ / 64, SLOTS)


def test_features_that_are_close_agree_often_enough(tmp_path: Path) -> None:
    """Close ones are as far apart as they may be, so that the bound is met; the others are far apart."""
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(6):
        one = rng.uniform(-1, 1, 40)
        step = np.where(np.arange(40) < 30, 0.1, 50.0) * rng.choice([-1, 1], 40)
        rows += [one, one + step]
    measure = Measure("agreement", "vectors", tolerance=0.1)
    shares = agreeing(np.array(rows), measure, 0.75, SLOTS, tmp_path)
    assert_chance(shares, measure.slot_chance(0.75, 0.75), SLOTS)
