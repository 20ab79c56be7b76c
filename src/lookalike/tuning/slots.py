"""How likely a slot of two vectors agrees, for many of them at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.kernels.vectors import all_shared_cells
from lookalike.measures import same_cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.family import Family
    from lookalike.recipe import Recipe

KNOWN = 2000
"""Distances whose chance is computed; that of others lies between."""


def slot_chances(
    family: Family, recipe: Recipe, sides: tuple[NDArray[np.int32], NDArray[np.int32]], scores: NDArray[Any]
) -> NDArray[Any]:
    """Return how likely a slot of each of some vectors agrees with that of each of others, given all their scores.

    Of features no score tells: those that are not close may be in one cell, and those that are close may be closer.
    """
    measure = recipe.measure
    if measure.name == "cosine":
        return np.asarray(1 - np.arccos(np.clip(scores, -1, 1)) / scores.dtype.type(np.pi))
    if measure.name == "hamming":
        return np.asarray(1 + np.maximum(scores, -measure.bits) / measure.bits)
    width = measure.cell(recipe.threshold)
    if measure.name == "agreement":
        out = np.empty(scores.shape, np.float32)
        all_shared_cells(*map(family.ready, sides), np.full(family.length, width), out)
        return np.asarray(np.minimum(out / np.float32(family.length), 1))
    known = np.geomspace(1e-4, 1e6, KNOWN)
    chances = np.array([same_cell(float(ratio), 1.0) for ratio in known])
    return np.asarray(np.interp(np.minimum(-scores, 1e30) / width, known, chances))
