"""JSON Lines by Python's own parser: for the first block, and for blocks that Arrow rejects.

It either names the line that is wrong or returns what Arrow could not: lone surrogates, repeated keys, columns that
hold values of several types.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.read.columns import is_string
from lookalike.read.nested import MISSING, dig, splits
from lookalike.read.utf8 import has_surrogate, invalid_utf8, replace_surrogates, scrub

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lookalike.options import EncodingErrors
    from lookalike.read.base import Lines
    from lookalike.read.nested import Path

Record = dict[str, Any]
_REFUSALS = (pa.ArrowException, OverflowError, TypeError, ValueError)
_SIMPLE = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string(), type(None): pa.null()}
_NUMBER_MAP = pa.map_(pa.string(), pa.float64())
_WIDENED = ((pa.int64(), pa.float64()), (pa.list_(pa.int64()), pa.list_(pa.float64())))
_JSON_NAMES = {
    str: "a string",
    bool: "a Boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def probe(lines: Lines, label: str) -> pa.Schema:
    """Return the columns and their types, the first that is not null; whatever a column holds, this does not fail."""
    types: dict[str, pa.DataType] = {}
    for _, record in _records(lines, label):
        for name, value in record.items():
            types[name] = _wider(types.get(name, pa.null()), _type_of(value))
    return pa.schema(list(types.items()))


def probe_nested(lines: Lines, label: str, names: Sequence[str]) -> dict[str, tuple[Path, pa.DataType]]:
    """Return the path and the type of each nested column that there is among some names."""
    found: dict[str, tuple[Path, pa.DataType]] = {}
    for _, record in _records(lines, label):
        for name in names:
            old = found.get(name)
            for path in splits(name) if old is None else (old[0],):
                if (value := dig(record, path)) is not MISSING:
                    found[name] = path, _wider(pa.null() if old is None else old[1], _type_of(value))
                    break
    return found


def _type_of(value: Any) -> pa.DataType:  # noqa: ANN401  a JSON value
    if isinstance(value, list):
        return pa.list_(_type_of_members({type(member) for member in value}))
    if isinstance(value, dict) and {type(weight) for weight in value.values()} <= {int, float}:
        return _NUMBER_MAP
    return _SIMPLE.get(type(value), pa.struct([]))


def _type_of_members(held: set[type]) -> pa.DataType:
    """Return the type of a list's members: one that a set or a vector may have, else that of objects without keys."""
    if held == {int, float}:
        return pa.float64()
    if len(held) > 1 or bool in held:
        return pa.struct([])
    return _SIMPLE.get(next(iter(held), type(None)), pa.struct([]))


def _wider(old: pa.DataType, new: pa.DataType) -> pa.DataType:
    if pa.types.is_null(old) or old == pa.list_(pa.null()):
        return old if pa.types.is_null(new) else new
    return new if (old, new) in _WIDENED else old


def storable(arrow_type: pa.DataType) -> pa.DataType:
    """Return strings where Arrow guessed dates, and for what no file format can hold: objects without keys."""
    return pa.string() if _has_empty_struct(arrow_type) else _without_dates(arrow_type)


def _without_dates(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_temporal(arrow_type):
        return pa.string()
    if pa.types.is_list(arrow_type):
        return pa.list_(_without_dates(arrow_type.value_type))
    if pa.types.is_struct(arrow_type):
        return pa.struct([pa.field(field.name, _without_dates(field.type)) for field in arrow_type])
    return arrow_type


def _has_empty_struct(arrow_type: pa.DataType) -> bool:
    if pa.types.is_struct(arrow_type):
        return arrow_type.num_fields == 0 or any(_has_empty_struct(field.type) for field in arrow_type)
    return pa.types.is_list(arrow_type) and _has_empty_struct(arrow_type.value_type)


def infer(lines: Lines, label: str, errors: EncodingErrors) -> pa.Schema:
    """Return the type of every column of a block; string where the values have none in common."""
    columns: dict[str, list[Any]] = {}
    for _, record in _records(lines, label, errors):
        for name, value in record.items():
            columns.setdefault(name, []).append(scrub(value))
    return pa.schema([(name, _common(values)) for name, values in columns.items()])


def _common(values: list[Any]) -> pa.DataType:
    try:
        return pa.array(values).type
    except _REFUSALS:
        return pa.string()


def parse(
    lines: Lines, schema: pa.Schema, paths: Mapping[str, Path], label: str, errors: EncodingErrors, *, strict: bool
) -> pa.RecordBatch:
    """Read a block, the columns of which are at some paths.

    `strict` rejects a value that is not of its column's type; otherwise it becomes JSON text.
    """
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for number, record in _records(lines, label, None if strict else errors):
        for field in schema:
            path = paths[field.name]
            value = record.get(field.name) if len(path) == 1 else dig(record, path)
            value = None if value is MISSING else value
            columns[field.name].append(_checked(value, field, f"{label}, line {number}", errors, strict=strict))
    arrays = [_array(columns[field.name], field, label, lines) for field in schema]
    return pa.record_batch(arrays, schema=schema)


def _records(lines: Lines, label: str, errors: EncodingErrors | None = None) -> Iterator[tuple[int, Record]]:
    """Parse line by line; bytes that are not UTF-8 pass as surrogates, since the column may not matter.

    With `errors`, all columns do, so that keys are checked.
    """
    for start, end, number in zip(lines.starts, lines.ends, lines.numbers, strict=True):
        where = f"{label}, line {number}"
        try:
            record = json.loads(lines.data[start:end].decode("utf-8", "surrogateescape"))
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}: not valid JSON ({error.msg}, column {error.colno}); fix or remove it"
            ) from error
        except (RecursionError, ValueError) as error:
            raise InputError(f"{where}: this JSON cannot be read ({error}); fix or remove it") from error
        if not isinstance(record, dict):
            raise InputError(f"{where}: expected a JSON object, found {_name(record)}; fix or remove it")
        yield int(number), _renamed(record, where, errors)


def _renamed(record: Record, where: str, errors: EncodingErrors | None) -> Record:
    """Return a record whose keys are valid UTF-8."""
    renamed = {scrub(name): value for name, value in record.items()}
    if errors == "strict" and (wrong := next(filter(has_surrogate, record), None)) is not None:
        raise invalid_utf8(where, f"key {scrub(wrong)!r}", wrong)
    if errors is not None and len(renamed) < len(record):
        raise InputError(f"{where}: two keys that are not valid UTF-8 become one; rename one of them")
    return renamed


def _name(value: Any) -> str:  # noqa: ANN401  a JSON value
    return _JSON_NAMES.get(type(value), "null")


def _checked(value: Any, field: pa.Field, where: str, errors: EncodingErrors, *, strict: bool) -> Any:  # noqa: ANN401
    if value is None:
        return None
    if strict and not _fits(value, field.type):
        raise InputError(f"{where}: column {field.name!r} holds {_name(value)}, not {_expected(field.type)}")
    if is_string(field.type) and not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return _decoded(value, f"column {field.name!r}", where, errors)
    if field.type == _NUMBER_MAP:
        return [(_decoded(name, f"column {field.name!r}", where, errors), weight) for name, weight in value.items()]
    scrubbed = scrub(value)
    if errors == "strict" and scrubbed != value:
        raise invalid_utf8(where, f"column {field.name!r}", json.dumps(value, ensure_ascii=False))
    return scrubbed


def _decoded(text: str, what: str, where: str, errors: EncodingErrors) -> str:
    if not has_surrogate(text):
        return text
    if errors == "strict":
        raise invalid_utf8(where, what, text)
    return replace_surrogates(text)


def _fits(value: Any, arrow_type: pa.DataType) -> bool:  # noqa: ANN401  a JSON value
    return bool(_wider(_type_of(value), arrow_type) == arrow_type)


def _expected(arrow_type: pa.DataType) -> str:
    simple = {pa.string(): "a string", pa.bool_(): "a Boolean", pa.int64(): "an integer", pa.float64(): "a number"}
    if arrow_type == _NUMBER_MAP:
        return "an object of numbers"
    if arrow_type in simple:
        return simple[arrow_type]
    return f"a list of {simple.get(arrow_type.value_type, 'an integer').split()[-1]}s"


def _array(values: list[Any], field: pa.Field, label: str, lines: Lines) -> pa.Array:
    try:
        return pa.array(values, type=field.type)
    except _REFUSALS as error:
        raise InputError(
            f"{label}, line {lines.numbers[0]} or after: column {field.name!r} cannot be read as {field.type} ({error})"
        ) from error
