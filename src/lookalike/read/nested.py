"""Nested columns: a field of a column of objects, named by its path, such as meta.quality."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .columns import plain_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEPARATOR = "."

Path = tuple[str, ...]
"""The name of a column, followed by those of fields."""

MISSING = object()
"""What stands for no value, as null is one."""


def splits(name: str) -> Iterator[Path]:
    """Yield the paths that a name may mean, the one with the longest first name first.

    >>> list(splits("a.b.c"))
    [('a.b.c',), ('a.b', 'c'), ('a', 'b.c'), ('a', 'b', 'c')]
    """
    yield (name,)
    parts = name.split(SEPARATOR)
    for cut in range(len(parts) - 1, 0, -1):
        for rest in splits(SEPARATOR.join(parts[cut:])):
            yield (SEPARATOR.join(parts[:cut]), *rest)


def dig(record: Mapping[str, Any], path: Path) -> Any:  # noqa: ANN401 - any value
    """Return the value at a path, which is missing where an object on the way is, or is not an object."""
    value: Any = record
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return MISSING
        value = value[name]
    return value


def path_of(columns: pa.Schema, name: str) -> Path | None:
    """Return the path that a name means; a column that has the whole name wins. None if there is none."""
    return next((path for path in splits(name) if _type_at(columns, path) is not None), None)


def with_nested(columns: pa.Schema, names: Iterable[str]) -> pa.Schema:
    """Return columns, followed by the nested ones among some names, which then are columns of these names."""
    for name in names:
        path = path_of(columns, name)
        if path is not None and len(path) > 1:
            columns = columns.append(pa.field(name, _type_at(columns, path)))
    return columns


def _type_at(columns: pa.Schema, path: Path) -> pa.DataType | None:
    """Return the type of a field; None if there is none, or several."""
    if columns.names.count(path[0]) != 1:
        return None
    found = columns.field(path[0]).type
    for name in path[1:]:
        found = plain_type(found)
        index = found.get_field_index(name) if pa.types.is_struct(found) else -1
        if index < 0:
            return None
        found = found.field(index).type
    return found


def flat(rows: pa.RecordBatch, names: Iterable[str]) -> pa.RecordBatch:
    """Return some columns of rows, each by its name; a field is null where an object before it is."""
    names = list(names)
    arrays = [_array_at(rows, path_of(rows.schema, name) or (name,)) for name in names]
    return pa.record_batch(arrays, names=names)


def _array_at(rows: pa.RecordBatch, path: Path) -> pa.Array:
    array = rows.column(path[0])
    for name in path[1:]:
        array = pc.struct_field(array.storage if isinstance(array, pa.ExtensionArray) else array, name)
    return array


def nested_schema(columns: pa.Schema, paths: Mapping[str, Path]) -> pa.Schema | None:
    """Return columns as they are nested, each at its path; None if one is both compared and part of another."""
    if all(len(path) == 1 for path in paths.values()):
        return columns
    tree: dict[str, Any] = {}
    for field in columns:
        *outer, last = paths[field.name]
        inside = tree
        for name in outer:
            inside = inside.setdefault(name, {})
            if not isinstance(inside, dict):
                return None
        if inside.setdefault(last, field.type) is not field.type:
            return None
    return pa.schema(_fields(tree))


def _fields(tree: dict[str, Any]) -> list[pa.Field]:
    return [pa.field(name, pa.struct(_fields(held)) if isinstance(held, dict) else held) for name, held in tree.items()]
