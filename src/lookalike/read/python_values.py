"""Python values -> an Arrow column, a chunk at a time, so that an iterator need not be held as a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .columns import is_list
from .item_types import guess_from_value, item_type

if TYPE_CHECKING:
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
