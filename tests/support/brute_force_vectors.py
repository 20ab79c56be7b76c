"""Pairs of vectors and of bits by brute force, from the definitions, and vectors to try them on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Pairs = dict[tuple[int, int], float]

MEASURES: dict[str, dict[str, Any]] = {
    "cosine": {"measure": "cosine", "threshold": 0.9},
    "euclidean": {"measure": "euclidean", "threshold": 1.2},
    "agreement": {"measure": "agreement", "tolerance": 0.25, "threshold": 0.75},
    "hamming": {"measure": "hamming", "threshold": 6},
}
every_measure = pytest.mark.parametrize("asked", MEASURES.values(), ids=MEASURES)


def is_distance(asked: dict[str, Any]) -> bool:
    return asked["measure"] in ("euclidean", "hamming")


def values(rows: NDArray[Any], asked: dict[str, Any]) -> NDArray[np.float64]:
    """Compare all rows with all, from the definition."""
    one, two = rows[:, None], rows[None]
    if asked["measure"] == "hamming":
        return np.asarray(np.unpackbits(one ^ two, axis=-1).sum(axis=-1), float)
    one, two = one.astype(float), two.astype(float)
    if asked["measure"] == "euclidean":
        return np.asarray(np.sqrt(((one - two) ** 2).sum(axis=-1)))
    if asked["measure"] == "agreement":
        return np.asarray((np.abs(one - two) <= asked["tolerance"]).mean(axis=-1))
    lengths = np.sqrt((rows.astype(float) ** 2).sum(axis=1))
    return np.asarray((one * two).sum(axis=-1) / lengths[:, None] / lengths[None])


def truth(rows: NDArray[Any], asked: dict[str, Any]) -> Pairs:
    """Return the pairs among rows, by brute force."""
    compared = values(rows, asked)
    close = compared <= asked["threshold"] if is_distance(asked) else compared >= asked["threshold"]
    return {(int(i), int(j)): float(compared[i, j]) for i, j in np.argwhere(np.triu(close, 1))}


def assert_same(one: Pairs, two: Pairs) -> None:
    assert one.keys() == two.keys()
    assert list(one.values()) == pytest.approx([two[pair] for pair in one], abs=1e-12)


def collection(asked: dict[str, Any], count: int = 600, length: int = 24, seed: int = 1) -> NDArray[Any]:
    """Return vectors, some of them copies of others, exact or nearly so."""
    rng = np.random.default_rng(seed)
    rows: NDArray[Any]
    if asked["measure"] == "hamming":
        rows = rng.integers(0, 256, (count, 10)).astype(np.uint8)
        near = rows[: count // 3].copy()
        for row in near:
            for place in rng.integers(0, 80, rng.integers(0, 12)):
                row[place // 8] ^= 1 << place % 8
        rows[count // 3 : 2 * (count // 3)] = near
    else:
        rows = rng.normal(size=(count, length)).astype(np.float32)
        noise = rng.normal(size=(count // 3, length)) * rng.uniform(0, 0.6, (count // 3, 1))
        rows[count // 3 : 2 * (count // 3)] = rows[: count // 3] + noise
    rows[-5:] = rows[:5]
    return rows
