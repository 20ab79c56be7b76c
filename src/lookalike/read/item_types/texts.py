"""Texts: strings, or bytes that are UTF-8."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import few_texts
from lookalike.read.columns import as_text, is_binary, is_string, plain_type
from lookalike.read.utf8 import ensure_utf8, has_surrogate, invalid_utf8, replace_surrogates

from .base import REFUSALS, ItemType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate

FEW = 16
"""Texts that are faster to convert than to wait for pandas, which `pa.array` imports."""


_BLANK_LINE = b"\n\n"


class Texts(ItemType):
    """Texts. They are taken for what items are wherever there is a column of strings."""

    name = "texts"
    columns = ("text", "content", "body")
    noun = "strings"
    rule = "the text must be a string column"
    example = "a string"
    guess_priority = 0
    can_join = True
    arrow_type = pa.large_string()

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds strings or bytes; or only nulls so far."""
        column = plain_type(column)
        return is_string(column) or is_binary(column) or pa.types.is_null(column)

    def recognises_column(self, column: pa.DataType) -> bool:
        """Return whether a column holds strings or bytes."""
        return self.fits(column)

    def recognises_value(self, value: Any) -> bool:  # noqa: ANN401 - any Python value
        """Return whether a value is a string."""
        return isinstance(value, str)

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:
        """Return strings that are valid UTF-8."""
        return ensure_utf8(as_text(column), errors, locate)

    def join(self, columns: Sequence[pa.Array]) -> pa.Array:
        """Return texts with a blank line between their parts; parts that are null or empty are left out."""
        parts = [as_text(column).cast(pa.large_binary()) for column in columns]
        filled = [pc.if_else(pc.equal(part, b""), pa.scalar(None, part.type), part) for part in parts]
        return as_text(pc.coalesce(reduce(_join_two, filled), *parts))  # empty, not null, if a part is

    def read_as(self, found: pa.DataType) -> pa.DataType:  # noqa: ARG002 - texts are strings, however they begin
        """Return the type of strings."""
        return pa.string()

    def from_python(
        self, values: list[Any], arrow_type: pa.DataType | None, first: int, errors: EncodingErrors
    ) -> pa.Array:
        """Return Python strings as a column."""
        if len(values) <= FEW and all(isinstance(value, str) and not has_surrogate(value) for value in values):
            return few_texts(values, arrow_type or pa.string())
        try:
            return pa.array(values, type=arrow_type)
        except UnicodeError:
            texts = [_without_surrogates(value, first + i, errors) for i, value in enumerate(values)]
            return pa.array(texts, type=arrow_type)
        except REFUSALS as error:
            raise self.refusal(values, first, lambda value: pa.array([value], type=arrow_type)) from error


def _join_two(left: pa.Array, right: pa.Array) -> pa.Array:
    """Return left and right texts with a blank line between, or the one that there is."""
    both = pc.binary_join_element_wise(left, right, pa.scalar(_BLANK_LINE, left.type), null_handling="emit_null")
    return pc.coalesce(both, left, right)  # null_handling="skip" would lose rows where all are null (pyarrow 26.0)


def _without_surrogates(value: Any, item: int, errors: EncodingErrors) -> Any:  # noqa: ANN401
    if not isinstance(value, str) or not has_surrogate(value):
        return value
    if errors == "strict":
        raise invalid_utf8(f"item {item}", text=value)
    return replace_surrogates(value)
