"""Items as bytes: each compressed on its own, so that one can be read without the others."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

from lookalike.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.shingle import text_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.index.kit import Types

PLAIN, PACKED = b"\0", b"\1"
SHORT = 64
"""Bytes that are not worth compressing."""

LEVEL = 1

_local = threading.local()


def pack(items: pa.Array, types: Types) -> list[bytes]:
    """Return each item as bytes: a text in UTF-8, integers of 64 bits, all else in JSON; a null is an empty item."""
    if types.kind == "texts":
        columns = text_columns(items)
        data, offsets = columns.data.data, columns.offsets
    elif types.element == pa.int64():
        lists = pc.fill_null(items.cast(pa.large_list(pa.int64())), [])
        offsets = np.append(0, np.cumsum(pc.list_value_length(lists).to_numpy() * 8))
        data = lists.flatten().to_numpy().view(np.uint8).data
    else:
        return [squeeze(json.dumps(item or [], ensure_ascii=False).encode()) for item in items.to_pylist()]
    return [squeeze(data[begin:end]) for begin, end in pairwise(offsets.tolist())]


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


def unpack(packed: Iterable[memoryview], types: Types) -> pa.Array:
    """Return items as they were packed."""
    plain = [expand(one) for one in packed]
    if types.kind != "texts" and types.element != pa.int64():
        return pa.array([json.loads(one) for one in plain], pa.large_list(types.element))
    offsets = np.append(0, np.cumsum([len(one) for one in plain], dtype=np.int64))
    data = pa.py_buffer(b"".join(plain))
    if types.kind == "texts":
        return pa.Array.from_buffers(pa.large_string(), len(plain), [None, pa.py_buffer(offsets), data])
    numbers = pa.Array.from_buffers(pa.int64(), int(offsets[-1]) // 8, [None, data])
    return pa.LargeListArray.from_arrays(as_arrow(offsets // 8), numbers)
