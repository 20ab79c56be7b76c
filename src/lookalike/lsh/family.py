"""Families of hash functions for vectors: slots that agree the more likely, the closer two vectors are.

Each also compares vectors: two by two, exactly; or many with many, in single precision, which misses nothing if it is
taken with a margin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lookalike.arrays.random import random_numbers
from lookalike.errors import InputError
from lookalike.exact.bits import meetings, parts_for
from lookalike.kernels import vectors as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.recipe import Recipe

Matrix = Any
"""Rows made ready to be compared with many others, as a family likes them."""

ROUNDING = 2.0**-23
"""By how much a number may be off in single precision, relative to itself; with a factor of two to spare."""

LOOK, MEET = 0.2e-9, 100e-9
"""Seconds that one core took to look at a product; and for two items that meet in a bucket, and are compared."""

LARGEST = 1e30
"""Numbers up to which, and down to whose inverse, single precision does."""

DIRECTIONS, SHIFTS = 0, 1 << 62
"""Where in the sequence of random numbers those of one purpose begin."""


class Rows(Protocol):
    """Vectors as the rows of a matrix."""

    @property
    def matrix(self) -> NDArray[Any]:
        """All of them."""

    @property
    def length(self) -> int:
        """How long a row is."""

    @property
    def middle(self) -> NDArray[np.float64]:
        """About the middle of all."""


class Family(ABC):
    """Signs and compares vectors by one measure."""

    margin = 0.0
    """By how much `about` may be below the truth."""
    takes = 0.05e-9
    """Seconds that `about` took for a number of two vectors, on one core of one machine; only ratios matter."""
    signs = 0.05e-9
    """The same for a number of a vector and a slot."""

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        self.matrix = vectors.matrix
        self.length = vectors.length
        self.recipe = recipe

    def exactly(self) -> float:
        """Return the seconds that an exact search takes, for each two vectors."""
        return self.takes * self.length + LOOK

    @abstractmethod
    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return the band keys of some vectors, a row for each band."""

    @abstractmethod
    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the score of each two vectors, exactly."""

    @abstractmethod
    def ready(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return some vectors, ready to be compared with many others."""

    @abstractmethod
    def about(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return about the score of each of some vectors with each of others."""


class Cosine(Family):
    """The angle between vectors: a slot is the side of a random plane."""

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        self.margin = (self.length + 8) * ROUNDING
        self.squares = squares(self.matrix)
        self._directions = np.empty((self.length, 0), np.float32)

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return on which sides of planes vectors are."""
        products = self.matrix[part].astype(np.float32, copy=False) @ self.directions(banding.slots)
        keys = np.empty((banding.bands, len(products)), np.uint64)
        kernels.sign_keys(products, banding.rows, keys)
        return keys

    def directions(self, count: int) -> NDArray[np.float32]:
        """Return random directions, the normals of planes."""
        if self._directions.shape[1] < count:
            self._directions = normal_numbers(self.recipe.seed, count, self.length).T.astype(np.float32, order="C")
        return self._directions[:, :count]

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the cosine of the angle between each two vectors.

        The root of the product of two squares, not the product of their roots: of copies it is the square itself.
        """
        out = np.empty(len(left))
        kernels.dot_products(left, right, self.matrix, out)
        out /= np.sqrt(self.squares[left] * self.squares[right])
        return np.clip(out, -1.0, 1.0)

    def ready(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return vectors of length 1; what is no vector remains a row of zeros."""
        lengths = np.sqrt(self.squares[items])
        scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        rows = self.matrix[items]
        if rows.dtype == np.float32 and np.all((scale < LARGEST) & (scale > 1 / LARGEST)):
            return rows * scale.astype(np.float32)[:, None]
        return (rows * scale[:, None]).astype(np.float32)

    def about(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return products of vectors of length 1."""
        products: NDArray[np.float32] = one @ two.T
        return products


class Euclidean(Family):
    """The distance between vectors: a slot is a cell of a random line."""

    takes = 0.12e-9
    signs = 0.1e-9

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        squares(self.matrix)  # which raises where one is no number
        self._directions = np.empty((self.length, 0))
        self._middle = vectors.middle
        """Vectors are moved by it before they are multiplied, so that what is small remains."""

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return in which cells of random lines vectors fall."""
        if self._directions.shape[1] != banding.slots:
            self._directions = normal_numbers(self.recipe.seed, banding.slots, self.length).T.copy()
        products = (self.matrix[part] - self._middle) @ self._directions
        keys = np.empty((banding.bands, len(products)), np.uint64)
        shifts = uniform_numbers(self.recipe.seed, SHIFTS, banding.slots)
        kernels.cell_keys(products, banding.rows, shifts, self.recipe.measure.cell(self.recipe.threshold), keys)
        return keys

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return minus the distance of each two vectors."""
        out = np.empty(len(left))
        kernels.squared_distances(left, right, self.matrix, out)
        return 0.0 - np.sqrt(out)

    def ready(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return vectors from the middle on, and the squares of their lengths."""
        rows = self.matrix[items] - self._middle
        return rows, np.einsum("ij,ij->i", rows, rows)

    def about(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return minus about the distance; double precision, since squares that cancel leave little."""
        (rows, squares), (others, their_squares) = one, two
        products = rows @ others.T
        products *= -2
        products += squares[:, None]
        products += their_squares[None, :]
        largest = squares.max(initial=0) + their_squares.max(initial=0)
        products -= 4 * (self.length + 8) * np.finfo(np.float64).eps * largest
        with np.errstate(over="ignore"):  # an infinity is as far
            closest: NDArray[np.float32] = np.sqrt(np.maximum(products, 0)).astype(np.float32)
        closest *= np.float32(4 * ROUNDING - 1)
        return closest


class Hamming(Family):
    """Bits in which items differ: a slot is one of the bits."""

    takes = 0.5e-9
    signs = 0.0

    @property
    def parts(self) -> int:
        """In how many parts an exact search goes; 0 if it compares all with all, which takes less."""
        bits, parts = self.recipe.measure.bits, parts_for(self.recipe.measure.bits, self.recipe.threshold)
        return parts if meetings(bits, parts) * MEET < super().exactly() else 0

    def exactly(self) -> float:
        """Return the seconds that an exact search takes, by parts or not."""
        parts = self.parts
        return meetings(self.recipe.measure.bits, parts) * MEET if parts else super().exactly()

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return some of the bits."""
        total = self.recipe.measure.bits
        places = (random_numbers(self.recipe.seed, np.arange(banding.slots)) % np.uint64(total)).astype(np.int64)
        keys = np.empty((banding.bands, part.stop - part.start), np.uint64)
        kernels.bit_keys(self.matrix[part].view(np.uint8), banding.rows, places, keys)
        return keys

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return minus the number of bits in which each two differ."""
        out = np.empty(len(left))
        kernels.bit_distances(left, right, self.matrix, out)
        return 0.0 - out

    def ready(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return the words."""
        return self.matrix[items]

    def about(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return minus the number of bits in which they differ."""
        out = np.empty((len(one), len(two)), np.float32)
        kernels.all_bit_distances(one, two, out)
        return out


class Agreement(Family):
    """The share of features that are close: a slot is a cell of one feature."""

    takes = 0.4e-9
    signs = 0.0

    def __init__(self, vectors: Rows, recipe: Recipe) -> None:
        super().__init__(vectors, recipe)
        assert recipe.measure.tolerance is not None  # noqa: S101 - as the measure has made sure
        self._tolerances = np.full(self.length, recipe.measure.tolerance)
        self.margin = ROUNDING

    def keys(self, part: slice, banding: Banding) -> NDArray[np.uint64]:
        """Return in which cells some of the features fall."""
        numbers = random_numbers(self.recipe.seed, np.arange(banding.slots))
        features = (numbers % np.uint64(self.length)).astype(np.int64)
        shifts = uniform_numbers(self.recipe.seed, SHIFTS, banding.slots)
        widths = np.full(self.length, self.recipe.measure.cell(self.recipe.threshold))
        keys = np.empty((banding.bands, part.stop - part.start), np.uint64)
        kernels.feature_keys(self.matrix[part], banding.rows, features, shifts, widths, keys)
        return keys

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the share of features in which each two are close."""
        out = np.empty(len(left))
        kernels.close_features(left, right, self.matrix, self._tolerances, out)
        return out / self.length

    def ready(self, items: NDArray[np.int32] | slice) -> Matrix:
        """Return the vectors."""
        return self.matrix[items]

    def about(self, one: Matrix, two: Matrix) -> NDArray[np.float32]:
        """Return the share of features in which they are close."""
        out = np.empty((len(one), len(two)), np.float32)
        kernels.all_close_features(one, two, self._tolerances, out)
        return out / np.float32(self.length)


FAMILIES: dict[str, type[Family]] = {
    "cosine": Cosine,
    "euclidean": Euclidean,
    "hamming": Hamming,
    "agreement": Agreement,
}


def squares(matrix: NDArray[Any]) -> NDArray[np.float64]:
    """Return the squares of the lengths of vectors; raise where one is too long or too short for it."""
    every = np.arange(len(matrix), dtype=np.int32)
    out = np.empty(len(matrix))
    kernels.dot_products(every, every, matrix, out)
    lost = ~np.isfinite(out)
    lost[out == 0] = matrix[out == 0].any(axis=1)
    if lost.any():
        raise InputError("A vector is too long or too short for its square to be a number. Scale all of them")
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
