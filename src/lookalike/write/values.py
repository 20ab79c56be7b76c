"""Arrow values of any type as JSON and CSV can hold them.

Dates and times become ISO strings, decimals strings with all their digits, bytes base64, NaN and infinities null;
for CSV, lists and structs become JSON.
"""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def json_lines(batch: pa.RecordBatch) -> bytes:
    """Return rows as JSON Lines."""
    names = batch.schema.names
    columns = [_json_values(batch.column(i)) for i in range(batch.num_columns)]
    lines = [_encode(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]
    return ("\n".join(lines) + "\n").encode() if lines else b""


def csv_schema(schema: pa.Schema) -> pa.Schema:
    """Return the types that columns have in CSV."""
    return pa.schema([pa.field(field.name, _csv_type(field.type)) for field in schema])


def csv_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Cast rows to the types that columns have in CSV."""
    arrays = [_csv_column(batch.column(i), schema.field(i).type) for i in range(batch.num_columns)]
    return pa.record_batch(arrays, schema=schema)


def _csv_type(arrow_type: pa.DataType) -> pa.DataType:
    """Keep what Arrow's writer takes; it quotes strings and leaves numbers bare."""
    if pa.types.is_dictionary(arrow_type):
        return _csv_type(arrow_type.value_type)
    bare = pa.types.is_primitive(arrow_type) or pa.types.is_string(arrow_type) or pa.types.is_null(arrow_type)
    return arrow_type if bare or pa.types.is_decimal(arrow_type) else pa.large_string()


def _csv_column(array: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type == arrow_type:
        return array
    if pa.types.is_string_view(array.type):
        return array.cast(arrow_type)
    return pa.array([_csv_value(value) for value in _json_values(array)], type=arrow_type)


def _csv_value(value: Any) -> str | None:  # noqa: ANN401  any Arrow value
    if value is None or isinstance(value, str):
        return value
    plain = value if isinstance(value, (list, dict)) else _plain(value)
    return plain if isinstance(plain, str) else _encode(plain)


def _json_values(array: pa.Array) -> list[Any]:
    """Return a column as Python values; times as strings made by Arrow, which keeps nanoseconds and far years."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    arrow_type = _json_type(array.type)
    if pa.types.is_timestamp(array.type):
        array = pc.replace_substring(array.cast(arrow_type), " ", "T", max_replacements=1)
    elif arrow_type != array.type:
        array = array.cast(arrow_type)
    values: list[Any] = (
        array.to_pylist(maps_as_pydicts="lossy") if pa.types.is_nested(arrow_type) else array.to_pylist()
    )
    return values


def _json_type(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(arrow_type) or pa.types.is_time64(arrow_type):
        return pa.string()
    if pa.types.is_dictionary(arrow_type):
        return _json_type(arrow_type.value_type)
    if pa.types.is_list(arrow_type):
        return pa.list_(_json_type(arrow_type.value_type))
    if pa.types.is_large_list(arrow_type):
        return pa.large_list(_json_type(arrow_type.value_type))
    if pa.types.is_struct(arrow_type):
        return pa.struct([field.with_type(_json_type(field.type)) for field in arrow_type])
    return arrow_type


def _plain(value: Any) -> Any:  # noqa: ANN401  any Arrow value
    """Return a value that JSON has no type for as one that it has: the hook of the encoder."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain)


def _encode(value: Any) -> str:  # noqa: ANN401  any Arrow value
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


def _finite(value: Any) -> Any:  # noqa: ANN401  any Arrow value
    """Return a value with null in place of numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return value
