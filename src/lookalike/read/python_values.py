"""Python values -> an Arrow column, a chunk at a time, so that an iterator need not be held as a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InputError

from .columns import is_list
from .item_types import guess_from_value, item_type
from .item_types.base import REFUSALS
from .nested import MISSING, dig, splits

if TYPE_CHECKING:
    from collections.abc import Collection

    from .item_types import ItemType
    from .options import Options

_CHUNK = 65_536


def peek(values: Iterable[Any], options: Options) -> tuple[ItemType, Iterable[Any]]:
    """Return what items are, from the first of them unless it is said; and all of them."""
    if options.kind is not None:
        return item_type(options.kind), values
    if not isinstance(values, Iterator):
        return guess_from_value(_first(values)), values
    seen = list(islice(values, _CHUNK))
    return guess_from_value(_first(seen)), chain(seen, values)


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401
    """Return the first value that says what it is: not None, nor empty, unless all are."""
    present = (one for one in values if one is not None)
    first = next(present, None)
    return next((one for one in chain([first], present) if not _is_empty(one)), first)


def _is_empty(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, Sized) and not isinstance(value, str) and len(value) == 0


def are_records(values: Iterable[Any], options: Options) -> bool:
    """Return whether values are the rows of a table: the first is a dict that has a column which the options name."""
    if options.kind is not None and item_type(options.kind).is_weighted:
        return False
    first = _first(values) if options.columns() else None
    if not isinstance(first, Mapping):
        return False
    return any(dig(first, path) is not MISSING for name in options.columns() for path in splits(name))


def to_table(rows: Collection[Any]) -> pa.Table:
    """Convert dicts to a table, with a column for every key; None is a row of nulls."""
    for i, row in enumerate(rows):
        if row is not None and not isinstance(row, Mapping):
            raise InputError(f"item {i} is {type(row).__name__}, but must be a dict, as the ones before")
    columns = {}
    for name in dict.fromkeys(name for row in rows if row is not None for name in row):
        try:
            columns[str(name)] = pa.array([None if row is None else row.get(name) for row in rows])
        except REFUSALS as error:
            raise InputError(f"column {name!r} holds values that have no type in common ({error})") from error
    return pa.table(columns)


def to_column(values: Iterable[Any], items: ItemType, options: Options) -> pa.ChunkedArray:
    """Convert Python values to a column that holds items of a type."""
    iterator, chunks, first = iter(values), [], 0
    arrow_type = items.arrow_type
    while chunk := list(islice(iterator, _CHUNK)):
        chunks.append(items.from_python(chunk, arrow_type, first, options.encoding_errors))
        first += len(chunk)
        if arrow_type is None and not _is_open(chunks[-1].type):
            arrow_type = chunks[-1].type
    wanted = items.empty_type if arrow_type is None else arrow_type
    alike = [pa.nulls(len(one), wanted) if one.null_count == len(one) else one.cast(wanted) for one in chunks]
    return pa.chunked_array(alike, type=wanted)


def _is_open(arrow_type: pa.DataType) -> bool:
    """Return whether values were too few to tell their type: all are null, or empty."""
    if is_list(arrow_type):
        return _is_open(arrow_type.value_type)
    if pa.types.is_struct(arrow_type):
        return any(_is_open(field.type) for field in arrow_type)
    return bool(pa.types.is_null(arrow_type))
