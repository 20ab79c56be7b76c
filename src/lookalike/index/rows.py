"""Items on their way into an index: batches of items with their ids and stored fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.index.fields import fields_table, storable
from lookalike.index.ids import as_ids, batch_ids, refuse_unordered
from lookalike.index.types import Types
from lookalike.kinds import kind_of
from lookalike.read import item_type
from lookalike.read.nested import flat, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.index.handle import Handle
    from lookalike.read import Batch, KindName, Source
    from lookalike.recipe import Recipe

    Seen = Callable[[Batch], None]
    """Called with each batch as it is read."""


@dataclass(frozen=True, slots=True)
class IncomingBatch:
    """A batch of items to add, with their ids and fields."""

    items: pa.Array
    rows: pa.Table


class IncomingItems:
    """Items of a source on their way into an index, batch by batch, with their ids and fields.

    Ids and fields are either passed separately, or read from the columns of the source in step with the items. Items
    without ids are numbered from `next_id`.
    """

    def __init__(self, source: Source, handle: Handle, next_id: int, seen: Seen | None = None) -> None:
        self._source = source
        self._names = handle.fields
        self._handle = handle
        self._schema = handle.snapshot().schema
        self._seen = seen
        self._ids: pa.Array | None = None
        self._fields: Rebatched | None = None
        self.next_id = next_id
        """Greater than any integer id there is, or ever was."""

    def with_columns(self, ids: Any, fields: Any) -> IncomingItems:  # noqa: ANN401 - any columns
        """Use these ids and fields."""
        refuse_unordered(ids)
        self._ids = None if ids is None else as_ids(ids, self._schema)
        table = fields_table(fields, self._names)
        self._fields = None if table is None else Rebatched(iter([table]))
        return self

    def with_source_fields(self) -> IncomingItems:
        """Read the fields from the columns of the source. Fields it does not have are null."""
        if present := [name for name in self._names if path_of(self._source.schema, name)]:
            # pa.table(batch) would make columns keep each other in memory
            self._fields = Rebatched(pa.Table.from_batches([flat(batch, present)]) for batch in self._source.rows())
        return self

    def __iter__(self) -> Iterator[IncomingBatch]:
        done = 0
        for read in self._source.batches():
            batch = fitting(read, self._source, self._handle.snapshot().types, self._handle.recipe)
            if self._seen is not None:
                self._seen(batch)
            ids = self._batch_ids(batch, done)
            if pa.types.is_integer(ids.type) and len(ids):
                self.next_id = max(self.next_id, pc.max(ids).as_py() + 1)
            rows = pa.table({"id": ids})
            fields = pa.table({}) if self._fields is None else self._fields.take(len(batch))
            for name in self._names:
                present = name in fields.column_names
                rows = rows.append_column(name, storable(fields[name]) if present else pa.nulls(len(batch)))
            yield IncomingBatch(plain_items(batch.items, self._handle.kind), rows)
            done += len(batch)
        for what, more in (
            ("ids", 0 if self._ids is None else len(self._ids) - done),
            ("rows of fields", 0 if self._fields is None else self._fields.remaining()),
        ):
            if more:
                raise InputError(f"There are {done:,} items but {done + more:,} {what}. Pass one per item")

    def _batch_ids(self, batch: Batch, done: int) -> pa.Array:
        """Return the ids of a batch, before which `done` items were read."""
        if self._ids is not None:
            ids = self._ids[done : done + len(batch)]
            if len(ids) != len(batch):
                raise InputError(f"There are only {len(self._ids):,} ids for more items. Pass one per item")
            return ids
        if batch.ids is not None:
            return batch_ids(self._source, batch, self._schema)
        if self._schema is not None and not pa.types.is_integer(self._schema.field(0).type):
            raise InputError(
                "This index has strings as ids, so items cannot be numbered. Pass ids, or name their column with `id`"
            )
        if self.next_id + len(batch) > 1 << 63:
            raise InputError("No integers are left to number items. Pass ids, or name their column with `id`")
        return as_ids(range(self.next_id, self.next_id + len(batch)), self._schema)


def plain_items(items: pa.Array, kind: KindName) -> pa.Array:
    """Return items in the Arrow type the index has, however they were read: dictionaries as their values."""
    wanted = Types.of(kind, items).arrow
    if not pa.types.is_large_list(wanted) or items.type == wanted:
        return items
    try:
        return items.cast(wanted)
    except pa.ArrowException as error:
        raise InputError(f"Elements must be strings, or integers below 2^63, all of one type ({error})") from error


def two_items(query: pa.Array, held: pa.Array, kind: KindName) -> pa.Array:
    """Return a query and an item of the index, in one array."""
    return pa.concat_arrays([plain_items(query, kind).cast(held.type), held])


def fitting(batch: Batch, source: Source, types: Types | None, recipe: Recipe) -> Batch:
    """Return a batch in the types of the index: nulls of the type of its items, vectors in their precision.

    Raise if a vector cannot be compared.
    """
    if types is not None and batch.items.null_count == len(batch):
        return replace(batch, items=pa.nulls(len(batch), types.arrow))
    if types is not None and says_no_type(batch.items, types.kind):
        return replace(batch, items=pa.array(batch.items.to_pylist(), types.arrow))
    if types is not None and types.length and batch.items.type.value_type != types.element:
        kind = pa.list_(types.element, batch.items.type.list_size)
        batch = replace(batch, items=batch.items.cast(kind, safe=False))
    kind_of(recipe).check(batch, source, recipe)
    return batch


def says_no_type(items: pa.Array, kind: KindName) -> bool:
    """Return whether items do not determine the type of those of an index: all are null, or empty sets."""
    return items.null_count == len(items) or (item_type(kind).is_set and not len(items.flatten()))


class Rebatched:
    """A stream of tables, regrouped into batches of any length."""

    def __init__(self, tables: Iterator[pa.Table]) -> None:
        self._tables = tables
        self._buffered: list[pa.Table] = []
        self._taken = 0

    def take(self, count: int) -> pa.Table:
        """Return the next `count` rows."""
        while self._rows() < count or not self._buffered:
            following = next(self._tables, None)
            if following is None:
                rows = self._taken + self._rows()
                raise InputError(f"There are only {rows:,} rows of fields for more items. Pass one per item")
            self._buffered.append(following)
        whole = pa.concat_tables(self._buffered)
        self._buffered = [whole.slice(count)]
        self._taken += count
        return whole.slice(0, count)

    def remaining(self) -> int:
        """Return the number of rows left."""
        self._buffered += self._tables
        return self._rows()

    def _rows(self) -> int:
        rows: int = sum(table.num_rows for table in self._buffered)
        return rows


def write_types(types: Types) -> dict[str, Any]:
    """Return types as JSON values."""
    element = None if types.element is None else pa.schema([("element", types.element)]).serialize().to_pybytes().hex()
    return {"kind": types.kind, "element": element, "length": types.length}


def read_types(values: dict[str, Any] | None) -> Types | None:
    """Return types from their JSON values."""
    if values is None:
        return None
    element = values["element"] and pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(values["element"]))).field(0).type
    return Types(values["kind"], element, values["length"])
