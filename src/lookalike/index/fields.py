"""Stored fields: the columns that users give, as the index has them.

The first values of a field settle its type. Later ones are turned into it if that changes nothing about them, and are
refused if it would.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.read.columns import is_list, is_string


def fields_table(fields: Any, names: tuple[str, ...]) -> pa.Table | None:  # noqa: ANN401 - whatever holds columns
    """Return the stored fields as a table of the columns the index has; those that are missing are null."""
    if fields is None or (isinstance(fields, dict) and not fields):
        return None
    try:
        table = pa.table({n: as_column(values) for n, values in fields.items()} if isinstance(fields, dict) else fields)
    except (pa.ArrowException, TypeError, ValueError, UnicodeError, OverflowError) as error:
        raise InputError(
            f"`fields` must be a dict of columns, or a table, with a value of one type for each item ({error})"
        ) from error
    table = table.select([name for name in table.column_names if not name.startswith("__index_level_")])
    if unknown := set(table.column_names) - set(names):
        known = ", ".join(names) or "none"
        raise InputError(f"The index stores the fields {known}, and not {min(unknown)}. Say so when it is made")
    return pa.table({n: table[n] if n in table.column_names else pa.nulls(table.num_rows) for n in names})


def as_column(values: Any) -> Any:  # noqa: ANN401 - whatever holds them
    """Return values that speak Arrow as it has them, and each in full; others as they are."""
    made = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else values
    encoded = isinstance(made, (pa.Array, pa.ChunkedArray)) and pa.types.is_run_end_encoded(made.type)
    return pc.run_end_decode(made) if encoded else made


def lasting(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a field in a type that can be kept: no dictionaries, no views."""
    wanted = lasting_type(values.type)
    if wanted == values.type:
        return values
    if has_list_view(values.type):  # a cast of these loses values, in pyarrow 26
        return pa.chunked_array([pa.array(chunk.to_pylist(), wanted) for chunk in values.chunks], wanted)
    return values.cast(wanted)


def has_list_view(kind: pa.DataType) -> bool:
    """Tell whether there is a list in values of a type that says for each item where it is."""
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        return True
    return any(has_list_view(kind.field(i).type) for i in range(kind.num_fields))


def lasting_type(kind: pa.DataType, *, inside: bool = False) -> pa.DataType:
    """Return the type in which values of a type are kept. What is null inside of lists is one of strings, some day."""

    def inner(kind: pa.DataType) -> pa.DataType:
        return lasting_type(kind, inside=True)

    made = kind
    if pa.types.is_dictionary(kind):
        made = lasting_type(kind.value_type)
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


def settled(schema: pa.Schema, rows: pa.Schema) -> pa.Schema:
    """Return the schema of an index, with the types of fields that had only nulls so far."""
    fields = [rows.field(i) if pa.types.is_null(field.type) else field for i, field in enumerate(schema)]
    return pa.schema(fields)


def conform(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows as the index has them, or say why that cannot be."""
    columns = [
        column if column.type == field.type else turned(column, field)
        for column, field in zip(rows.columns, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)


def turned(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Return values in another type, if they are the same there."""
    if pa.types.is_null(column.type):
        return column.cast(field.type)
    made = None
    if alike(column.type) == alike(field.type):
        with suppress(pa.ArrowException):
            made = column.cast(field.type, safe=False)
    if made is None or repr(made.cast(column.type, safe=False).to_pylist()) != repr(column.to_pylist()):
        raise InputError(
            f"The field {field.name} of this index is of {field.type}. Got {column.type}, which cannot be turned into "
            "that without a change; turn it yourself, or make an index of its own"
        )
    return made


def alike(kind: pa.DataType) -> Any:  # noqa: ANN401 - something to compare
    """Return what is the same for types between which values may be turned."""
    if pa.types.is_boolean(kind):
        return "truth"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "number"
    if pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        return "time"
    if pa.types.is_timestamp(kind):
        return "time somewhere"
    if pa.types.is_struct(kind):
        return [(field.name, alike(field.type)) for field in kind]
    return ["list", alike(kind.value_type)] if is_list(kind) else str(kind)
