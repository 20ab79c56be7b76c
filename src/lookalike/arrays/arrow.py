"""Conversion of NumPy arrays and single values to Arrow.

`pa.array` and `pa.scalar` do the same, but they import pandas first, if it is installed, to check whether their
argument is a pandas object: that wastes a third of a second and 35 MB. The values that every run needs are therefore
built here, from plain buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_arrow(values: NDArray[Any]) -> pa.Array:
    """Return numbers or Booleans as an Arrow array. Numbers are not copied.

    >>> as_arrow(np.array([True, False])).to_pylist()
    [True, False]
    """
    if values.dtype == np.bool_:
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
    numbers = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def nan_as_null(values: NDArray[np.float64]) -> pa.Array:
    """Return numbers as an Arrow array, with null in place of each NaN."""
    known = pa.py_buffer(np.packbits(~np.isnan(values), bitorder="little"))
    return pa.Array.from_buffers(pa.float64(), len(values), [known, as_arrow(values).buffers()[1]])


def few_texts(texts: list[str], kind: pa.DataType) -> pa.Array:
    """Return a few texts as an Arrow array of the given string type."""
    data = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, data)])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers).cast(kind)


def text_value(text: str, kind: pa.DataType) -> pa.Scalar:
    """Return a text as an Arrow scalar of the given string type."""
    data = text.encode()
    one = pa.Array.from_buffers(
        pa.large_string(), 1, [None, pa.py_buffer(np.array([0, len(data)])), pa.py_buffer(data)]
    )
    return one.cast(kind)[0]


def null_as_empty(texts: pa.Array) -> pa.Array:
    """Return texts with an empty text in place of each null."""
    return pc.coalesce(texts, text_value("", texts.type)) if texts.null_count else texts


def null_as_zero(values: pa.Array) -> pa.Array:
    """Return numbers or Booleans with 0, or False, in place of each null."""
    return pc.coalesce(values, as_arrow(np.zeros(1, np.int64)).cast(values.type)[0]) if values.null_count else values
