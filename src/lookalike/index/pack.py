"""How items become bytes in an index, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.features.columns import text_columns
from lookalike.index.storage.packed import compress, decompress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.index.storage.packed import Packed
    from lookalike.index.types import Types


def pack(items: pa.Array, types: Types) -> Packed:
    """Pack items: texts as UTF-8, lists of integers as 64-bit integers, everything else as JSON."""
    nulls = items.is_null().to_numpy(zero_copy_only=False) if items.null_count else None
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
    return compress(data, offsets, nulls)


def unpack(packed: Iterable[memoryview], types: Types) -> pa.Array:
    """Return packed items as they were added."""
    plain = [decompress(one) for one in packed]
    if types.element is not None and types.element != pa.int64():
        return pa.array([None if one is None else json.loads(one) for one in plain], pa.large_list(types.element))
    present = [one or b"" for one in plain]
    offsets = np.append(0, np.cumsum([len(one) for one in present], dtype=np.int64))
    data = pa.py_buffer(b"".join(present))
    nulls = [one is None for one in plain]
    mask = pa.array(nulls) if any(nulls) else None
    if types.element is None:
        validity = None if mask is None else pc.invert(mask).buffers()[1]
        return pa.Array.from_buffers(pa.large_string(), len(plain), [validity, pa.py_buffer(offsets), data])
    numbers = pa.Array.from_buffers(pa.int64(), int(offsets[-1]) // 8, [None, data])
    return pa.LargeListArray.from_arrays(as_arrow(offsets // 8), numbers, mask=mask)
