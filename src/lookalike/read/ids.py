"""The id column: one type for all files, no nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError

from .columns import as_text, is_binary, plain, plain_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .base import Locate


def id_type(types: Iterable[pa.DataType]) -> pa.DataType:
    """Return one type for the ids of all files: integers stay integers; a mixture becomes strings, as bytes do."""
    distinct = list(dict.fromkeys(plain_type(one) for one in types if not pa.types.is_null(one)))
    if len(distinct) == 1 and not is_binary(distinct[0]):
        return distinct[0]
    if distinct and all(pa.types.is_integer(one) and one != pa.uint64() for one in distinct):
        return pa.int64()
    return pa.large_string()


def as_ids(array: pa.Array, arrow_type: pa.DataType, locate: Locate, noun: str = "id") -> pa.Array:
    """Cast ids to one type, strings unchecked; refuse nulls and what is not a number where numbers are expected."""
    array = plain_uuids(array) if isinstance(array.type, pa.UuidType) else plain(array)
    missing = array.is_null(nan_is_null=True)
    if missing.true_count:
        row = pc.index(missing, value=True).as_py()
        raise InputError(f"{locate(row)}: the {noun} is null; every {'item' if noun == 'id' else 'row'} needs one")
    if is_binary(array.type):
        array = as_text(array)
    if array.type == arrow_type:
        return array
    try:
        return array.cast(arrow_type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"{locate(0)} or after: the {noun} of type {array.type} cannot be read as {arrow_type}"
        ) from error


def plain_uuids(array: pa.Array) -> pa.Array:
    """Return UUIDs, stored as 16 bytes, in their usual notation."""
    return pa.array([value and str(value) for value in array.to_pylist()], type=pa.large_string())
