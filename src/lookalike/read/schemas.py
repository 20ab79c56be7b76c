"""One schema for files that differ, and rows cast to it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from lookalike.errors import InputError

from .columns import is_string, without_views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def merge(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Return all columns in the order they first appear; types that have no common one become strings.

    Schemas that are all equal stay as they are, metadata included.
    """
    distinct = list(schemas)
    if not distinct:
        return pa.schema([])
    if all(schema.equals(distinct[0], check_metadata=True) for schema in distinct[1:]):
        return distinct[0]
    fields: dict[str, pa.Field] = {}
    for schema in distinct:
        for field in schema:
            fields[field.name] = _merge_fields(fields[field.name], field) if field.name in fields else field
    return pa.schema(list(fields.values()), metadata=distinct[0].metadata)


def _merge_fields(left: pa.Field, right: pa.Field) -> pa.Field:
    if left.equals(right):
        return left
    try:
        return pa.unify_schemas([pa.schema([left]), pa.schema([right])], promote_options="permissive").field(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.field(left.name, pa.large_string())


def conversions(schemas: Iterable[tuple[str, pa.Schema]]) -> Iterator[tuple[str, str]]:
    """Yield each column that `merge` makes strings although some files have other values, with a note that says so.

    Args:
        schemas: The name of each file, and its columns as far as they are known cheaply.

    """
    types: dict[str, dict[pa.DataType, str]] = {}
    for label, schema in schemas:
        for field in schema:
            if not pa.types.is_null(field.type):
                types.setdefault(field.name, {}).setdefault(field.type, label)
    for name, places in types.items():
        merged = reduce(_merge_fields, (pa.field(name, one) for one in places))
        changed = next((one for one in places if not _is_text(one)), None)
        if len(places) > 1 and _is_text(merged.type) and changed is not None:
            other = next(one for one in places if one != changed)
            yield (
                name,
                (
                    f"column {name!r} is {changed} in {places[changed]}, but {other} in {places[other]}: it is read as "
                    "strings"
                ),
            )


def _is_text(arrow_type: pa.DataType) -> bool:
    value_type = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
    return is_string(value_type)


def conform(batch: pa.RecordBatch, schema: pa.Schema, label: str) -> pa.RecordBatch:
    """Cast rows to a schema; columns they lack are null."""
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    if batch.schema.names == schema.names:  # also right when a name occurs twice
        arrays = [_cast(batch.column(i), schema.field(i), label) for i in range(len(schema))]
    else:
        present = set(batch.schema.names)
        arrays = [
            _cast(batch.column(field.name), field, label)
            if field.name in present
            else pa.nulls(batch.num_rows, field.type)
            for field in schema
        ]
    return pa.record_batch(arrays, schema=schema)


def _cast(array: pa.Array, field: pa.Field, label: str) -> pa.Array:
    if array.type == field.type:
        return array
    try:
        return without_views(array, field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise InputError(
            f"{label}: column {field.name!r} is {array.type}, which cannot become {field.type}; "
            "convert it, or read files of different schemas separately"
        ) from error
