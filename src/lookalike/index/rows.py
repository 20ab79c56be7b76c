"""Ids and stored fields of items, as tables of one schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.index.fields import fields_table, lasting
from lookalike.index.kit import Types
from lookalike.read.columns import is_string
from lookalike.store.vectors import refuse_wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike.index.handle import Opened
    from lookalike.measures import Measure
    from lookalike.read import Batch, Kind, Source

    Seen = Callable[[Batch], None]
    """Somebody who is shown each batch as it is read."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Some items that are to be added, with their ids and fields."""

    items: pa.Array
    rows: pa.Table


def as_ids(ids: Any, schema: pa.Schema | None) -> pa.Array:  # noqa: ANN401 - whatever holds them
    """Return ids as an array: of strings, or of integers, as those of the index are."""
    if isinstance(ids, (str, bytes, int)):
        raise InputError(f"ids must be a list of strings or integers. Got the single one {ids!r}")
    try:
        made = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids)
    except (UnicodeError, OverflowError, TypeError, ValueError, LookupError, pa.ArrowException) as error:
        raise InputError(f"ids must be strings, or integers below 2^63, all of one type ({error})") from error
    if isinstance(made, pa.ChunkedArray):
        made = made.combine_chunks()
    if pa.types.is_dictionary(made.type):
        made = made.dictionary_decode()
    if made.null_count:
        raise InputError("An id is missing: every item needs one. Leave ids out to have items numbered")
    if is_string(made.type) or pa.types.is_null(made.type):
        made = made.cast(pa.large_string())
    elif pa.types.is_integer(made.type):
        try:
            made = made.cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise InputError(f"ids that are integers must be below 2^63 ({error})") from error
    else:
        raise InputError(f"ids must be strings or integers. Got {made.type}")
    if schema is not None and len(made) and made.type != schema.field(0).type:
        raise InputError(
            f"The ids of this index are of {schema.field(0).type}. Got {made.type}, such as {made[0]}; turn them into "
            "that"
        )
    return made if schema is None else made.cast(schema.field(0).type)


def refuse_unordered(ids: Any) -> None:  # noqa: ANN401 - whatever holds them
    """Raise if ids that go with items one by one have no order."""
    if isinstance(ids, (set, frozenset)):
        raise InputError("ids must come in the order of the items, and a set has none. Give a list")


class Arriving:
    """Items of a source on their way into an index, batch by batch, with their ids and fields.

    Ids and fields are given as wholes, or come from the source: of its id column, and of its columns, in step with the
    items. Where there are no ids, items are numbered on from `next_id`.
    """

    def __init__(self, source: Source, opened: Opened, next_id: int, seen: Seen | None = None) -> None:
        self._source = source
        self._names = opened.fields
        self._opened = opened
        self._schema = opened.view().schema
        self._seen = seen
        self._ids: pa.Array | None = None
        self._fields: Cut | None = None
        self.next_id = next_id
        """Above every integer that is an id, now or once."""

    def with_columns(self, ids: Any, fields: Any) -> Arriving:  # noqa: ANN401 - whatever holds them
        """Take ids and fields from here."""
        refuse_unordered(ids)
        self._ids = None if ids is None else as_ids(ids, self._schema)
        table = fields_table(fields, self._names)
        self._fields = None if table is None else Cut(iter([table]))
        return self

    def with_own_fields(self) -> Arriving:
        """Take the fields from the columns of the source; those that it does not have are null."""
        if there := [name for name in self._names if name in self._source.schema.names]:
            # not pa.table(batch), whose columns keep each other in memory
            self._fields = Cut(pa.Table.from_batches([batch.select(there)]) for batch in self._source.rows())
        return self

    def __iter__(self) -> Iterator[Incoming]:
        done = 0
        for read in self._source.batches():
            batch = fitting(read, self._source, self._opened.view().types, self._opened.recipe.measure)
            if self._seen is not None:
                self._seen(batch)
            ids = self._named(batch, done)
            if pa.types.is_integer(ids.type) and len(ids):
                self.next_id = max(self.next_id, pc.max(ids).as_py() + 1)
            rows = pa.table({"id": ids})
            fields = pa.table({}) if self._fields is None else self._fields.take(len(batch))
            for name in self._names:
                there = name in fields.column_names
                rows = rows.append_column(name, lasting(fields[name]) if there else pa.nulls(len(batch)))
            yield Incoming(plain_items(batch.items, self._opened.kind), rows)
            done += len(batch)
        for what, more in (
            ("ids", 0 if self._ids is None else len(self._ids) - done),
            ("rows of fields", 0 if self._fields is None else self._fields.rest()),
        ):
            if more:
                raise InputError(f"There are {done:,} items and {done + more:,} {what}. Give one for each")

    def _named(self, batch: Batch, done: int) -> pa.Array:
        """Return the ids of a batch, before which there were so many items."""
        if self._ids is not None:
            ids = self._ids[done : done + len(batch)]
            if len(ids) != len(batch):
                raise InputError(f"There are {len(self._ids):,} ids for more items than that. Give one for each")
            return ids
        if batch.ids is not None:
            return own_ids(self._source, batch, self._schema)
        if self._schema is not None and not pa.types.is_integer(self._schema.field(0).type):
            raise InputError("The ids of this index are strings, so items cannot be numbered. Say what their ids are")
        if self.next_id + len(batch) > 1 << 63:
            raise InputError("An id of this index is so large that items cannot be numbered on. Say what their ids are")
        return as_ids(range(self.next_id, self.next_id + len(batch)), self._schema)


def plain_items(items: pa.Array, kind: Kind) -> pa.Array:
    """Return items as an index has them, however they were read: a dictionary of elements is one for its values."""
    wanted = Types.of(kind, items).arrow
    if kind in ("texts", "vectors", "bits") or items.type == wanted:
        return items
    try:
        return items.cast(wanted)
    except pa.ArrowException as error:
        raise InputError(f"Elements must be strings, or integers below 2^63, all of one type ({error})") from error


def two_items(asked: pa.Array, held: pa.Array, kind: Kind) -> pa.Array:
    """Return an item that is asked about and one of the index, in one array."""
    return pa.concat_arrays([plain_items(asked, kind).cast(held.type), held])


def fitting(batch: Batch, source: Source, types: Types | None, measure: Measure) -> Batch:
    """Return a batch as the index has its items: nulls of their type, vectors in their precision.

    Raise where a vector cannot be compared.
    """
    if types is not None and batch.items.null_count == len(batch):
        return replace(batch, items=pa.nulls(len(batch), types.arrow))
    if types is not None and types.kind == "vectors" and batch.items.type.value_type != types.element:
        kind = pa.list_(types.element, batch.items.type.list_size)
        batch = replace(batch, items=batch.items.cast(kind, safe=False))
    if measure.of == "vectors":
        refuse_wrong(batch, source, measure)
    return batch


class Cut:
    """Tables one after the other, cut anew in runs of any length."""

    def __init__(self, tables: Iterator[pa.Table]) -> None:
        self._tables = tables
        self._waiting: list[pa.Table] = []
        self._taken = 0

    def take(self, count: int) -> pa.Table:
        """Return the next rows, so many of them."""
        while self._rows() < count or not self._waiting:
            following = next(self._tables, None)
            if following is None:
                rows = self._taken + self._rows()
                raise InputError(f"There are {rows:,} rows of fields for more items than that. Give one for each")
            self._waiting.append(following)
        whole = pa.concat_tables(self._waiting)
        self._waiting = [whole.slice(count)]
        self._taken += count
        return whole.slice(0, count)

    def rest(self) -> int:
        """Return how many rows are left."""
        self._waiting += self._tables
        return self._rows()

    def _rows(self) -> int:
        rows: int = sum(table.num_rows for table in self._waiting)
        return rows


def own_ids(source: Source, batch: Batch, schema: pa.Schema | None) -> pa.Array:
    """Return the ids that a batch has, as an index has them: CSV says of no number that it is one."""
    numbers = schema is not None and pa.types.is_integer(schema.field(0).type)
    if not numbers or source.format != "csv" or batch.ids is None:
        return as_ids(batch.ids, schema)
    try:
        return as_ids(batch.ids.cast(pa.int64()), schema)
    except pa.ArrowInvalid as error:
        raise InputError(f"The ids of this index are integers, and not all of these are: {error}") from error


def write_types(types: Types) -> dict[str, Any]:
    """Return types as plain values."""
    element = None if types.element is None else pa.schema([("element", types.element)]).serialize().to_pybytes().hex()
    return {"kind": types.kind, "element": element, "length": types.length}


def read_types(values: dict[str, Any] | None) -> Types | None:
    """Return types that were written."""
    if values is None:
        return None
    element = values["element"] and pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(values["element"]))).field(0).type
    return Types(values["kind"], element, values["length"])
