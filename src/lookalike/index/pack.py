"""Items as bytes: each compressed on its own, so that one can be read without the others."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

from lookalike.errors import InputError
from lookalike.shingle import text_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lookalike.read import Kind

Form = Literal["text", "numbers", "json"]
"""How an item becomes bytes: UTF-8; 64-bit integers; JSON."""

PLAIN, PACKED = b"\0", b"\1"
SHORT = 64
"""Bytes that are not worth compressing."""

LEVEL = 1

_local = threading.local()


def form_of(kind: Kind, items: pa.Array) -> Form:
    """Return how items of a kind are written."""
    if kind == "texts":
        return "text"
    if kind == "tokens" or (kind == "elements" and pa.types.is_integer(items.type.value_type)):
        return "numbers"
    return "json"


def pack(items: pa.Array, form: Form) -> list[bytes]:
    """Return each item as bytes; a null is an empty item."""
    if form == "json":
        return [squeeze(json.dumps(item or [], ensure_ascii=False).encode()) for item in items.to_pylist()]
    if form == "numbers":
        lists = pc.fill_null(items.cast(pa.large_list(pa.int64())), [])
        values = lists.flatten().to_numpy().view(np.uint8)
        ends = np.cumsum(pc.list_value_length(lists).to_numpy() * 8)
        data, offsets = values.data, np.append(0, ends)
    else:
        columns = text_columns(items)
        data, offsets = columns.data.data, columns.offsets
    bounds = offsets.tolist()
    return [squeeze(data[begin:end]) for begin, end in pairwise(bounds)]


def squeeze(data: bytes | memoryview) -> bytes:
    """Compress some bytes, if that makes them fewer."""
    if len(data) >= SHORT:
        if not hasattr(_local, "compressor"):
            _local.compressor = zstandard.ZstdCompressor(level=LEVEL)
        packed: bytes = _local.compressor.compress(data)
        if len(packed) < len(data):
            return PACKED + packed
    return PLAIN + bytes(data)


def expand(data: memoryview) -> bytes:
    """Return the bytes that were compressed."""
    if data[:1] == PLAIN:
        return bytes(data[1:])
    if data[:1] != PACKED:
        raise InputError("an item is damaged: it begins as none does. Run lookalike index check")
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    try:
        expanded: bytes = _local.decompressor.decompress(data[1:])
    except zstandard.ZstdError as error:
        raise InputError(f"an item is damaged: {error}. Run lookalike index check") from error
    return expanded


def unpack(packed: Iterable[memoryview], form: Form, element: pa.DataType | None) -> pa.Array:
    """Return items as they were packed; `element` is the type of the elements of lists."""
    plain = [expand(one) for one in packed]
    if form == "json":
        return pa.array([json.loads(one) for one in plain], pa.large_list(element or pa.string()))
    offsets = np.append(0, np.cumsum([len(one) for one in plain], dtype=np.int64))
    data = pa.py_buffer(b"".join(plain))
    if form == "numbers":
        numbers = pa.Array.from_buffers(pa.int64(), int(offsets[-1]) // 8, [None, data])
        return pa.LargeListArray.from_arrays(pa.array(offsets // 8), numbers)
    return pa.Array.from_buffers(pa.large_string(), len(plain), [None, pa.py_buffer(offsets), data])


def as_python(item: Any) -> str | Sequence[Any]:  # noqa: ANN401 - an Arrow scalar
    """Return an item as users know it."""
    value: str | Sequence[Any] = item.as_py()
    return value
