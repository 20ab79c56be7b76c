"""Vectors of equal length, on disk, in order, with band keys once they are signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import InputError
from lookalike.store.copies import Fingerprints
from lookalike.store.items import Block, read_band
from lookalike.store.rows import fingerprints, matrix_of, widened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.measures import VectorMeasure
    from lookalike.read import Batch, Source
    from lookalike.resources.scratch import Column, Scratch
    from lookalike.store.copies import Copies
    from lookalike.store.rows import NumberRows

ROWS_AT_A_TIME = 1 << 12
"""Vectors processed at a time."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A batch of vectors that can be compared."""

    rows: NDArray[Any]
    prints: NDArray[np.uint64]
    nulls: int
    bits: int
    """The number of bits per row, in whole bytes; 0 for numbers."""
    given_bits: int
    """The number of bits per row in the input, if known."""


class Vectors:
    """All vectors of a run: item i is row i of `matrix`. Bits are rows of 64-bit words."""

    single = 0
    fragile = 0

    def __init__(self, scratch: Scratch, measure: VectorMeasure, rows: NumberRows) -> None:
        self._measure = measure
        self._rows = rows
        self._scratch = scratch
        self._data: Column[np.uint8] = scratch.column(np.uint8)
        self._prints = Fingerprints(scratch)
        self._keys: Column[np.uint64] = scratch.column(np.uint64)
        self._blocks: list[Block] = []
        self._dtype = np.dtype(np.float32)
        self.length = 0
        """Numbers per vector; 0 as long as all are null."""
        self.bits = 0
        self._given_bits = 0
        self.count = 0
        self.nulls = 0

    @property
    def empty(self) -> int:
        """The number of nulls."""
        return self.nulls

    def check(self, batch: Batch, source: Source) -> Checked:
        """Check a batch, in any thread: raise an error if a vector cannot be compared, naming its location."""
        missing = batch.items.is_null().to_numpy(zero_copy_only=False)
        self._rows.check(batch, source, self._measure)
        rows = matrix_of(batch.items)
        bits = self._rows.bits(rows)
        rows = self._rows.as_compared(rows, self._measure)
        prints = fingerprints(rows)
        prints[missing] = 0
        return Checked(rows, prints, int(missing.sum()), bits, batch.bit_length)

    def append(self, checked: Checked, source: Source, first: int) -> None:
        """Append a checked batch, in order. All rows have the widest type of any batch."""
        rows, prints = checked.rows, checked.prints
        if checked.nulls == len(rows):  # nulls have no length
            rows = np.zeros((len(rows), self.length), self._dtype)
        elif not self.length:
            self._begin(rows.shape[1], checked.bits, rows.dtype)
        elif self._differs(checked):
            raise self._other_length(checked, source.locate(first + int(np.argmax(prints[:, 0] != 0))))
        self._given_bits = self._given_bits or checked.given_bits
        if rows.dtype.itemsize > self._dtype.itemsize:
            self._widen(rows.dtype)
        elif rows.dtype != self._dtype:
            rows, prints = widened(rows, prints[:, 0] != 0, self._dtype)
        self._data.append(rows.view(np.uint8))
        self._prints.append(prints)
        self.count += len(rows)
        self.nulls += checked.nulls

    def _begin(self, length: int, bits: int, dtype: np.dtype[Any]) -> None:
        """Set the shape and type of rows, and write rows for the preceding nulls."""
        self.length, self.bits, self._dtype = length, bits, dtype
        for part in self.parts():
            self._data.append(np.zeros((part.stop - part.start) * length * dtype.itemsize, np.uint8))

    def _widen(self, dtype: np.dtype[Any]) -> None:
        """Rewrite all vectors in the wider type of a new batch."""
        rows, data, prints = self.matrix, self._data, self._prints
        self._data, self._prints, self._dtype = self._scratch.column(np.uint8), Fingerprints(self._scratch), dtype
        for part in self.parts():
            wide, made = widened(rows[part], prints.present(part), dtype)
            self._data.append(wide.view(np.uint8))
            self._prints.append(made)
            data.trim()
        data.close()
        prints.close()

    def _differs(self, checked: Checked) -> bool:
        """Return whether the vectors of a batch differ in length from the preceding ones."""
        if checked.given_bits and self._given_bits and checked.given_bits != self._given_bits:
            return True
        return (checked.rows.shape[1], checked.bits) != (self.length, self.bits)

    def _other_length(self, checked: Checked, where: str) -> InputError:
        """Return an error about a vector whose length differs from the preceding ones."""
        has, had = checked.rows.shape[1], self.length
        if checked.bits:
            has, had = checked.given_bits or checked.bits, self._given_bits or self.bits
        what, unit = self._rows.noun, self._rows.unit
        return InputError(
            f"{where}: the {what} has {has} {unit}, but earlier ones have {had}. Make all of equal length"
        )

    def finish(self) -> None:
        """Complete the collection. A collection of only nulls gets rows, too."""
        if self.count and not self.length:
            self._begin(1, self._rows.min_bits, np.dtype(self._rows.dtype))

    def copies(self) -> Copies:
        """Find equal vectors."""
        return self._prints.copies()

    @property
    def matrix(self) -> NDArray[Any]:
        """All vectors, read from disk as they are used."""
        return self._data.view().view(self._dtype).reshape(self.count, self.length)

    @property
    def middle(self) -> NDArray[np.float64]:
        """Approximately the mean of all vectors."""
        first = self.matrix[: 1 << 16]
        return first.mean(axis=0, dtype=np.float64) if len(first) else np.zeros(self.length)

    def parts(self) -> Iterator[slice]:
        """Cut the vectors into parts."""
        for begin in range(0, self.count, ROWS_AT_A_TIME):
            yield slice(begin, min(begin + ROWS_AT_A_TIME, self.count))

    def store_keys(self, keys: NDArray[np.uint64]) -> Block:
        """Write the keys of a part to disk, one row per band, in any thread."""
        return Block(self._keys.append(keys), keys.shape[1])

    def take_keys(self, blocks: list[Block]) -> None:
        """Record the locations of the keys of all parts, in order."""
        self._blocks = blocks

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""
        read_band(self._keys, self._blocks, band, keys)

    def trim(self) -> None:
        """Release the memory taken by reading, if it exceeds the limit."""
        self._data.trim()
