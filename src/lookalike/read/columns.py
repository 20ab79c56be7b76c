"""Arrow column types: what they are, and how layouts that say the same become one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def is_string(arrow_type: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's three string layouts."""
    return any(test(arrow_type) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def is_binary(arrow_type: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's layouts of bytes, which may be text."""
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(test(arrow_type) for test in tests)


def is_list(arrow_type: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's list layouts."""
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return any(test(arrow_type) for test in tests)


def is_number(arrow_type: pa.DataType) -> bool:
    """Return whether a type is numeric."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(arrow_type) for test in tests)


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column without chunks, dictionaries, views and extension types, which are a matter of layout only."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = without_views(array, storable(array.type)).dictionary_decode()
    arrow_type = plain_type(array.type)
    return array if arrow_type == array.type else array.cast(arrow_type)


def plain_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type that `plain` gives a column of this type."""
    if isinstance(arrow_type, pa.BaseExtensionType):
        return plain_type(arrow_type.storage_type)
    if pa.types.is_dictionary(arrow_type):
        return plain_type(arrow_type.value_type)
    if pa.types.is_string_view(arrow_type):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(arrow_type) else arrow_type


def storage_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type that an extension type is stored as, and any other as it is."""
    return storage_type(arrow_type.storage_type) if isinstance(arrow_type, pa.BaseExtensionType) else arrow_type


def storable(arrow_type: pa.DataType) -> pa.DataType:
    """Return a type without views of strings or bytes, at any depth: not all of Arrow's kernels support them yet."""
    if pa.types.is_dictionary(arrow_type):
        return pa.dictionary(arrow_type.index_type, storable(arrow_type.value_type), ordered=arrow_type.ordered)
    if pa.types.is_list(arrow_type):
        return pa.list_(arrow_type.value_field.with_type(storable(arrow_type.value_type)))
    if pa.types.is_large_list(arrow_type):
        return pa.large_list(arrow_type.value_field.with_type(storable(arrow_type.value_type)))
    if pa.types.is_fixed_size_list(arrow_type):
        return pa.list_(arrow_type.value_field.with_type(storable(arrow_type.value_type)), arrow_type.list_size)
    if pa.types.is_struct(arrow_type):
        return pa.struct([field.with_type(storable(field.type)) for field in arrow_type])
    is_view = pa.types.is_string_view(arrow_type) or pa.types.is_binary_view(arrow_type)
    return plain_type(arrow_type) if is_view else arrow_type


def storable_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema without dictionaries of views, which no file format holds."""
    fields = [
        field.with_type(storable(field.type)) if pa.types.is_dictionary(field.type) else field for field in schema
    ]
    return pa.schema(fields, metadata=schema.metadata)


def filter_rows(rows: pa.RecordBatch, mask: pa.Array) -> pa.RecordBatch:
    """Return the rows where a mask is true, in the same types; Arrow cannot filter views itself."""
    if all(storable(field.type) == field.type for field in rows.schema):
        return rows.filter(mask)
    return pa.record_batch([_filtered(column, mask) for column in rows.columns], schema=rows.schema)


def _filtered(array: pa.Array, mask: pa.Array) -> pa.Array:
    wanted = storable(array.type)
    if wanted == array.type or pa.types.is_dictionary(array.type):
        return array.filter(mask)
    return array.cast(wanted).filter(mask).cast(array.type)


def without_views(array: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Cast an array to its storable type; Arrow has no cast for dictionaries of views."""
    if array.type == arrow_type:
        return array
    is_dictionary = pa.types.is_dictionary(arrow_type) and pa.types.is_dictionary(array.type)
    if is_dictionary and arrow_type == storable(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(arrow_type.value_type))
    return array.cast(arrow_type)


def as_text(array: pa.Array) -> pa.Array:
    """Return a column of strings or bytes as `string` or `large_string`, unchecked."""
    array = plain(array)
    if is_binary(array.type) or pa.types.is_null(array.type):
        options = pc.CastOptions(target_type=pa.large_string(), allow_invalid_utf8=True)
        array = array.cast(options=options)
    return array


def as_lists(array: pa.Array, value_type: pa.DataType) -> pa.Array:
    """Return lists of any layout as `large_list` of a type."""
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        array = pa.array(array.to_pylist(), pa.large_list(array.type.value_type))  # a cast loses lists (pyarrow 26.0)
    return array.cast(pa.large_list(value_type))


def first_refused(array: pa.Array, arrow_type: pa.DataType) -> int:
    """Return the index of the first value that cannot be cast, found by bisection."""
    low, high = 0, len(array)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            array.slice(low, middle - low).cast(arrow_type)
        except pa.ArrowInvalid:
            high = middle
        else:
            low = middle
    return low
