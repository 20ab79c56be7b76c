"""Vectors and bits as rows of a matrix: how Arrow arrays become rows, which rows are refused, what copies are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lookalike.arrays.constant import constant
from lookalike.errors import InputError
from lookalike.kernels.vectors import fingerprint_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.measures import VectorMeasure
    from lookalike.read import Batch, Source

WORD = 8
"""Bytes of a word. Fingerprints are made of words; a row of bits is padded to whole ones."""

LARGEST = 2.0**64
"""A vector whose largest number is above this, or below its inverse, is scaled before angles are computed."""

USUAL = 2.0**100
"""Squared lengths below this and above its inverse are safe in single precision; nearly all are."""

MIN_SQUARE = 1e-290
"""Squared lengths from here on have all their digits."""


class NumberRows:
    """Rows of numbers."""

    noun: ClassVar[str] = "vector"
    unit: ClassVar[str] = "numbers"
    dtype: ClassVar[type[np.generic]] = np.float32
    """The type of rows where all items are null."""
    min_bits: ClassVar[int] = 0
    """The number of bits of such rows."""

    def bits(self, rows: NDArray[Any]) -> int:  # noqa: ARG002 - numbers are not counted in bits
        """Return the number of bits per row of bytes; 0 for numbers."""
        return 0

    def numbers(self, rows: NDArray[Any], bits: int) -> NDArray[Any]:  # noqa: ARG002 - of bits
        """Return stored rows as the numbers, or the bits, that people count."""
        return rows

    def as_compared(self, rows: NDArray[Any], measure: VectorMeasure) -> NDArray[Any]:
        """Return rows with one zero instead of two.

        Where only the direction matters, a vector of very large or very small numbers is divided by a power of two.
        """
        made: NDArray[Any] = rows + rows.dtype.type(0)
        if measure.uses_direction_only and len(odd := unusual(made)):
            largest = np.abs(made[odd]).max(axis=1)
            beyond = (largest > 0) & ((largest > LARGEST) | (largest < 1 / LARGEST))
            odd, exponents = odd[beyond], np.frexp(largest[beyond])[1]
            made[odd] = np.ldexp(made[odd], -exponents[:, None])
        return made

    def as_told(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows in one type, with one zero instead of two, and their length in front."""
        wide = rows.astype(np.float64) + 0.0
        return np.concatenate((np.full((len(rows), 1), rows.shape[1], np.float64), wide), axis=1)

    def check(self, batch: Batch, source: Source, measure: VectorMeasure) -> None:
        """Raise where a vector cannot be compared, naming its place."""
        rows = matrix_of(batch.items)
        places = unusual(rows)
        places = places[batch.items.is_valid().to_numpy(zero_copy_only=False)[places]]
        if not len(places):
            return
        rows = rows[places]
        squares, some = squares_of(rows), rows.any(axis=1)
        refuse(places[~np.isfinite(rows).all(axis=1)], batch, source, "holds NaN or an infinity; replace it")
        if measure.uses_direction_only:
            refuse(places[~some], batch, source, "has only zeros, so it has no direction; drop it, or make it null")
        if measure.uses_squares and rows.dtype == np.float64:
            lost = places[~np.isfinite(squares) | (some & (squares < MIN_SQUARE))]
            refuse(lost, batch, source, "is too long or too short for its square to be a number; scale all vectors")


class BitRows(NumberRows):
    """Rows of bits, as bytes; they are compared as 64-bit words."""

    noun = "item"
    unit = "bits"
    dtype = np.uint64
    min_bits = 64

    def bits(self, rows: NDArray[Any]) -> int:
        """Return the number of bits per row of bytes."""
        return 8 * int(rows.shape[1])

    def numbers(self, rows: NDArray[Any], bits: int) -> NDArray[Any]:
        """Return the bits of stored rows."""
        return np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1)[:, :bits]

    def as_compared(self, rows: NDArray[Any], measure: VectorMeasure) -> NDArray[Any]:  # noqa: ARG002 - any bits will do
        """Return rows as words, padded with zeros."""
        return padded(rows).view(np.uint64)

    def as_told(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows as words, padded with zeros, and their length in front."""
        return np.concatenate((np.full((len(rows), 1), rows.shape[1], np.uint64), padded(rows).view(np.uint64)), axis=1)

    def check(self, batch: Batch, source: Source, measure: VectorMeasure) -> None:
        """Do nothing: all bits can be compared."""


class MatrixRows:
    """A few vectors in memory, as a family takes them."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix = matrix
        self.length = int(matrix.shape[1])

    @property
    def middle(self) -> NDArray[np.float64]:
        """Zero: keys must not depend on which vectors are signed together."""
        return np.zeros(self.length)


def matrix_of(items: pa.Array) -> NDArray[Any]:
    """Return an array of lists of one length as a matrix; a null is a row of zeros."""
    length = items.type.list_size
    values = items.values.slice(items.offset * length, len(items) * length)
    if values.null_count:
        values = values.fill_null(0)
    rows = np.asarray(values.to_numpy(zero_copy_only=False)).reshape(len(items), length)
    if items.null_count:
        missing = items.is_null().to_numpy(zero_copy_only=False)
        rows = np.where(missing[:, None], rows.dtype.type(0), rows)
    return rows


def unusual(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of rows that may hold only zeros, very large or very small numbers, NaN or infinities."""
    squares = squares_of(rows)
    return np.flatnonzero(~((squares > 1 / USUAL) & (squares < USUAL)))


def squares_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the squared lengths of rows, as far as their type goes."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares: NDArray[Any] = np.einsum("ij,ij->i", rows, rows)
    return squares


def widened(
    rows: NDArray[Any], present: NDArray[np.bool_], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """Return rows in a wider type, and their fingerprints; nulls have none."""
    wide = rows.astype(dtype)
    prints = fingerprints(wide)
    prints[~present] = 0
    return wide, prints


def fingerprints(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Return two numbers per row, the same for equal rows."""
    prints = np.empty((len(rows), 2), np.uint64)
    fingerprint_rows(constant(padded(rows).view(np.uint64)), prints)
    return prints


def padded(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """Return rows as bytes, padded with zeros to whole words."""
    held = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    short = -held.shape[1] % WORD
    if not short:
        return held
    return np.concatenate((held, np.zeros((len(held), short), np.uint8)), axis=1)


def refuse(wrong: NDArray[np.intp], batch: Batch, source: Source, why: str) -> None:
    """Raise if vectors of a batch are wrong, naming the place of the first."""
    if len(wrong):
        raise InputError(f"{source.locate(batch.first + int(wrong[0]))}: the vector {why}")
