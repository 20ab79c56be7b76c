"""Items as bytes: each compressed on its own, so that one can be read without the others."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.features.columns import text_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from lookalike.index.kit import Types

PLAIN, MISSING = b"\0", b"\2"
"""How items begin that are as they are, or null, which is all of them. A compressed one begins as Zstandard has it."""

SHORT = 400
"""Bytes that are not worth compressing: it takes microseconds, and saves little."""

HOW = zstandard.ZstdCompressionParameters(compression_level=1, hash_log=12, chain_log=6, search_log=1, min_match=7)
"""Of texts of some thousand bytes, this took a fifth less time than the first level, and 4 % more room."""

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Packed:
    """Items as bytes, one after the other."""

    data: bytes
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, items: Sequence[bytes | memoryview]) -> Packed:
        """Put items together."""
        return cls(b"".join(items), np.array([len(item) for item in items], np.int64))

    def take(self, places: NDArray[np.int64]) -> Packed:
        """Return some of them."""
        ends = np.cumsum(self.lengths)
        begins = (ends - self.lengths)[places].tolist()
        return Packed.of([self.data[begin:end] for begin, end in zip(begins, ends[places].tolist(), strict=True)])


def pack(items: pa.Array, types: Types) -> Packed:
    """Return each item as bytes: a text in UTF-8, integers of 64 bits, all else in JSON."""
    missing = items.is_null().to_numpy(zero_copy_only=False) if items.null_count else None
    if types.element is None:
        columns = text_columns(items)
        data, offsets = columns.data.data, columns.offsets
    elif types.element == pa.int64():
        lists = pc.fill_null(items.cast(pa.large_list(pa.int64())), [])
        offsets = np.append(0, np.cumsum(pc.list_value_length(lists).to_numpy() * 8))
        data = lists.flatten().to_numpy().view(np.uint8).data
    else:
        texts = [b"" if one is None else json.dumps(one, ensure_ascii=False).encode() for one in items.to_pylist()]
        offsets = np.append(0, np.cumsum([len(text) for text in texts], dtype=np.int64))
        data = memoryview(b"".join(texts))
    return squeeze(data, offsets, missing)


def squeeze(data: memoryview, offsets: NDArray[np.int64], missing: NDArray[np.bool_] | None) -> Packed:
    """Compress the bytes from each offset to the next, if that makes them fewer; in one go, without Python's lock."""
    lengths = np.diff(offsets)
    long = np.flatnonzero(lengths >= SHORT)
    frames = compressed(data, offsets[:-1][long], lengths[long])
    packed = np.array([len(frame) for frame in frames], np.int64)
    if len(long) == len(lengths) and (packed <= lengths).all():
        return Packed(b"".join(frames), packed)
    pieces: list[Any] = [data[begin:end] for begin, end in pairwise(offsets.tolist())]
    prefixes = [PLAIN] * len(pieces)
    lengths += 1
    for item in () if missing is None else np.flatnonzero(missing).tolist():
        prefixes[item] = MISSING
    for place in np.flatnonzero(packed < lengths[long]).tolist():
        item = int(long[place])
        prefixes[item], pieces[item], lengths[item] = b"", frames[place], packed[place]
    return Packed(b"".join(chain.from_iterable(zip(prefixes, pieces, strict=True))), lengths)


def compressed(data: memoryview, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[Any]:
    """Return some runs of bytes, each compressed on its own."""
    if not len(begins):
        return []
    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(compression_params=HOW)
    segments = np.stack((begins, lengths), axis=1).astype(np.uint64)
    return list(_local.compressor.multi_compress_to_buffer(zstandard.BufferWithSegments(data, segments.tobytes())))


def expand(data: memoryview) -> bytes | None:
    """Return the bytes that were compressed; None for an item that is null."""
    if data[:1] == PLAIN:
        return bytes(data[1:])
    if data == MISSING:
        return None
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    try:
        expanded: bytes = _local.decompressor.decompress(data)
    except zstandard.ZstdError as error:
        raise InputError(f"an item is damaged: {error}. Run lookalike index check") from error
    return expanded


def unpack(packed: Iterable[memoryview], types: Types) -> pa.Array:
    """Return items as they were packed."""
    plain = [expand(one) for one in packed]
    if types.element is not None and types.element != pa.int64():
        return pa.array([None if one is None else json.loads(one) for one in plain], pa.large_list(types.element))
    there = [one or b"" for one in plain]
    offsets = np.append(0, np.cumsum([len(one) for one in there], dtype=np.int64))
    data = pa.py_buffer(b"".join(there))
    missing = [one is None for one in plain]
    mask = pa.array(missing) if any(missing) else None
    if types.element is None:
        validity = None if mask is None else pc.invert(mask).buffers()[1]
        return pa.Array.from_buffers(pa.large_string(), len(plain), [validity, pa.py_buffer(offsets), data])
    numbers = pa.Array.from_buffers(pa.int64(), int(offsets[-1]) // 8, [None, data])
    return pa.LargeListArray.from_arrays(as_arrow(offsets // 8), numbers, mask=mask)
