"""Ids and stored fields of items, as tables of one schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.index.kit import Types
from lookalike.read.columns import is_string
from lookalike.vectors import refuse_wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.index.index import Index
    from lookalike.read import Source


@dataclass(frozen=True, slots=True)
class Incoming:
    """Some items that are to be added, with their ids and fields."""

    items: pa.Array
    rows: pa.Table


def as_ids(ids: Any, schema: pa.Schema | None) -> pa.Array:  # noqa: ANN401 - whatever holds them
    """Return ids as an array: of strings, or of integers, as those of the index are."""
    if isinstance(ids, (str, bytes)):
        raise InputError(f"ids must be a list of strings or integers. Got the single one {ids!r}")
    try:
        made = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids)
    except (UnicodeError, OverflowError, TypeError, pa.ArrowException) as error:
        raise InputError(f"ids must be strings, or integers below 2^63, all of one type ({error})") from error
    if isinstance(made, pa.ChunkedArray):
        made = made.combine_chunks()
    if made.null_count:
        raise InputError("An id is missing: every item needs one. Leave ids out to have items numbered")
    if is_string(made.type) or pa.types.is_null(made.type):
        made = made.cast(pa.large_string())
    elif pa.types.is_integer(made.type):
        made = made.cast(pa.int64())
    else:
        raise InputError(f"ids must be strings or integers. Got {made.type}")
    if schema is not None and len(made) and made.type != schema.field(0).type:
        raise InputError(f"The ids of this index are of {schema.field(0).type}. Got {made.type}, such as {made[0]}")
    return made if schema is None else made.cast(schema.field(0).type)


def rows_of(source: Source, ids: Any, fields: Any, index: Index, first: int) -> Iterator[Incoming]:  # noqa: ANN401 - whatever holds them
    """Yield the items of a source with their ids and fields, batch by batch; without ids they are numbered on."""
    view = index.view()
    given = None if ids is None else as_ids(ids, view.schema)
    stored = fields_table(fields, index.fields)
    done = 0
    for batch in source.batches():
        if index.kind == "vectors":
            refuse_wrong(batch, source, index.recipe.measure)
        part = slice(done, done + len(batch))
        if given is not None:
            named = given[part]
        elif batch.ids is not None:
            named = as_ids(batch.ids, view.schema)
        else:
            named = as_ids(as_arrow(np.arange(part.start, part.stop) + first), view.schema)
        if len(named) != len(batch):
            raise InputError(f"There are {len(given or ())} ids for more items than that. Give one for each")
        rows = pa.table({"id": named})
        for name in index.fields:
            column = None if stored is None else stored.column(name).slice(done, len(batch))
            rows = rows.append_column(name, pa.nulls(len(batch)) if column is None else column)
        yield Incoming(batch.items, rows)
        done += len(batch)
    for name, size in (("ids", None if given is None else len(given)), ("rows of fields", stored and stored.num_rows)):
        if size is not None and size != done:
            raise InputError(f"There are {done:,} items and {size:,} {name}. Give one for each")


def fields_table(fields: Any, names: tuple[str, ...]) -> pa.Table | None:  # noqa: ANN401 - whatever holds columns
    """Return the stored fields as a table of the columns the index has; those that are missing are null."""
    if fields is None:
        return None
    table = fields if isinstance(fields, pa.Table) else pa.table(fields)
    if unknown := set(table.column_names) - set(names):
        known = ", ".join(names) or "none"
        raise InputError(f"The index stores the fields {known}, and not {min(unknown)}. Say so when it is made")
    return pa.table({n: table[n] if n in table.column_names else pa.nulls(table.num_rows) for n in names})


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


def conform(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows as the index has them, or say why that cannot be."""
    try:
        return rows.cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"The ids or fields do not fit those of the index: {error}") from error
