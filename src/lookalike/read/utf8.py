"""UTF-8: checked, replaced, or rejected with a message that says where.

Arrow checks a whole array at memory speed; only an array that fails is searched row by row.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError

if TYPE_CHECKING:
    from typing import Any

    from lookalike.options import EncodingErrors

    from .base import Locate

_SURROGATE = re.compile("[\ud800-\udfff]")
_OTHER_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def ensure_utf8(array: pa.Array, errors: EncodingErrors, locate: Locate, what: str = "text") -> pa.Array:
    """Return an array if it is valid UTF-8; otherwise replace what is not, or raise and name the first place.

    `array` is of type `string` or `large_string`; `locate` returns where its i-th value stands.
    """
    if is_valid(array):
        return array
    values = array.cast(pa.large_binary()).to_pylist()
    if errors == "strict":
        raise invalid_utf8(locate(_first_invalid(values)), what)
    texts = [None if value is None else value.decode("utf-8", "replace") for value in values]
    return pa.array(texts, type=pa.large_string()).cast(array.type)


def is_valid(array: pa.Array) -> bool:
    """Return whether every string in an array is valid UTF-8."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _first_invalid(values: list[bytes | None]) -> int:
    for index, value in enumerate(values):
        try:
            (value or b"").decode("utf-8")
        except UnicodeDecodeError:
            return index
    return 0


def invalid_utf8(where: str, what: str = "text", text: str = "") -> InputError:
    """Return the error for text that cannot be decoded, or for half a character that an escape in it stands for."""
    if found := _OTHER_SURROGATE.search(text):
        return InputError(
            f"{where}: the {what} has an unpaired surrogate (\\u{ord(found[0]):x}), which is not a character; fix it, "
            "or use `encoding_errors` replace to insert U+FFFD instead"
        )
    return InputError(
        f"{where}: the {what} is not valid UTF-8; name the `encoding` of the file if it has another one, or use "
        "`encoding_errors` replace to insert U+FFFD instead"
    )


def has_surrogate(text: str) -> bool:
    """Return whether a Python string holds a lone surrogate, which UTF-8 cannot encode."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def replace_surrogates(text: str) -> str:
    """Return a string with U+FFFD in place of lone surrogates.

    Bytes that `surrogateescape` smuggled in are decoded again together, so that the result is the same as
    `bytes.decode(errors="replace")` gives: one U+FFFD for a truncated sequence, not one per byte.
    """
    smuggled = _OTHER_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return smuggled.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def scrub(value: Any) -> Any:  # noqa: ANN401  a JSON value
    """Return a JSON value with U+FFFD in place of every lone surrogate."""
    if isinstance(value, str):
        return replace_surrogates(value) if has_surrogate(value) else value
    if isinstance(value, list):
        return [scrub(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): scrub(item) for key, item in value.items()}
    return value


def ensure_utf8_rows(batch: pa.RecordBatch, errors: EncodingErrors, locate: Locate) -> pa.RecordBatch:
    """Return rows whose strings are all valid UTF-8, as a file of another format requires."""
    arrays = []
    for field, array in zip(batch.schema, batch.columns, strict=True):
        arrays.append(_ensure_column(array, field.name, errors, locate))
    return pa.record_batch(arrays, schema=batch.schema)


def _ensure_column(array: pa.Array, name: str, errors: EncodingErrors, locate: Locate) -> pa.Array:
    what = f"column {name!r}"
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return ensure_utf8(array, errors, locate, what)
    if is_valid(array):
        return array
    if pa.types.is_string_view(array.type):
        return ensure_utf8(array.cast(pa.large_string()), errors, locate, what).cast(array.type)
    if pa.types.is_dictionary(array.type):
        return ensure_utf8(array.dictionary_decode(), errors, locate, what).dictionary_encode().cast(array.type)
    if errors == "strict":
        raise InputError(f"{locate(0)} or after: {what} holds text that is not valid UTF-8 inside a {array.type}")
    return _replaced(array)


def _replaced(array: pa.Array) -> pa.Array:
    """Return lists and structs with U+FFFD in place of what is not valid UTF-8, at any depth."""
    arrow_type, valid = array.type, array.is_valid()
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        return ensure_utf8(array, "replace", str)
    if pa.types.is_struct(arrow_type):
        children = [_replaced(array.field(i)) for i in range(arrow_type.num_fields)]
        return pa.StructArray.from_arrays(children, fields=list(arrow_type), mask=pc.invert(valid))
    if pa.types.is_list(arrow_type) or pa.types.is_large_list(arrow_type):
        offsets = pc.if_else(pa.concat_arrays([valid, pa.array([True])]), array.offsets, None)
        return type(array).from_arrays(offsets, _replaced(array.values), type=arrow_type)
    return array
