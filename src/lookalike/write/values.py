"""Arrow values of any type as JSON and CSV can hold them.

Dates and times become ISO strings, as do durations (PT90S), decimals strings with all their digits, bytes base64, NaN
and infinities null; maps become objects; for CSV, lists and objects become JSON. What would lose something is refused.
"""

from __future__ import annotations

import base64
import json
import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.read.columns import is_list
from lookalike.write.unwritable import UnwritableError

_FAR_SECONDS = 30_000 * 365 * 24 * 60 * 60
"""Arrow writes no years beyond 32767."""
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def json_lines(batch: pa.RecordBatch) -> bytes:
    """Return rows as JSON Lines."""
    names = batch.schema.names
    columns = [json_values(batch.column(i)) for i in range(batch.num_columns)]
    rows = zip(*columns, strict=True) if columns else (() for _ in range(batch.num_rows))
    lines = [_encode(dict(zip(names, row, strict=True))) for row in rows]
    return ("\n".join(lines) + "\n").encode() if lines else b""


def csv_schema(schema: pa.Schema) -> pa.Schema:
    """Return the types that columns have in CSV."""
    return pa.schema([pa.field(field.name, _csv_type(field.type)) for field in schema])


def csv_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Cast rows to the types that columns have in CSV."""
    arrays = [_csv_column(batch.column(i), schema.field(i).type) for i in range(batch.num_columns)]
    return pa.record_batch(arrays, schema=schema)


def check_columns(schema: pa.Schema) -> None:
    """Raise if a column can be neither JSON nor CSV, whatever it holds."""
    for field in schema:
        check_type(field.type, field.name)


def check_type(arrow_type: pa.DataType, column: str) -> None:
    """Raise if a type, or one inside it, cannot be written as text."""
    if pa.types.is_struct(arrow_type):
        repeated = [name for name, count in Counter(field.name for field in arrow_type).items() if count > 1]
        if repeated:
            raise UnwritableError(
                f"an object of column {column!r} would have two keys {repeated[0]!r}; rename a field, or write parquet"
            )
    if pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None:
        try:
            pa.scalar(0, arrow_type).cast(pa.string())
        except pa.ArrowInvalid as error:
            raise UnwritableError(
                f"the time zone {arrow_type.tz!r} of column {column!r} is unknown; convert it, or write parquet"
            ) from error
    if pa.types.is_dictionary(arrow_type):
        check_type(arrow_type.value_type, column)
    for i in range(arrow_type.num_fields):
        check_type(arrow_type.field(i).type, column)


def _csv_type(arrow_type: pa.DataType) -> pa.DataType:
    """Keep what Arrow's writer takes; it quotes strings and leaves numbers bare."""
    if pa.types.is_dictionary(arrow_type):
        return _csv_type(arrow_type.value_type)
    odd = pa.types.is_duration(arrow_type) or pa.types.is_interval(arrow_type)
    bare = pa.types.is_primitive(arrow_type) or pa.types.is_string(arrow_type) or pa.types.is_null(arrow_type)
    return arrow_type if (bare and not odd) or pa.types.is_decimal(arrow_type) else pa.large_string()


def _csv_column(array: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type == arrow_type:
        if pa.types.is_timestamp(arrow_type) and _has_far_times(array):
            raise UnwritableError("a time is more than 30,000 years away; write .jsonl or .parquet")
        return array
    if pa.types.is_string_view(array.type):
        return array.cast(arrow_type)
    return pa.array([_csv_value(value) for value in json_values(array)], type=arrow_type)


def _csv_value(value: Any) -> str | None:  # noqa: ANN401  any Arrow value
    if value is None or isinstance(value, str):
        return value
    plain = value if isinstance(value, (list, tuple, dict)) else _plain(value)
    return plain if isinstance(plain, str) else _encode(plain)


def json_values(array: pa.Array) -> list[Any]:
    """Return a column as values that the encoder takes."""
    arrow_type = array.type
    if pa.types.is_dictionary(arrow_type):
        return json_values(array.dictionary_decode())
    if pa.types.is_run_end_encoded(arrow_type):
        return json_values(pc.run_end_decode(array))
    if is_list(arrow_type) or pa.types.is_map(arrow_type) or pa.types.is_struct(arrow_type):
        make = _objects if pa.types.is_struct(arrow_type) else _maps if pa.types.is_map(arrow_type) else _lists
        return _with_nulls(make(array), array)
    if pa.types.is_duration(arrow_type):
        return [_duration(count, _PER_SECOND[arrow_type.unit]) for count in array.cast(pa.int64()).to_pylist()]
    values: list[Any] = _written(array).to_pylist()
    return values


def _written(array: pa.Array) -> pa.Array:
    """Return times as strings made by Arrow, which keeps nanoseconds and far years; anything else as it is."""
    if pa.types.is_timestamp(array.type):
        if _has_far_times(array):
            return _far_times(array)
        return pc.replace_substring(array.cast(pa.string()), " ", "T", max_replacements=1)
    is_written = pa.types.is_time64(array.type) or pa.types.is_date(array.type)
    return array.cast(pa.string()) if is_written else array


def _has_far_times(array: pa.Array) -> bool:
    """Return whether a time is so far away that Arrow writes nonsense."""
    ends = pc.min_max(array.cast(pa.int64())).as_py().values()
    return any(end is not None and abs(end) > _FAR_SECONDS * _PER_SECOND[array.type.unit] for end in ends)


def _far_times(array: pa.Array) -> pa.Array:
    """Return times of any year as strings, in UTC if they have a zone, as NumPy writes them."""
    valid = array.is_valid().to_pylist()
    counts = array.cast(pa.int64()).fill_null(0).to_numpy().view(f"datetime64[{array.type.unit}]")
    zone = "" if array.type.tz is None else "Z"
    times = np.datetime_as_string(counts).tolist()
    return pa.array([f"{time}{zone}" if known else None for time, known in zip(times, valid, strict=True)], pa.string())


def _duration(count: int | None, per_second: int) -> str | None:
    """Return a duration as ISO 8601 has it, in seconds.

    >>> _duration(1500, 1000), _duration(-1, 10**9)
    ('PT1.5S', '-PT0.000000001S')
    """
    if count is None:
        return None
    seconds, rest = divmod(abs(count), per_second)
    fraction = f".{rest:0{len(str(per_second)) - 1}}".rstrip("0") if rest else ""
    return f"{'-' if count < 0 else ''}PT{seconds}{fraction}S"


def _objects(array: pa.StructArray) -> list[Any]:
    names = [field.name for field in array.type]
    columns = [json_values(array.field(i)) for i in range(len(names))]
    rows = zip(*columns, strict=True) if columns else (() for _ in range(len(array)))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _lists(array: pa.Array) -> list[Any]:
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        array = pa.array(array.to_pylist(), pa.large_list(array.type.value_type))  # a cast loses lists (pyarrow 26.0)
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        held = json_values(array.values.slice(array.offset * size, len(array) * size))
        return [held[i * size : (i + 1) * size] for i in range(len(array))]
    held = json_values(array.values)
    return [held[begin:end] for begin, end in pairwise(array.offsets.to_pylist())]


def _maps(array: pa.MapArray) -> list[Any]:
    """Return maps as objects; as lists of pairs where an object would lose one, or keys are lists or objects."""
    keys, items = json_values(array.keys), json_values(array.items)
    is_nested = pa.types.is_nested(array.type.key_type)
    names = keys if is_nested else [key if isinstance(key, str) else str(_plain(key)) for key in keys]
    made: list[Any] = []
    for begin, end in pairwise(array.offsets.to_pylist()):
        pairs = list(zip(names[begin:end], items[begin:end], strict=True))
        is_object = not is_nested and len({name for name, _ in pairs}) == len(pairs)
        made.append(dict(pairs) if is_object else pairs)
    return made


def _with_nulls(values: list[Any], array: pa.Array) -> list[Any]:
    if not array.null_count:
        return values
    valid = array.is_valid().to_pylist()
    return [value if known else None for value, known in zip(values, valid, strict=True)]


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
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return value
