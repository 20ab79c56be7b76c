"""Families of hash functions for vectors: slots that agree the likelier, the closer two vectors are.

A family also compares vectors: two by two, exactly; or many with many, in single precision, with a margin that makes
up for rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from lookalike.arrays.constant import constant
from lookalike.arrays.random import random_numbers
from lookalike.errors import InputError
from lookalike.kernels import vectors as kernels
from lookalike.lsh.banding import Banding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe

Matrix = Any
"""Rows prepared to be compared with many others, in the form of their family."""

ROUNDING = 2.0**-23
"""The relative error of a number in single precision, twice over."""

DIRECTIONS, SHIFTS = 0, 1 << 62
"""Where the random numbers for each purpose begin in the sequence of all."""


class Rows(Protocol):
    """Vectors as the rows of a matrix."""

    @property
    def matrix(self) -> NDArray[Any]:
        """All rows."""

    @property
    def length(self) -> int:
        """The length of a row."""

    @property
    def middle(self) -> NDArray[np.float64]:
        """Approximately the mean of all rows."""


class Family(ABC):
    """Signs and compares vectors by one measure."""

    margin = 0.0
    """By how much `approximate_scores` may be below the true score."""
    pair_seconds: ClassVar[float] = 0.05e-9
    """Seconds that one core takes in `approximate_scores` per number of two vectors; only ratios matter."""
    slot_seconds: ClassVar[float] = 0.05e-9
    """Seconds that one core takes to sign per number of a vector and slot."""
    has_cells: ClassVar[bool] = False
    """Whether vectors can be put in cells around centres, to find the nearest ones."""

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        self.matrix = vectors.matrix
        self.length = vectors.length
        self.recipe = recipe

    @abstractmethod
    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the band keys of some vectors, a row per band."""

    def slots(self, part: slice, banding: Banding) -> NDArray[Any]:
        """Return the signatures of some vectors, a row per slot: what keys are made of, in numbers that people read.

        Unless a family has such numbers, they are the keys of bands of one row.
        """
        return self.keys(part, Banding(banding.slots, 1))

    @abstractmethod
    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the exact score of each left vector with the right one."""

    @abstractmethod
    def prepare(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return some vectors, prepared to be compared with many others."""

    @abstractmethod
    def approximate_scores(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the approximate score of each vector of one block with each of the other."""

    @abstractmethod
    def slot_chances(self, left: NDArray[np.int32], right: NDArray[np.int32], scores: NDArray[Any]) -> NDArray[Any]:
        """Return the chance that a slot agrees, for each left vector with each right one, given all their scores."""


def squared_lengths(matrix: NDArray[Any]) -> NDArray[np.float64]:
    """Return the squared length of each vector; raise where it overflows or underflows."""
    every = np.arange(len(matrix), dtype=np.int32)
    out = np.empty(len(matrix))
    kernels.dot_products(every, every, constant(matrix), out)
    lost = ~np.isfinite(out)
    lost[out == 0] = matrix[out == 0].any(axis=1)
    if lost.any():
        raise InputError("The squared length of a vector overflows or underflows. Scale all vectors")
    return out


def uniform_numbers(seed: int, first: int, count: int) -> NDArray[np.float64]:
    """Return random numbers in (0, 1) that follow from the seed alone."""
    bits = random_numbers(seed, first + np.arange(count)) >> np.uint64(11)
    return (bits.astype(np.float64) + 0.5) * 2.0**-53


def normal_numbers(seed: int, rows: int, columns: int) -> NDArray[np.float64]:
    """Return a matrix of normal numbers that follow from the seed alone, by the method of Box and Muller.

    A longer matrix begins with the rows of a shorter one.
    """
    numbers = uniform_numbers(seed, DIRECTIONS, 2 * rows * columns).reshape(rows, columns, 2)
    radius = np.sqrt(-2 * np.log(numbers[..., 0]))
    found: NDArray[np.float64] = radius * np.cos(2 * np.pi * numbers[..., 1])
    return found
