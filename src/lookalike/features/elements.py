"""Lists of numbers and sets of elements as features: token ids in order, and the elements of baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import null_as_zero
from lookalike.errors import InputError
from lookalike.features.columns import Columns, read_only, text_columns
from lookalike.features.shingles import Shingler, runs
from lookalike.kernels import shingles as kernels
from lookalike.kernels.tokens import hash_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.features.columns import Spans


NUMBER = 8
"""Bytes of a token id."""


class TokenShingler(Shingler):
    """Makes shingles of consecutive token ids."""

    def columns(self, items: pa.Array) -> Columns:
        """Return lists of token ids."""
        return number_columns(items)

    def readable(self, item: Any) -> str:  # noqa: ANN401 - a list of numbers
        """Return token ids separated by spaces."""
        return " ".join(map(str, item or []))

    def readable_bytes(self, data: NDArray[np.uint8], limit: int) -> tuple[str, int]:
        """Return token ids up to a limit of bytes, and how many follow."""
        held = data[:limit]
        return self.readable(held.view(np.int64).tolist()), (data.size - held.size) // NUMBER

    def token_bounds(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each number begins and ends."""
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        return runs(codes != ord(" "))

    def _write_grams(self, items: Spans, out: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        kernels.number_grams(items.data, items.begins, items.ends, self._size, out, counts)


class ElementShingler(TokenShingler):
    """Takes the elements of sets as they are: shingles of size 1."""

    def columns(self, items: pa.Array) -> Columns:
        """Return sets of elements as numbers."""
        return element_columns(items)


def number_columns(items: pa.Array) -> Columns:
    """Return the buffers of an array of lists of integers."""
    items = pc.fill_null(items.cast(pa.large_list(pa.int64())), [])
    values = items.values
    if values.null_count:
        raise InputError("A list of token ids holds a null. Drop it, or give it an id of its own")
    bounds = np.frombuffer(items.buffers()[1], np.int64)[items.offset : items.offset + len(items) + 1]
    numbers = read_only(values.buffers()[1], np.int64)[values.offset : values.offset + len(values)]
    return Columns(numbers.view(np.uint8), bounds * numbers.itemsize)


def element_columns(sets: pa.Array) -> Columns:
    """Return lists of elements as 64-bit numbers: integers as they are, floats by their bits, strings by a hash."""
    sizes = null_as_zero(pc.list_value_length(sets)).to_numpy()
    numbers = element_numbers(sets.flatten())
    numbers.flags.writeable = False
    return Columns(numbers.view(np.uint8), np.append(0, np.cumsum(sizes)) * numbers.itemsize)


def element_numbers(elements: pa.Array) -> NDArray[np.int64]:
    """Return a number per element, the same for equal ones."""
    numbers: NDArray[np.int64]
    if pa.types.is_dictionary(elements.type):
        numbers = element_numbers(elements.dictionary)[elements.indices.to_numpy()]
    elif pa.types.is_integer(elements.type):
        numbers = elements.to_numpy()
    elif pa.types.is_floating(elements.type):
        numbers = (elements.to_numpy() + 0.0).view(np.int64)  # so that -0.0 equals 0.0
    else:
        columns = text_columns(elements)
        hashes = np.empty(len(elements), np.uint64)
        hash_texts(columns.data, columns.offsets, hashes)
        numbers = hashes.view(np.int64)
    return numbers
