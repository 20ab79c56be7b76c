"""What columns of any Arrow type may hold, and how they become what the kernels take."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - of a module's variable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .base import Kind


def is_string(kind: pa.DataType) -> bool:
    """Tell whether a type is one of Arrow's three string layouts."""
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def is_binary(kind: pa.DataType) -> bool:
    """Tell whether a type holds bytes that may be text."""
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests)


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be the text. Null: a column in which all is missing so far."""
    kind = plain_type(kind)
    return is_string(kind) or is_binary(kind) or pa.types.is_null(kind)


def is_list(kind: pa.DataType) -> bool:
    """Tell whether a type is one of Arrow's list layouts."""
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return any(test(kind) for test in tests)


def is_tokens(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be lists of tokens."""
    if pa.types.is_null(kind):
        return True
    return is_list(kind) and bool(pa.types.is_integer(kind.value_type) or pa.types.is_null(kind.value_type))


def is_elements(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be sets, as lists of what they hold."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_elements(kind.storage_type)
    return is_list(kind) and not pa.types.is_nested(plain_type(kind.value_type))


def is_vectors(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be vectors."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_vectors(kind.storage_type)
    return is_list(kind) and bool(pa.types.is_integer(kind.value_type) or pa.types.is_floating(kind.value_type))


def is_bits(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be rows of bits."""
    held = kind.value_type if is_list(kind) else kind
    return is_binary(kind) or bool(pa.types.is_integer(held)) or bool(is_list(kind) and pa.types.is_boolean(held))


def kind_of(column: pa.DataType) -> Kind:
    """Tell what the items of a column are taken for: lists of one length, or of fractions, for vectors."""
    if isinstance(column, pa.BaseExtensionType):
        return kind_of(column.storage_type)
    if is_vectors(column) and (pa.types.is_fixed_size_list(column) or pa.types.is_floating(column.value_type)):
        return "vectors"
    return "elements" if is_elements(column) else "weights" if is_weights(column) else "texts"


def is_weights(kind: pa.DataType) -> bool:
    """Tell whether a column of this type can be weighted sets: maps of elements to numbers, or lists of such pairs."""
    pair = weighted_pair(kind)
    return pair is not None and not pa.types.is_nested(plain_type(pair[0])) and is_number(pair[1])


def weighted_pair(kind: pa.DataType) -> tuple[pa.DataType, pa.DataType] | None:
    """Return the types of elements and of weights, if it is a column of maps or of lists of pairs."""
    kind = plain_type(kind)
    if pa.types.is_map(kind):
        return kind.key_type, kind.item_type
    if is_list(kind) and pa.types.is_struct(kind.value_type) and kind.value_type.num_fields == 2:  # noqa: PLR2004 - a pair
        return kind.value_type[0].type, kind.value_type[1].type
    return None


def is_number(kind: pa.DataType) -> bool:
    """Tell whether a type is one of numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


FITS: dict[Kind, Callable[[pa.DataType], bool]] = {
    "texts": is_text,
    "tokens": is_tokens,
    "elements": is_elements,
    "vectors": is_vectors,
    "bits": is_bits,
    "weights": is_weights,
}


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Undo what only the layout needs: chunks, dictionaries, views, extension types."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = without_views(array, storable(array.type)).dictionary_decode()
    kind = plain_type(array.type)
    return array if kind == array.type else array.cast(kind)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type `plain` gives."""
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(kind) else kind


def storable(kind: pa.DataType) -> pa.DataType:
    """Return the type without string views, at any depth: neither Arrow's kernels nor all writers know them yet."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, storable(kind.value_type), ordered=kind.ordered)
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(storable(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(storable(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(storable(field.type)) for field in kind])
    is_view = pa.types.is_string_view(kind) or pa.types.is_binary_view(kind)
    return plain_type(kind) if is_view else kind


def storable_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema without string views."""
    return pa.schema([field.with_type(storable(field.type)) for field in schema], metadata=schema.metadata)


def without_views(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Bring an array to its storable type; Arrow has no cast for dictionaries of views."""
    if array.type == kind:
        return array
    if pa.types.is_dictionary(kind) and pa.types.is_dictionary(array.type) and kind == storable(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(kind.value_type))
    return array.cast(kind)


def as_text(array: pa.Array) -> pa.Array:
    """Turn a text column of any accepted type into string or large_string, unchecked."""
    array = plain(array)
    if is_binary(array.type) or pa.types.is_null(array.type):
        options = pc.CastOptions(target_type=pa.large_string(), allow_invalid_utf8=True)
        array = array.cast(options=options)
    return array


def as_tokens(array: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Turn lists of any integers into large_list<int64>; a null inside a list is refused."""
    try:
        lists = _lists(plain(array), pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{where(0)} or after: the tokens do not fit in 64-bit integers ({error})") from error
    if lists.flatten().null_count:
        row = next(i for i, tokens in enumerate(lists.to_pylist()) if tokens and None in tokens)
        raise InputError(f"{where(row)}: a token is null; remove it, or make the whole list null")
    return lists


def as_elements(array: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Turn sets, as lists of any layout, into large_list of int64, float64, large_string, or a dictionary of such.

    What says nothing about a set is refused: an element that is null or NaN, and a list without any.
    """
    array = plain(array)
    try:
        lists = _lists(array, element_type(array.type.value_type))
    except pa.ArrowInvalid as error:
        held = pa.array(array.to_pylist(), pa.large_list(plain_type(array.type.value_type)))
        owners = pc.list_parent_indices(held)
        raise refused(held.flatten(), lambda i: where(owners[i].as_py())) from error
    sizes = pc.list_value_length(lists)
    empty = pc.equal(sizes, 0)
    if pc.any(empty).as_py():
        row = pc.index(empty, value=True).as_py()
        raise InputError(f"{where(row)}: the set is empty, so nothing can resemble it; drop it, or make it null")
    missing = lists.flatten().is_null(nan_is_null=True)
    if missing.true_count:
        owners = pc.list_parent_indices(lists)
        row = owners[pc.index(missing, value=True).as_py()].as_py()
        raise InputError(f"{where(row)}: an element of the set is null or NaN; remove it, or make the whole set null")
    return lists


def signed(elements: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Return single elements as integers with a sign; one that is too large is refused."""
    try:
        return elements.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise refused(elements, where) from error


def refused(values: pa.Array, where: Callable[[int], str]) -> InputError:
    """Make the error for elements that cannot be told apart as others of their type are; the first of them is named."""
    values = plain(values)
    row = _first_refused(values, element_type(values.type))
    if is_binary(values.type):
        return InputError(
            f"{where(row)}: an element of the set is not valid UTF-8; write it as text, such as hexadecimal digits"
        )
    return InputError(
        f"{where(row)}: the element {values[row].as_py()!r} does not fit in 64-bit integers, which have a sign; write "
        "elements as strings"
    )


def element_type(kind: pa.DataType) -> pa.DataType:
    """Return the one of four types as which elements of this type are told apart."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), element_type(kind.value_type))
    kind = plain_type(kind)
    if is_string(kind) or is_binary(kind) or pa.types.is_null(kind):
        return pa.large_string()
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return pa.int64()
    return pa.float64() if pa.types.is_floating(kind) else pa.large_string()


def holds(kind: pa.DataType, what: Kind) -> pa.DataType | None:
    """Return as what the elements of a column of sets are told apart; None for other columns, and if all are null."""
    if what == "weights" and (pair := weighted_pair(kind)) is not None:
        return element_type(plain_type(pair[0]))
    if what != "elements" or not is_elements(kind):
        return None
    value = plain_type(plain_type(kind).value_type)
    return None if pa.types.is_null(value) else element_type(value)


def _lists(array: pa.Array, value: pa.DataType) -> pa.Array:
    kind = pa.large_list(value)
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        array = pa.array(array.to_pylist(), pa.large_list(array.type.value_type))  # a cast loses lists (pyarrow 26.0)
    return array.cast(kind)


def id_type(kinds: Iterable[pa.DataType]) -> pa.DataType:
    """Find one type for the ids of all files: integers stay integers; a mixture becomes strings, and so do bytes."""
    distinct = list(dict.fromkeys(plain_type(kind) for kind in kinds if not pa.types.is_null(kind)))
    if len(distinct) == 1 and not is_binary(distinct[0]):
        return distinct[0]
    if distinct and all(pa.types.is_integer(kind) and kind != pa.uint64() for kind in distinct):
        return pa.int64()
    return pa.large_string()


def as_ids(array: pa.Array, kind: pa.DataType, where: Callable[[int], str], noun: str = "id") -> pa.Array:
    """Bring ids to one type, strings unchecked; a null is refused, and so is what is not a number."""
    array = _uuids(array) if isinstance(array.type, pa.UuidType) else plain(array)
    missing = array.is_null(nan_is_null=True)
    if missing.true_count:
        row = pc.index(missing, value=True).as_py()
        raise InputError(f"{where(row)}: the {noun} is null; every {'item' if noun == 'id' else 'row'} needs one")
    if is_binary(array.type):
        array = as_text(array)
    if array.type == kind:
        return array
    try:
        return array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{where(0)} or after: the {noun} of type {array.type} cannot be read as {kind}") from error


def _uuids(array: pa.Array) -> pa.Array:
    """Write ids of 16 bytes as people know them."""
    return pa.array([value and str(value) for value in array.to_pylist()], type=pa.large_string())


def rank_type(kinds: Iterable[pa.DataType], name: str) -> pa.DataType:
    """Find how ranks are compared: as numbers in all files, or as strings in all."""
    found = [plain_type(kind) for kind in kinds if not pa.types.is_null(kind)]
    strings = {is_string(kind) for kind in found}
    if len(strings) > 1:
        raise InputError(f"column {name!r} holds numbers in some files and strings in others; make them one type")
    if found and all(pa.types.is_signed_integer(kind) or pa.types.is_temporal(kind) for kind in found):
        return pa.int64()  # float64 would make neighbours of large numbers equal
    return pa.large_string() if True in strings else pa.float64()


def as_ranks(array: pa.Array, kind: pa.DataType, where: Callable[[int], str], name: str) -> pa.Array:
    """Turn a column to be compared into int64 or float64, or large_string if it holds strings that are no numbers."""
    array = plain(array)
    if is_string(array.type):
        return array.cast(kind) if is_string(kind) else _without_nan(_numbers(array, where, name))
    try:
        if pa.types.is_temporal(array.type):
            array = array.cast(_ticks(array.type))
        return _without_nan(array.cast(kind, safe=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"{where(0)}: column {name!r} is {array.type}, which has no order; choose numbers or strings"
        ) from error


def _without_nan(array: pa.Array) -> pa.Array:
    """Put null where there is no number: it is neither above nor below the others."""
    if not pa.types.is_floating(array.type):
        return array
    return pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)


def _ticks(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()  # noqa: PLR2004  bits


def _numbers(array: pa.Array, where: Callable[[int], str], name: str) -> pa.Array:
    """Read strings as numbers; nothing at all is no number, hence null."""
    trimmed = pc.utf8_trim_whitespace(array)
    filled = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, array.type), trimmed)
    try:
        return filled.cast(pa.float64())
    except pa.ArrowInvalid as error:
        row = _first_refused(filled, pa.float64())
        raise InputError(
            f"{where(row)}: column {name!r} holds {filled[row].as_py()!r}, but numbers in the rows before"
        ) from error


def _first_refused(array: pa.Array, kind: pa.DataType) -> int:
    """Find the first value that cannot be cast, by halves."""
    low, high = 0, len(array)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            array.slice(low, middle - low).cast(kind)
        except pa.ArrowInvalid:
            high = middle
        else:
            low = middle
    return low
