"""Tokens: lists of integers, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.read.columns import as_lists, is_list, plain

from .base import REFUSALS, ItemType

if TYPE_CHECKING:
    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate

TOKENS = pa.large_list(pa.int64())


class Tokens(ItemType):
    """Lists of token ids. They look like sets of integers, so they are read only when asked for."""

    name = "tokens"
    columns = ("tokens", "input_ids")
    noun = "lists of integers"
    rule = "tokens must be lists of integers"
    example = "a list of integers"
    arrow_type = TOKENS

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds lists of integers; or only nulls so far."""
        if pa.types.is_null(column):
            return True
        return is_list(column) and bool(pa.types.is_integer(column.value_type) or pa.types.is_null(column.value_type))

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:  # noqa: ARG002 - no text
        """Return `large_list<int64>`; a null inside a list is refused."""
        try:
            lists = as_lists(plain(column), pa.int64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(f"{locate(0)} or after: the tokens do not fit in 64-bit integers ({error})") from error
        if lists.flatten().null_count:
            row = next(i for i, tokens in enumerate(lists.to_pylist()) if tokens and None in tokens)
            raise InputError(f"{locate(row)}: a token is null; remove it, or make the whole list null")
        return lists

    def read_as(self, found: pa.DataType) -> pa.DataType:  # noqa: ARG002 - tokens are integers, however they begin
        """Return the type of lists of integers."""
        return pa.list_(pa.int64())

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,  # noqa: ARG002 - there is one
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - no text
    ) -> pa.Array:
        """Return lists of Python's or NumPy's integers as a column."""
        try:
            return _lists(values)
        except REFUSALS as error:
            raise self.refusal(values, first, lambda value: _lists([value])) from error


def _lists(values: list[Any]) -> pa.Array:
    """Convert lists of integers. Arrow infers their type first: asking for integers would truncate fractions."""
    try:
        made = pa.array(values)
    except pa.ArrowException:  # arrays of NumPy of several types
        made = None
    if made is not None and Tokens().fits(made.type):
        return made.cast(TOKENS)
    if not all(map(_is_list_of_integers, values)):
        raise TypeError("tokens are lists of integers")
    return pa.array([one.tolist() if isinstance(one, np.ndarray) else one for one in values], TOKENS)


def _is_list_of_integers(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and (value.dtype.kind in "iu" or not value.size)
    return value is None or (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in value)
    )
