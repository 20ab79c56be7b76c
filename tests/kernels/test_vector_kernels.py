"""Keys and scores of vectors, and which of many products are large enough, against the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import naive
import naive.vectors
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lookalike.kernels import vectors as kernels

KINDS = ("f4", "f8")

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
counts, bands = st.integers(0, 4), st.integers(1, 3)
long_rows = st.integers(1, 5) | st.sampled_from([63, 64, 65, 127, 128, 129])
lengths = st.integers(1, 40)


def quarters(rng: np.random.Generator, shape: tuple[int, ...], kind: str = "f8") -> NDArray[Any]:
    """Draw numbers that are often 0, on the edge of a cell, or apart by a tolerance."""
    return (rng.integers(-12, 13, shape) / 4).astype(kind)


def awkward(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> NDArray[Any]:
    """Draw numbers of very different sizes, so that it matters in which order they are added."""
    return np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, shape), kind)


def room_for(bands: int, count: int) -> NDArray[np.uint64]:
    return np.full((bands, count), 7, np.uint64)


def expected_keys(slots: list[list[int]], rows: int, bands: int, key: Callable[[int, Any], int]) -> list[list[int]]:
    """Return the key of each band and vector by its definition, from the slots of each vector."""
    cut = [naive.vectors.in_bands(one, rows) for one in slots]
    return [[key(band, one[band]) for one in cut] for band in range(bands)]


# keys


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3), max_size=4))
@example([[naive.FIRST]])
@example([[naive.SECOND], [0], [2**64 - 1]])
@example([[]])
def test_fingerprint_rows(rows: list[list[int]]) -> None:
    """The first example sums to 0, which is not a valid fingerprint."""
    words = np.array(rows, np.uint64).reshape(len(rows), len(rows[0]) if rows else 3)
    prints = np.zeros((len(rows), 2), np.uint64)
    kernels.fingerprint_rows(words, prints)
    assert list(map(tuple, prints.tolist())) == [naive.vectors.fingerprint(row) for row in rows]
    assert prints[:, 0].all()


@pytest.mark.slow
@given(seeds, kinds, counts, bands, long_rows)
def test_sign_keys(seed: int, kind: str, count: int, bands: int, rows: int) -> None:
    products = quarters(np.random.default_rng(seed), (count, bands * rows + 1), kind)
    keys = room_for(bands, count)
    kernels.sign_keys(products, rows, keys)
    slots = [naive.vectors.sides(one) for one in products.tolist()]
    assert keys.tolist() == expected_keys(slots, rows, bands, naive.vectors.bits_key)


@pytest.mark.slow
@given(seeds, kinds, counts, bands, st.integers(1, 5), st.sampled_from([0.25, 0.5, 3.0, 0.1]))
def test_cell_keys(seed: int, kind: str, count: int, bands: int, rows: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    products, shifts = quarters(rng, (count, bands * rows), kind), rng.choice([0.0, 0.25, 0.9], bands * rows)
    keys = room_for(bands, count)
    kernels.cell_keys(products, rows, shifts, width, keys)
    slots = [naive.vectors.cells(one, [width] * len(one), shifts.tolist()) for one in products.tolist()]
    assert keys.tolist() == expected_keys(slots, rows, bands, naive.vectors.cells_key)


@pytest.mark.slow
@given(seeds, kinds, counts, bands, st.integers(1, 5))
def test_feature_keys(seed: int, kind: str, count: int, bands: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, widths = quarters(rng, (count, 6), kind), rng.choice([0.25, 0.5, 3.0, 0.1], 6)
    features, shifts = rng.integers(0, 6, bands * rows), rng.choice([0.0, 0.25, 0.9], bands * rows)
    keys = room_for(bands, count)
    kernels.feature_keys(vectors, rows, features, shifts, widths, keys)
    wide = widths[features].tolist()
    slots = [naive.vectors.cells(one[features].tolist(), wide, shifts.tolist()) for one in vectors]
    assert keys.tolist() == expected_keys(slots, rows, bands, naive.vectors.cells_key)


@pytest.mark.slow
@given(seeds, counts, bands, long_rows, st.integers(1, 9))
def test_bit_keys(seed: int, count: int, bands: int, rows: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, places = rng.integers(0, 256, (count, length), np.uint8), rng.integers(0, 8 * length, bands * rows)
    keys = room_for(bands, count)
    kernels.bit_keys(vectors, rows, places, keys)
    slots = [[naive.vectors.bit(one.tobytes(), place) for place in places.tolist()] for one in vectors]
    assert keys.tolist() == expected_keys(slots, rows, bands, naive.vectors.bits_key)


# scores


def some_pairs(rng: np.random.Generator, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    left, right = rng.integers(0, count, (2, 6)).astype(np.int32)
    return left, right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "terms"),
    [(kernels.dot_products, naive.vectors.products), (kernels.squared_distances, naive.vectors.squares)],
)
@given(seeds, kinds, lengths)
def test_sums_are_those_of_lanes(kernel: Any, terms: Any, seed: int, kind: str, length: int) -> None:
    """To the last bit; and as close to the true sum as so many additions in double precision must come."""
    rng = np.random.default_rng(seed)
    vectors, (left, right) = awkward(rng, (5, length), kind), some_pairs(rng, 5)
    out = np.full(len(left), 7.0)
    kernel(left, right, vectors, out)
    rows = vectors.tolist()
    for found, i, j in zip(out.tolist(), left, right, strict=True):
        added = terms(rows[i], rows[j])
        assert found == naive.vectors.lane_sum(added)
        assert abs(found - math.fsum(added)) <= length * 2.0**-52 * math.fsum(map(abs, added))


@pytest.mark.slow
@given(seeds, kinds, lengths)
def test_close_features(seed: int, kind: str, length: int) -> None:
    """Of some pairs, and of all rows of the one with all of the other."""
    rng = np.random.default_rng(seed)
    vectors, tolerances = quarters(rng, (5, length), kind), rng.choice([0.0, 0.25, 1.0, 1.1], length)
    left, right = some_pairs(rng, 5)
    out, every = np.full(len(left), 7.0), np.full((3, 2), 7, np.float32)
    kernels.close_features(left, right, vectors, tolerances, out)
    kernels.all_close_features(vectors[:3], vectors[3:], tolerances, every)
    rows, most = vectors.tolist(), tolerances.tolist()
    pairs = zip(left, right, strict=True)
    assert out.tolist() == [naive.vectors.close_features(rows[i], rows[j], most) for i, j in pairs]
    assert every.tolist() == [[naive.vectors.close_features(a, b, most) for b in rows[3:]] for a in rows[:3]]


@pytest.mark.slow
@given(seeds, st.integers(1, 5))
def test_bit_distances(seed: int, length: int) -> None:
    """Of all rows with all others, the score is written, which is minus the distance."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**64, (5, length), np.uint64)
    words[0], words[4] = 0, 2**64 - 1
    left, right = some_pairs(rng, 5)
    out, every = np.full(len(left), 7.0), np.full((3, 2), 7, np.float32)
    kernels.bit_distances(left, right, words, out)
    kernels.all_bit_distances(words[:3], words[3:], every)
    rows = words.tolist()
    assert out.tolist() == [naive.vectors.bits_apart(rows[i], rows[j]) for i, j in zip(left, right, strict=True)]
    assert every.tolist() == [[-naive.vectors.bits_apart(a, b) for b in rows[3:]] for a in rows[:3]]
    assert every[0, 1] == -64 * length


# products that are large enough


@given(seeds, st.integers(0, 5), st.integers(0, 9) | st.sampled_from([63, 64, 65, 130]), st.data())
def test_gather_above(seed: int, height: int, width: int, data: st.DataObject) -> None:
    """Few are large enough, so that whole runs have none; they often are as large as they must be, and no more."""
    rng = np.random.default_rng(seed)
    products = np.where(rng.random((height, width)) < 0.05, rng.choice([0.5, 0.75], (height, width)), 0.25)
    diagonal, room = data.draw(st.integers(-1, width)), data.draw(st.integers(0, 3 * width + 1))
    least = data.draw(st.sampled_from([0.25, 0.5, 0.6, 1.0]))
    out = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
    filled, came_to = kernels.gather_above(products.astype(np.float32), np.float32(least), diagonal, out)
    found = list(zip(out[0][:filled].tolist(), out[1][:filled].tolist(), strict=True))
    rows = products.astype(np.float32).tolist()
    assert (found, came_to) == naive.vectors.above(rows, float(np.float32(least)), diagonal, room)
