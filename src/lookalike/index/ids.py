"""Ids of items: strings or integers, all of one type per index. UUIDs are strings, in their usual notation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.read.columns import is_string
from lookalike.read.ids import plain_uuids

if TYPE_CHECKING:
    from lookalike.read import Batch, Source


def as_ids(ids: Any, schema: pa.Schema | None) -> pa.Array:  # noqa: ANN401 - any collection of ids
    """Return ids as an array of strings or integers, of the type the index has."""
    if isinstance(ids, (str, bytes, int, UUID)):
        raise InputError(f"`ids` must be a list of strings or integers. Got the single id {ids!r}")
    made = as_array(ids)
    if made.null_count:
        raise InputError("An id is missing, but every item needs one. Omit `ids` to number the items")
    if is_string(made.type) or pa.types.is_null(made.type):
        made = made.cast(pa.large_string())
    elif pa.types.is_integer(made.type):
        try:
            made = made.cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise InputError(f"Integer `ids` must be below 2^63 ({error})") from error
    else:
        raise InputError(f"`ids` must be strings or integers. Got {made.type}")
    if schema is not None and len(made) and made.type != schema.field(0).type:
        raise InputError(
            f"The ids of this index have type {schema.field(0).type}. Got {made.type}, such as {made[0]}; convert them"
        )
    return made if schema is None else made.cast(schema.field(0).type)


def as_array(ids: Any) -> pa.Array:  # noqa: ANN401 - any collection of ids
    """Return ids as an array of any type but a dictionary; UUIDs as strings."""
    if isinstance(ids, (list, tuple)) and any(isinstance(one, UUID) for one in ids):
        ids = [str(one) if isinstance(one, UUID) else one for one in ids]
    try:
        made = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids)
    except (UnicodeError, OverflowError, TypeError, ValueError, LookupError, pa.ArrowException) as error:
        raise InputError(f"`ids` must be strings, or integers below 2^63, all of one type ({error})") from error
    if isinstance(made, pa.ChunkedArray):
        made = made.combine_chunks()
    if pa.types.is_dictionary(made.type):
        made = made.dictionary_decode()
    return plain_uuids(made) if isinstance(made.type, pa.UuidType) else made


def refuse_unordered(ids: Any) -> None:  # noqa: ANN401 - any collection of ids
    """Raise if ids that correspond to items one by one have no order."""
    if isinstance(ids, (set, frozenset)):
        raise InputError("`ids` must be in the order of the items, but a set has no order. Pass a list")


def batch_ids(source: Source, batch: Batch, schema: pa.Schema | None) -> pa.Array:
    """Return the ids of a batch in the type the index has. Integers in a CSV file are read as strings."""
    integers = schema is not None and pa.types.is_integer(schema.field(0).type)
    if not integers or source.format != "csv" or batch.ids is None:
        return as_ids(batch.ids, schema)
    try:
        return as_ids(batch.ids.cast(pa.int64()), schema)
    except pa.ArrowInvalid as error:
        raise InputError(f"The ids of this index are integers, but not all of these are: {error}") from error
