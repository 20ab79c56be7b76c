"""Arrow arrays as the buffers that kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import null_as_empty

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Columns:
    """Consecutive items: item i is `data[offsets[i]:offsets[i+1]]`, text or 64-bit numbers."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """The length of the longest item."""
        return int(np.diff(self.offsets).max(initial=0))


@dataclass(frozen=True, slots=True)
class Spans:
    """Items anywhere in a buffer: item i is `data[begins[i]:ends[i]]`."""

    data: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """The length of the longest item."""
        return int((self.ends - self.begins).max(initial=0))


def text_columns(texts: pa.Array) -> Columns:
    """Return the buffers of a string array."""
    texts = null_as_empty(texts)
    wide = pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, np.int64 if wide else np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return Columns(read_only(data, np.uint8), bounds.astype(np.int64))


def read_only(buffer: pa.Buffer | None, dtype: type[np.generic]) -> NDArray[Any]:
    """Return a buffer as an array that cannot be written to; kernels are compiled for such arrays only."""
    array = np.empty(0, dtype) if buffer is None or buffer.size == 0 else np.frombuffer(buffer, dtype)
    array.flags.writeable = False
    return array
