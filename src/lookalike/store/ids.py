"""The names of items, kept on disk until results need some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.arrays.groups import find_groups
from lookalike.errors import InputError
from lookalike.features.columns import text_columns
from lookalike.kernels.tokens import hash_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.read import Source
    from lookalike.resources.scratch import Column, Scratch

FIELD = "id"


class Ids:
    """The id of every item of a source: its id column, or the names the source gives where there is none."""

    def __init__(self, source: Source, scratch: Scratch) -> None:
        self._source = source
        self._hashes: Column[np.uint64] = scratch.column(np.uint64)
        self._file = scratch.file() if source.has_ids else None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def append(self, ids: pa.Array | None) -> None:
        """Take the ids of the next items."""
        if ids is None:
            return
        if self._writer is None:
            self._writer = pa.ipc.new_stream(pa.PythonFile(self._file, "w"), pa.schema([(FIELD, ids.type)]))
        self._writer.write_batch(pa.record_batch([ids], names=[FIELD]))
        self._hashes.append(hash_ids(ids))

    def finish(self) -> None:
        """Check that no id occurs twice."""
        if self._writer is not None:
            self._writer.close()
            self._refuse_repeated()
            self._hashes.close()

    def take(self, items: NDArray[np.int64]) -> pa.Array:
        """Return the ids of items, given by index in any order."""
        if self._file is None or self._writer is None:
            return self._source.default_ids(items)
        wanted, place = np.unique(items, return_inverse=True)
        parts = [
            batch.column(0).take(as_arrow(wanted[low:high] - first)) for batch, first, low, high in self._runs(wanted)
        ]
        return pa.concat_arrays(parts).take(as_arrow(place)) if parts else pa.array([], self._type)

    @property
    def _type(self) -> pa.DataType:
        return pa.ipc.open_stream(self._rewound()).schema.field(0).type

    def _rewound(self) -> pa.PythonFile:
        assert self._file is not None  # noqa: S101 - for the type checker
        self._file.seek(0)
        return pa.PythonFile(self._file, "r")

    def _runs(self, wanted: NDArray[np.int64]) -> Iterator[tuple[pa.RecordBatch, int, int, int]]:
        """Yield each stored batch that holds wanted items, its first item, and which of the wanted it holds."""
        first = 0
        for batch in pa.ipc.open_stream(self._rewound()):
            low, high = np.searchsorted(wanted, (first, first + len(batch)))
            if high > low:
                yield batch, first, int(low), int(high)
            first += len(batch)

    def _refuse_repeated(self) -> None:
        """Raise if an id occurs twice. Equal hashes are suspects; their ids decide."""
        keys = self._hashes.view().copy()
        repeated, _ = find_groups(keys, np.arange(len(keys), dtype=np.int32))
        if not len(repeated):
            return
        suspects = np.sort(repeated.astype(np.int64))
        seen: dict[object, int] = {}
        for item, value in zip(suspects.tolist(), self.take(suspects).to_pylist(), strict=True):
            if value in seen:
                first, second = self._source.locate(seen[value]), self._source.locate(item)
                raise InputError(
                    f"The id {value!r} occurs twice: {first} and {second}. Ids must be unique; "
                    "choose another column with --id, or none to use file and row"
                )
            seen[value] = item


def hash_ids(ids: pa.Array) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each id."""
    texts = ids if pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type) else ids.cast(pa.string())
    columns = text_columns(texts)
    hashes = np.empty(len(ids), np.uint64)
    hash_texts(columns.data, columns.offsets, hashes)
    return hashes
