"""Vectors of one length: on disk, in order, with band keys once they are signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import InputError
from lookalike.kernels.vectors import fingerprint_rows
from lookalike.store.items import Block, Prints, read_band

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.measures import Measure
    from lookalike.read import Batch, Source
    from lookalike.resources.scratch import Column, Scratch
    from lookalike.store.items import Copies

WORD = 8
"""Bytes in which fingerprints are made; a row of bits is made up to a multiple of them."""

ROWS_AT_A_TIME = 1 << 12
"""Vectors that are worked on at a time."""

LARGEST = 2.0**64
"""Where the largest number of a vector is above it, or below its inverse, angles are taken of a multiple."""

USUAL = 2.0**100
"""The squares of nearly all vectors are below it, and above its inverse; single precision holds these."""

LEAST_SQUARE = 1e-290
"""Squares of lengths from which on they have all their digits."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A batch of vectors that was looked through."""

    rows: NDArray[Any]
    prints: NDArray[np.uint64]
    nulls: int
    bits: int
    """How many bits a row has, if it is one of bits; in whole bytes."""
    truths: int
    """How many of them were given, if that is known."""


class Vectors:
    """All vectors of a run: item i is row i of `matrix`. Bits are rows of 64-bit words."""

    single = 0
    fragile = 0

    def __init__(self, scratch: Scratch, measure: Measure) -> None:
        self._measure = measure
        self._scratch = scratch
        self._data: Column[np.uint8] = scratch.column(np.uint8)
        self._prints = Prints(scratch)
        self._keys: Column[np.uint64] = scratch.column(np.uint64)
        self._blocks: list[Block] = []
        self._dtype = np.dtype(np.float32)
        self.length = 0
        """Numbers of a vector; 0 while there was none that is not null."""
        self.bits = 0
        self._truths = 0
        self.count = 0
        self.nulls = 0

    @property
    def empty(self) -> int:
        """How many items are no vector."""
        return self.nulls

    def check(self, batch: Batch, source: Source) -> Checked:
        """Look through a batch, in any thread: raise where a vector cannot be compared, and say where it stands."""
        missing = batch.items.is_null().to_numpy(zero_copy_only=False)
        refuse_wrong(batch, source, self._measure)
        rows = matrix_of(batch.items)
        bits = 8 * rows.shape[1] if self._measure.of == "bits" else 0
        rows = as_compared(rows, self._measure)
        prints = fingerprints(rows)
        prints[missing] = 0
        return Checked(rows, prints, int(missing.sum()), bits, batch.bit_length)

    def append(self, checked: Checked, source: Source, first: int) -> None:
        """Take a batch that was looked through; now they come in order. All have the wider type of all batches."""
        rows, prints = checked.rows, checked.prints
        if checked.nulls == len(rows):  # which have no length
            rows = np.zeros((len(rows), self.length), self._dtype)
        elif not self.length:
            self._begin(rows.shape[1], checked.bits, rows.dtype)
        elif self._differs(checked):
            raise self._other_length(checked, source.locate(first + int(np.argmax(prints[:, 0] != 0))))
        self._truths = self._truths or checked.truths
        if rows.dtype.itemsize > self._dtype.itemsize:
            self._widen(rows.dtype)
        elif rows.dtype != self._dtype:
            rows, prints = widened(rows, prints[:, 0] != 0, self._dtype)
        self._data.append(rows.view(np.uint8))
        self._prints.append(prints)
        self.count += len(rows)
        self.nulls += checked.nulls

    def _begin(self, length: int, bits: int, dtype: np.dtype[Any]) -> None:
        """Take note of what vectors are, and make rows of those before, which are null."""
        self.length, self.bits, self._dtype = length, bits, dtype
        for part in self.parts():
            self._data.append(np.zeros((part.stop - part.start) * length * dtype.itemsize, np.uint8))

    def _widen(self, dtype: np.dtype[Any]) -> None:
        """Write all vectors again, with more digits, since one has come that has them."""
        rows, data, prints = self.matrix, self._data, self._prints
        self._data, self._prints, self._dtype = self._scratch.column(np.uint8), Prints(self._scratch), dtype
        for part in self.parts():
            wide, made = widened(rows[part], prints.there(part), dtype)
            self._data.append(wide.view(np.uint8))
            self._prints.append(made)
            data.trim()
        data.close()
        prints.close()

    def _differs(self, checked: Checked) -> bool:
        """Tell whether vectors have another length than those before."""
        if checked.truths and self._truths and checked.truths != self._truths:
            return True
        return (checked.rows.shape[1], checked.bits) != (self.length, self.bits)

    def _other_length(self, checked: Checked, where: str) -> InputError:
        """Say that a vector has another length than those before."""
        has, had, what, unit = checked.rows.shape[1], self.length, "vector", "numbers"
        if self._measure.of == "bits":
            what, unit = "item", "bits"
            has, had = checked.truths or checked.bits, self._truths or self.bits
        return InputError(f"{where}: the {what} has {has} {unit}, but those before have {had}. Make all of one length")

    def finish(self) -> None:
        """Give rows even to a collection in which all is null, once it is complete."""
        if self.count and not self.length:
            bits = self._measure.of == "bits"
            self._begin(1, 64 if bits else 0, np.dtype(np.uint64 if bits else np.float32))

    def copies(self) -> Copies:
        """Find the vectors that are the same."""
        return self._prints.copies()

    @property
    def matrix(self) -> NDArray[Any]:
        """All vectors, read from disk as they are used."""
        return self._data.view().view(self._dtype).reshape(self.count, self.length)

    @property
    def middle(self) -> NDArray[np.float64]:
        """About the middle of all vectors."""
        first = self.matrix[: 1 << 16]
        return first.mean(axis=0, dtype=np.float64) if len(first) else np.zeros(self.length)

    def parts(self) -> Iterator[slice]:
        """Cut the vectors in parts."""
        for begin in range(0, self.count, ROWS_AT_A_TIME):
            yield slice(begin, min(begin + ROWS_AT_A_TIME, self.count))

    def store_keys(self, keys: NDArray[np.uint64]) -> Block:
        """Put the keys of a part on disk, in any thread; a row for each band."""
        return Block(self._keys.append(keys), keys.shape[1])

    def take_keys(self, blocks: list[Block]) -> None:
        """Remember where the keys of all parts are, in order."""
        self._blocks = blocks

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""
        read_band(self._keys, self._blocks, band, keys)

    def trim(self) -> None:
        """Give back the memory that reading has taken, if it is much."""
        self._data.trim()


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


def as_compared(rows: NDArray[Any], measure: Measure) -> NDArray[Any]:
    """Return rows as they are compared: bits in words, vectors with one zero instead of two.

    Where only angles matter, a vector of very large or very small numbers is divided by a power of two.
    """
    if measure.of == "bits":
        return padded(rows).view(np.uint64)
    made: NDArray[Any] = rows + rows.dtype.type(0)
    if measure.name == "cosine" and len(odd := unusual(made)):
        largest = np.abs(made[odd]).max(axis=1)
        beyond = (largest > 0) & ((largest > LARGEST) | (largest < 1 / LARGEST))
        odd, exponents = odd[beyond], np.frexp(largest[beyond])[1]
        made[odd] = np.ldexp(made[odd], -exponents[:, None])
    return made


def unusual(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return which rows may hold zeros only, very large or very small numbers, NaN or infinities; hardly ever any."""
    squares = squares_of(rows)
    return np.flatnonzero(~((squares > 1 / USUAL) & (squares < USUAL)))


def squares_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the squares of the lengths of rows, as far as their type goes."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares: NDArray[Any] = np.einsum("ij,ij->i", rows, rows)
    return squares


@dataclass(frozen=True, slots=True)
class FewVectors:
    """A few vectors in memory, as a family wants them."""

    matrix: NDArray[Any]

    @property
    def length(self) -> int:
        """Numbers of a vector, or words of bits."""
        return int(self.matrix.shape[1])

    @property
    def middle(self) -> NDArray[np.float64]:
        """Keys must be the same whichever vectors come together: nothing is moved."""
        return np.zeros(self.length)


def widened(
    rows: NDArray[Any], there: NDArray[np.bool_], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """Return rows with more digits, and their fingerprints; those that are not there have none."""
    wide = rows.astype(dtype)
    prints = fingerprints(wide)
    prints[~there] = 0
    return wide, prints


def fingerprints(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Return two numbers for each row, the same for those that are the same."""
    prints = np.empty((len(rows), 2), np.uint64)
    fingerprint_rows(padded(rows).view(np.uint64), prints)
    return prints


def padded(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """Return rows as bytes, with zeros after them up to whole words."""
    held = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    short = -held.shape[1] % WORD
    if not short:
        return held
    return np.concatenate((held, np.zeros((len(held), short), np.uint8)), axis=1)


def refuse_wrong(batch: Batch, source: Source, measure: Measure) -> None:
    """Raise where a vector cannot be compared, and say where it stands."""
    if measure.of == "bits":
        return
    rows = matrix_of(batch.items)
    places = unusual(rows)
    places = places[batch.items.is_valid().to_numpy(zero_copy_only=False)[places]]
    if not len(places):
        return
    rows = rows[places]
    squares, some = squares_of(rows), rows.any(axis=1)
    refuse(places[~np.isfinite(rows).all(axis=1)], batch, source, "holds NaN or an infinity; replace it")
    if measure.name == "cosine":
        refuse(places[~some], batch, source, "has only zeros, so it has no direction; drop it, or make it null")
    if measure.name == "euclidean" and rows.dtype == np.float64:
        lost = places[~np.isfinite(squares) | (some & (squares < LEAST_SQUARE))]
        refuse(lost, batch, source, "is too long or too short for its square to be a number; scale all vectors")


def refuse(wrong: NDArray[np.intp], batch: Batch, source: Source, why: str) -> None:
    """Raise if vectors of a batch are wrong, and say where the first stands."""
    if len(wrong):
        raise InputError(f"{source.locate(batch.first + int(wrong[0]))}: the vector {why}")
