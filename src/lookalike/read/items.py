"""Items for Python callers: whatever the commands can open, as Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import pyarrow as pa

from .opening import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from .base import Batch, KindName, Source
    from .options import Reading


def read_items(inputs: Any, **reading: Unpack[Reading]) -> Items:  # noqa: ANN401 - whatever holds items
    """Open files, folders, globs, frames, lists or matrices, as `find_pairs` and the commands do.

    A string or a `pathlib.Path` names a file, a folder or a glob; a list of paths names several. A list of strings
    holds texts, unless every string ends in the suffix of a data file (such as .parquet or .csv.gz) and at least one of
    them names a file that exists. A list of sets, dicts or lists of numbers holds sets, weighted sets or vectors; but
    dicts are the rows of a table if the first of them has a column that the options name. A dict maps ids to items.
    Everything else is a table, a column or a matrix: pandas, polars, Arrow, DuckDB, NumPy, SciPy.

    >>> items = read_items({"a": "to be or not to be", "b": "that is the question"})
    >>> items.kind, items.estimated_rows
    ('texts', 2)
    >>> items.to_arrow().to_pylist()[1]
    {'id': 'b', 'item': 'that is the question'}

    The options `text`, `id`, `item`, `element`, `weight`, `transpose`, `format`, `include`, `exclude`, `lines`,
    `delimiter`, `encoding`, `encoding_errors`, `batch_bytes` and `scratch` are those of `Settings`. The option `kind`
    is one of texts, tokens, elements (sets), weights (weighted sets), vectors and bits; by default it is recognised.
    """
    return Items(open_source(inputs, **reading))


class Items:
    """Items that can be iterated over any number of times: each pass streams Arrow batches of ids and items.

    >>> with read_items(["one", "two", "three"]) as items:
    ...     for batch in items:
    ...         print(batch["id"].to_pylist(), batch["item"].to_pylist())
    [0, 1, 2] ['one', 'two', 'three']

    Memory stays small: files are read a few megabytes at a time. What can be read only once, such as standard input or
    a stream of batches, is copied to a temporary file, which `close` removes.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._count: int | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Stream batches with two columns: `id` and `item`.

        Where there is no id column, ids are file and row (`data.csv:7`), or the index of an item that is in memory.
        Items have the type that they are compared as: see `kind`.
        """
        count = 0
        for batch in self._source.batches():
            count += len(batch)
            yield pa.record_batch([self._ids(batch), batch.items], names=["id", "item"])
        self._count = count

    def _ids(self, batch: Batch) -> pa.Array:
        if batch.ids is not None:
            return batch.ids
        return self._source.default_ids(np.arange(batch.first, batch.first + len(batch), dtype=np.int64))

    @property
    def kind(self) -> KindName:
        """The kind of the items: texts, tokens, elements, weights, vectors or bits."""
        return self._source.kind

    @property
    def column(self) -> str:
        """Name of the column that holds the items."""
        return self._source.text_column

    @property
    def schema(self) -> pa.Schema:
        """All columns of the input. For JSON Lines the first use reads the files once."""
        return self._source.schema

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are read, in order; empty for items in memory."""
        return self._source.paths

    @property
    def passed_over(self) -> dict[str, int]:
        """Number of files in folders that are not read, by the reason."""
        return dict(self._source.listing.passed_over.counts)

    @property
    def estimated_rows(self) -> int | None:
        """The number of items, exact or estimated from the first lines; None if it is not known before reading."""
        return self._source.estimated_rows() if self._count is None else self._count

    def count(self) -> int:
        """Return the exact number of items; reads them once, unless that has been done."""
        if self._count is None:
            self._count = sum(len(batch) for batch in self._source.batches())
        return self._count

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column of the same items, in the same order, as they are in the input."""
        return self._source.rows()

    def to_arrow(self) -> pa.Table:
        """Return all ids and items as one table, in memory."""
        batches = list(self)
        if not batches:
            return pa.table({"id": pa.array([], pa.large_string()), "item": pa.array([], pa.null())})
        tables = [pa.Table.from_batches([batch]) for batch in batches]
        return pa.concat_tables(tables, promote_options="permissive")

    def close(self) -> None:
        """Remove temporary copies of the input."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        rows = "" if self.estimated_rows is None else f", estimated_rows={self.estimated_rows}"
        return f"Items(kind={self.kind!r}, column={self.column!r}{rows})"
