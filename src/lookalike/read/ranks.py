"""The column that `keep` compares: numbers or strings, the same in all files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError

from .columns import first_refused, is_string, plain, plain_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .base import Locate


def rank_type(types: Iterable[pa.DataType], name: str) -> pa.DataType:
    """Return the type that ranks are compared as: a number in all files, or a string in all."""
    found = [plain_type(one) for one in types if not pa.types.is_null(one)]
    strings = {is_string(one) for one in found}
    if len(strings) > 1:
        raise InputError(f"column {name!r} holds numbers in some files and strings in others; make them one type")
    if found and all(pa.types.is_signed_integer(one) or pa.types.is_temporal(one) for one in found):
        return pa.int64()  # float64 would make neighbours of large numbers equal
    return pa.large_string() if True in strings else pa.float64()


def as_ranks(
    array: pa.Array, arrow_type: pa.DataType, locate: Locate, name: str, why: str = "the rows before hold numbers"
) -> pa.Array:
    """Return a column as `int64` or `float64`, or as `large_string` if it holds strings that are not numbers.

    `why` says, in a message, why a string must be a number.
    """
    array = plain(array)
    if is_string(array.type):
        return array.cast(arrow_type) if is_string(arrow_type) else _without_nan(_numbers(array, locate, name, why))
    try:
        if pa.types.is_temporal(array.type):
            array = array.cast(_ticks(array.type))
        return _without_nan(array.cast(arrow_type, safe=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"{locate(0)}: column {name!r} is {array.type}, which has no order; choose numbers or strings"
        ) from error


def _without_nan(array: pa.Array) -> pa.Array:
    """Replace NaN, which is neither above nor below any number, with null."""
    if not pa.types.is_floating(array.type):
        return array
    return pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)


def _ticks(arrow_type: pa.DataType) -> pa.DataType:
    return pa.int32() if arrow_type.bit_width == 32 else pa.int64()  # noqa: PLR2004  bits


def _numbers(array: pa.Array, locate: Locate, name: str, why: str) -> pa.Array:
    """Parse strings as numbers; empty ones are null."""
    trimmed = pc.utf8_trim_whitespace(array)
    filled = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, array.type), trimmed)
    try:
        return filled.cast(pa.float64())
    except pa.ArrowInvalid as error:
        row = first_refused(filled, pa.float64())
        raise InputError(f"{locate(row)}: column {name!r} holds {filled[row].as_py()!r}, but {why}") from error
