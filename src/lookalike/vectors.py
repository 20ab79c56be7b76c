"""Vectors of one length: on disk, in order, with band keys once they are signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import InputError
from lookalike.items import Block, Prints, read_band
from lookalike.kernels.vectors import fingerprint_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.items import Copies
    from lookalike.measures import Measure
    from lookalike.read import Batch, Source
    from lookalike.scratch import Column, Scratch

WORD = 8
"""Bytes in which fingerprints are made; a row of bits is made up to a multiple of them."""

ROWS_AT_A_TIME = 1 << 12
"""Vectors that are worked on at a time."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A batch of vectors that was looked through."""

    rows: NDArray[Any]
    prints: NDArray[np.uint64]
    nulls: int
    bits: int
    """How many bits a row has, if it is one of bits."""


class Vectors:
    """All vectors of a run: item i is row i of `matrix`. Bits are rows of 64-bit words."""

    single = 0
    fragile = 0

    def __init__(self, scratch: Scratch, measure: Measure) -> None:
        self._measure = measure
        self._data: Column[np.uint8] = scratch.column(np.uint8)
        self._prints = Prints(scratch)
        self._keys: Column[np.uint64] = scratch.column(np.uint64)
        self._blocks: list[Block] = []
        self._dtype = np.dtype(np.float32)
        self.length = 0
        self.bits = 0
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
        return Checked(rows, prints, int(missing.sum()), bits)

    def append(self, checked: Checked, source: Source, first: int) -> None:
        """Take a batch that was looked through; now they come in order."""
        if not self.length and len(checked.rows):
            self.length, self.bits, self._dtype = checked.rows.shape[1], checked.bits, checked.rows.dtype
        if len(checked.rows) and (checked.rows.shape[1], checked.bits) != (self.length, self.bits):
            has, had = checked.rows.shape[1], self.length
            what, unit = "vector", "numbers"
            if self._measure.of == "bits":
                has, had, what, unit = checked.bits, self.bits, "item", "bits"
            raise InputError(
                f"{source.where(first)}: the {what} has {has} {unit}, but those before have {had}. Make all of one "
                "length"
            )
        self._data.append(checked.rows.astype(self._dtype, copy=False).view(np.uint8))
        self._prints.append(checked.prints)
        self.count += len(checked.rows)
        self.nulls += checked.nulls

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
    """Return rows as they are compared: bits in words, vectors with one zero instead of two."""
    return padded(rows).view(np.uint64) if measure.of == "bits" else rows + rows.dtype.type(0)


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
    missing = batch.items.is_null().to_numpy(zero_copy_only=False)
    rows = matrix_of(batch.items)
    refuse(~np.isfinite(rows).all(axis=1) & ~missing, batch, source, "holds NaN or an infinity; replace it")
    if measure.name == "cosine":
        no_direction = ~rows.any(axis=1) & ~missing
        refuse(no_direction, batch, source, "has only zeros, so it has no direction; drop it, or make it null")


def refuse(wrong: NDArray[np.bool_], batch: Batch, source: Source, why: str) -> None:
    """Raise if a vector of a batch is wrong, and say where it stands."""
    if wrong.any():
        raise InputError(f"{source.where(batch.first + int(np.argmax(wrong)))}: the vector {why}")
