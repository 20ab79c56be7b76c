"""Stored fields: columns that users pass along with items.

The first values of a field determine its type. Later values are converted to it if that is lossless, and rejected
otherwise.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.read.columns import is_list, is_string


def fields_table(fields: Any, names: tuple[str, ...]) -> pa.Table | None:  # noqa: ANN401 - any collection of columns
    """Return fields as a table with the columns of the index; missing ones are null."""
    if fields is None or (isinstance(fields, dict) and not fields):
        return None
    try:
        table = pa.table({n: as_column(values) for n, values in fields.items()} if isinstance(fields, dict) else fields)
    except (pa.ArrowException, TypeError, ValueError, UnicodeError, OverflowError) as error:
        raise InputError(
            f"`fields` must be a dict of columns, or a table, with one value per item, all of one type ({error})"
        ) from error
    table = table.select([name for name in table.column_names if not name.startswith("__index_level_")])
    if unknown := set(table.column_names) - set(names):
        known = ", ".join(names) or "none"
        raise InputError(
            f"This index has no field {min(unknown)}; its fields are {known}. Fields are named when an index is created"
        )
    return pa.table({n: table[n] if n in table.column_names else pa.nulls(table.num_rows) for n in names})


def as_column(values: Any) -> Any:  # noqa: ANN401 - any collection of values
    """Return values of Arrow-compatible libraries as Arrow arrays, without run-end encoding; others unchanged."""
    made = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else values
    encoded = isinstance(made, (pa.Array, pa.ChunkedArray)) and pa.types.is_run_end_encoded(made.type)
    return pc.run_end_decode(made) if encoded else made


def storable(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a field in a type that can be stored: no dictionaries, no views."""
    wanted = storable_type(values.type)
    if wanted == values.type:
        return values
    if has_list_view(values.type):  # casting these loses values in pyarrow 26
        return pa.chunked_array([pa.array(chunk.to_pylist(), wanted) for chunk in values.chunks], wanted)
    return values.cast(wanted)


def has_list_view(kind: pa.DataType) -> bool:
    """Return whether a type is a list view, or contains one."""
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        return True
    return any(has_list_view(kind.field(i).type) for i in range(kind.num_fields))


def storable_type(kind: pa.DataType, *, inside: bool = False) -> pa.DataType:
    """Return the type in which values of a type are stored. Inside lists and structs, null becomes string."""

    def inner(kind: pa.DataType) -> pa.DataType:
        return storable_type(kind, inside=True)

    made = kind
    if pa.types.is_dictionary(kind):
        made = storable_type(kind.value_type)
    elif is_string(kind) or (inside and pa.types.is_null(kind)):
        made = pa.large_string()
    elif pa.types.is_binary(kind) or pa.types.is_binary_view(kind):
        made = pa.large_binary()
    elif pa.types.is_struct(kind):
        made = pa.struct([field.with_type(inner(field.type)) for field in kind])
    elif pa.types.is_map(kind):
        made = pa.map_(inner(kind.key_type), inner(kind.item_type))
    elif pa.types.is_fixed_size_list(kind):
        made = pa.list_(inner(kind.value_type), kind.list_size)
    elif is_list(kind):
        made = pa.large_list(inner(kind.value_type))
    return made


def complete_schema(schema: pa.Schema, rows: pa.Schema) -> pa.Schema:
    """Return the schema of an index, with types from `rows` for fields that had only nulls so far."""
    fields = [rows.field(i) if pa.types.is_null(field.type) else field for i, field in enumerate(schema)]
    return pa.schema(fields)


def conform(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows in the schema of the index, or raise if that would lose anything."""
    columns = [
        column if column.type == field.type else convert(column, field)
        for column, field in zip(rows.columns, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)


def convert(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Convert values to the type of a field, or raise if that is not lossless."""
    if pa.types.is_null(column.type):
        return column.cast(field.type)
    made = None
    if type_family(column.type) == type_family(field.type):
        with suppress(pa.ArrowException):
            made = column.cast(field.type, safe=False)
    if made is None or repr(made.cast(column.type, safe=False).to_pylist()) != repr(column.to_pylist()):
        raise InputError(
            f"The field {field.name} of this index has type {field.type}. Got {column.type}, which cannot be converted "
            "without loss; convert it, or create another index"
        )
    return made


def type_family(kind: pa.DataType) -> Any:  # noqa: ANN401 - a nested structure to compare
    """Return a value that is equal for types between which values may be converted."""
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "number"
    if pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        return "time"
    if pa.types.is_timestamp(kind):
        return "time with zone"
    if pa.types.is_struct(kind):
        return [(field.name, type_family(field.type)) for field in kind]
    return ["list", type_family(kind.value_type)] if is_list(kind) else str(kind)
