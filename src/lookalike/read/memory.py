"""What is in memory already: lists, dicts, frames, and all else that speaks Arrow's PyCapsule interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, islice
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from .columns import holds, id_type, is_binary, is_tokens, kind_of, rank_type, storable_schema
from .decode import Plan, make_batch
from .npy import checked, table_of
from .roles import NAMES, choose
from .schemas import conform
from .sparse import sets_of_matrix, weights_of_matrix
from .spool import Spool
from .utf8 import has_surrogate, invalid_utf8, replace_surrogates
from .weights import weights_type

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from .base import Batch, Format, Kind, Lines, Options

_CHUNK = 65_536
_FEWEST, _MOST = 16, 65_536
_PLAIN_SETS = {set, frozenset, list, tuple, type(None)}
_IN_MEMORY = ("pyarrow", "polars", "pandas")


class TableSource:
    """A source made of an Arrow table, in memory or mapped from a spool file."""

    paths: tuple[Path, ...] = ()
    format: Format | None = None

    def __init__(self, table: pa.Table, options: Options, spool: Spool | None = None) -> None:
        self.has_ids = options.id is not None
        self.encoding_errors = options.encoding_errors
        self._table = table
        self._spool = spool
        roles = choose(table.schema, options, "the input")
        ids = [] if roles.id is None else [table.schema.field(roles.id).type]
        ranks = [] if roles.rank is None else [table.schema.field(roles.rank).type]
        self.holds = holds(table.schema.field(roles.text).type, roles.kind)
        elements = id_type([table.schema.field(roles.text).type])
        self._plan = Plan(roles, options, id_type(ids), rank_type(ranks, roles.rank or ""), elements)

    @property
    def kind(self) -> Kind:
        """What items are."""
        return self._plan.roles.kind

    @property
    def schema(self) -> pa.Schema:
        """The table's columns; views become plain strings, which every file format takes."""
        return storable_schema(self._table.schema)

    @property
    def text_column(self) -> str:
        """Name of the column compared."""
        return self._plan.roles.text

    def about(self) -> int | None:
        """Return how many items there are."""
        return int(self._table.num_rows)

    def batches(self) -> Iterator[Batch]:
        """First pass: slices of the text, id and rank columns."""
        first = 0
        wanted = self._table.select(self._plan.roles.names())
        for columns in _slices(wanted, self._plan.options.batch_bytes):
            yield make_batch(columns, self._plan, first, lambda i, first=first: self.where(first + i))  # type: ignore[misc]
            first += columns.num_rows

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: slices of the table."""
        schema = self.schema
        return (conform(batch, schema, "the input") for batch in _slices(self._table, self._plan.options.batch_bytes))

    def raw_rows(self) -> Iterator[Lines] | None:
        """There are no lines in memory."""
        return None

    def names(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Name items by their index."""
        return as_arrow(items)

    def where(self, item: int) -> str:
        """Say which item, counted from 0 as Python does."""
        return f"item {item}"

    def close(self) -> None:
        """Remove what was spooled."""
        if self._spool is not None:
            self._spool.close()


class DictSource(TableSource):
    """A source made of a dict: the keys are ids."""

    def __init__(self, table: pa.Table, options: Options) -> None:
        super().__init__(table, options)
        self._keys = table.column("id")

    def names(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Name items by their keys."""
        keys = self._keys.take(as_arrow(items))
        return keys.combine_chunks()


def open_memory(inputs: object, options: Options) -> TableSource:
    """Make a source of anything that is not a path."""
    if isinstance(inputs, (str, bytes)):
        raise InputError("a single string is not a collection: pass a list of texts, or a pathlib.Path for a file")
    if isinstance(inputs, np.ndarray) and inputs.dtype.kind in "fiub" and options.kind in (None, "vectors", "bits"):
        return _open_matrix(inputs, options)
    if hasattr(inputs, "tocsr"):
        return _open_sparse(inputs, options)
    if isinstance(inputs, Mapping):
        return _open_mapping(inputs, options)
    if hasattr(inputs, "__arrow_c_stream__") or hasattr(inputs, "__arrow_c_array__"):
        return _open_arrow(inputs, options)
    if hasattr(inputs, "to_frame") and hasattr(inputs, "array"):  # a pandas Series before pandas 3
        return TableSource(_single(pa.chunked_array([pa.Array.from_pandas(inputs)]), options), options)
    if isinstance(inputs, Iterable):
        kind, values = _peek(inputs, options)
        options = replace(options, kind=kind)
        return TableSource(pa.table({options.text or NAMES[kind][0]: _arrow(values, kind, options)}), options)
    raise InputError(f"{type(inputs).__name__} is nothing lookalike can read; pass texts, a Path, or an Arrow table")


def _open_matrix(matrix: npt.NDArray[Any], options: Options) -> TableSource:
    bits = options.kind == "bits"
    table = table_of(checked(matrix, "the input", bits=bits), bits=bits)
    return TableSource(table, replace(options, kind="bits" if bits else "vectors", text=table.column_names[0]))


def _open_sparse(matrix: Any, options: Options) -> TableSource:  # noqa: ANN401  whichever kind of sparse matrix
    if options.weight or options.kind == "weights":
        return TableSource(weights_of_matrix(matrix), replace(options, kind="weights"))
    return TableSource(sets_of_matrix(matrix), replace(options, kind="elements"))


def _open_mapping(inputs: Mapping[Any, Any], options: Options) -> TableSource:
    try:
        keys = pa.array(list(inputs), type=pa.large_string() if not inputs else None)
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        raise InputError(
            "the keys of a dict are ids, so they must be of one type, strings or integers of 64 bits"
        ) from error
    kind, values = _peek(inputs.values(), options)
    text = NAMES[kind][0]
    table = pa.table({"id": keys, text: _arrow(values, kind, options)})
    return DictSource(table, replace(options, kind=kind, id="id", text=text))


def _peek(values: Iterable[Any], options: Options) -> tuple[Kind, Iterable[Any]]:
    """See from the first item what items are, unless it is said; and return all of them."""
    if options.kind is not None:
        return options.kind, values
    if isinstance(values, Iterator):
        seen = list(islice(values, _CHUNK))
        first, values = _first(seen), chain(seen, values)
    else:
        first = _first(values)
    if isinstance(first, Mapping) and all(weight is None or isinstance(weight, Real) for weight in first.values()):
        return "weights", values
    if not _is_set(first):
        return "texts", values
    numbers = len(first) and not isinstance(first, AbstractSet) and isinstance(first[0], (float, np.floating))
    return "vectors" if numbers else "elements", values


def _first(values: Iterable[Any]) -> Any:  # noqa: ANN401
    return next((one for one in values if one is not None), None)


def _is_set(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, (AbstractSet, Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def _arrow(values: Iterable[Any], kind: Kind, options: Options) -> pa.ChunkedArray:
    """Convert Python values a chunk at a time, so that an iterator need not be held as a list."""
    wanted = {"tokens": pa.large_list(pa.int64()), "texts": pa.large_string()}.get(kind)
    iterator, chunks, first = iter(values), [], 0
    sets = {"weights": _weighted_sets, "bits": _bits}.get(kind, _sets)
    while chunk := list(islice(iterator, _CHUNK)):
        plain = kind in ("texts", "tokens")
        chunks.append(_chunk(chunk, wanted, options, first) if plain else sets(chunk, wanted, first))
        first += len(chunk)
        if not plain and (is_binary(chunks[-1].type) or len(chunks[-1].values)):
            wanted = chunks[-1].type
    if wanted is None:
        wanted = weights_type(pa.int64()) if kind == "weights" else pa.large_list(pa.int64())
    alike = [pa.nulls(len(one), wanted) if one.null_count == len(one) else one.cast(wanted) for one in chunks]
    return pa.chunked_array(alike, type=wanted)


def _chunk(values: list[Any], kind: pa.DataType, options: Options, first: int) -> pa.Array:
    tokens = pa.types.is_large_list(kind)
    try:
        return _token_lists(values) if tokens else pa.array(values, type=kind)
    except UnicodeError:
        return pa.array([_text(value, options, first + i) for i, value in enumerate(values)], type=kind)
    except (pa.ArrowException, TypeError, OverflowError, ValueError) as error:
        unlike = ((i, v) for i, v in enumerate(values) if not _fits(v, tokens=tokens))
        wrong, value = next(unlike, (0, values[0]))
        wanted = "a list of integers" if tokens else "a string"
        raise InputError(f"item {first + wrong} is {type(value).__name__}, but must be {wanted} or None") from error


def _token_lists(values: list[Any]) -> pa.Array:
    """Convert lists of integers. Their type is seen first: to ask for integers would cut off fractions."""
    try:
        made = pa.array(values)
    except pa.ArrowException:  # arrays of NumPy are of several types
        made = None
    if made is not None and is_tokens(made.type):
        return made.cast(pa.large_list(pa.int64()))
    if not all(map(_is_list_of_integers, values)):
        raise TypeError("tokens are lists of integers")
    return pa.array([one.tolist() if isinstance(one, np.ndarray) else one for one in values], pa.large_list(pa.int64()))


def _is_list_of_integers(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and (value.dtype.kind in "iu" or not value.size)
    return value is None or (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in value)
    )


def _sets(values: list[Any], kind: pa.DataType | None, first: int) -> pa.Array:
    """Convert sets, or lists, of strings or integers; all of one type, which the first ones decide."""
    for i, value in () if set(map(type, values)) <= _PLAIN_SETS else enumerate(values):
        if value is not None and not _is_set(value):
            raise InputError(f"item {first + i} is {type(value).__name__}, but must be a set, a list or None")
    sizes = [0 if value is None else len(value) for value in values]
    offsets = np.append(0, np.cumsum(sizes, dtype=np.int64))
    missing = as_arrow(np.array([value is None for value in values], bool))
    elements = list(chain.from_iterable(value for value in values if value is not None))
    flat = _elements(elements, offsets, None if kind is None else kind.value_type, first)
    return pa.LargeListArray.from_arrays(as_arrow(offsets), flat, mask=missing)


def _bits(values: list[Any], kind: pa.DataType | None, first: int) -> pa.Array:
    """Convert bytes, or integers of 64 bits; and lists of either bytes or truth values as others."""
    plain = isinstance(_first(values), (bytes, bytearray, int, np.integer)) if kind is None else is_binary(kind)
    if not plain:
        return _sets(values, kind, first)
    return pa.array([_row_of_bits(value, first + i) for i, value in enumerate(values)], pa.large_binary())


def _row_of_bits(value: Any, item: int) -> bytes | None:  # noqa: ANN401
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputError(f"item {item} is {type(value).__name__}, but must be bytes, an integer or None")
    try:
        return int(value).to_bytes(8, "big", signed=bool(value < 0))
    except OverflowError as error:
        raise InputError(f"item {item} is {value}, but an integer must have 64 bits. Use bytes") from error


def _weighted_sets(values: list[Any], kind: pa.DataType | None, first: int) -> pa.Array:
    """Convert dicts of elements to weights; elements are all of one type, which the first ones decide."""
    for i, value in enumerate(values):
        if value is not None and not isinstance(value, Mapping):
            raise InputError(f"item {first + i} is {type(value).__name__}, but must be a dict of weights or None")
    offsets = np.append(0, np.cumsum([0 if value is None else len(value) for value in values], dtype=np.int64))
    missing = as_arrow(np.array([value is None for value in values], bool))
    filled = [value for value in values if value is not None]
    elements = list(chain.from_iterable(filled))
    flat = _elements(elements, offsets, None if kind is None else kind.value_type[0].type, first)
    weights = list(chain.from_iterable(value.values() for value in filled))
    try:
        numbers = pa.array(weights, type=pa.float64())
    except (pa.ArrowException, TypeError, OverflowError, ValueError) as error:
        wrong = _first_unlike(weights, pa.large_list(pa.float64()))
        row = int(np.searchsorted(offsets, wrong, side="right")) - 1
        raise InputError(
            f"item {first + row}: the weight of {elements[wrong]!r} is {weights[wrong]!r}, but must be a number"
        ) from error
    pairs = pa.StructArray.from_arrays([flat, numbers], ["element", "weight"])
    return pa.LargeListArray.from_arrays(as_arrow(offsets), pairs, mask=missing)


def _elements(elements: list[Any], offsets: npt.NDArray[np.int64], kind: pa.DataType | None, first: int) -> pa.Array:
    """Convert the elements of sets that begin and end there."""
    try:
        return pa.array(elements, type=kind)
    except (pa.ArrowException, TypeError, OverflowError, ValueError) as error:
        wrong = _first_unlike(elements, None if kind is None else pa.large_list(kind))
        row = int(np.searchsorted(offsets, wrong, side="right")) - 1
        held = type(elements[wrong]).__name__
        raise InputError(
            f"item {first + row} holds {held}, but elements must be all strings, or all integers of 64 bits"
        ) from error


def _first_unlike(elements: list[Any], kind: pa.DataType | None) -> int:
    """Find the first element that does not go with those before it."""
    for i, element in enumerate(elements):
        try:
            one = pa.array([element], type=None if kind is None else kind.value_type)
        except (pa.ArrowException, TypeError, OverflowError, ValueError):
            return i
        if kind is None and not pa.types.is_null(one.type):
            kind = pa.large_list(one.type)
    return len(elements) - 1


def _text(value: Any, options: Options, item: int) -> Any:  # noqa: ANN401
    if not isinstance(value, str) or not has_surrogate(value):
        return value
    if options.encoding_errors == "strict":
        raise invalid_utf8(f"item {item}")
    return replace_surrogates(value)


def _fits(value: Any, *, tokens: bool) -> bool:  # noqa: ANN401
    try:
        _token_lists([value]) if tokens else pa.array([value], type=pa.large_string())
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        return False
    return True


def _open_arrow(inputs: Any, options: Options) -> TableSource:  # noqa: ANN401
    """Keep what is in memory; spool a stream that can be read only once, or is computed on demand."""
    if hasattr(inputs, "__arrow_c_array__"):
        array = pa.array(inputs)
        if pa.types.is_struct(array.type):
            return TableSource(pa.table(pa.record_batch(inputs)), options)
        return TableSource(_single(pa.chunked_array([array]), options), options)
    module = type(inputs).__module__.partition(".")[0]
    if module in _IN_MEMORY and not isinstance(inputs, pa.RecordBatchReader):
        return TableSource(_table(inputs, options), options)
    return _open_stream(inputs, options)


def _table(inputs: Any, options: Options) -> pa.Table:  # noqa: ANN401
    """Import a frame, or a series as the one column of a table."""
    try:
        return pa.RecordBatchReader.from_stream(inputs).read_all()
    except (pa.ArrowInvalid, TypeError):
        return _single(pa.chunked_array(inputs), options)


def _single(column: pa.ChunkedArray, options: Options) -> pa.Table:
    kind = options.kind or kind_of(column.type)
    return pa.table({options.text or NAMES[kind][0]: column})


def _open_stream(inputs: Any, options: Options) -> TableSource:  # noqa: ANN401
    spool = Spool(options.scratch)
    try:
        path = spool.add_batches(pa.RecordBatchReader.from_stream(inputs))
        with pa.memory_map(str(path)) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
        return TableSource(table, options, spool)
    except BaseException:
        spool.close()
        raise


def _slices(table: pa.Table, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    average = table.nbytes / max(1, table.num_rows)
    size = int(min(_MOST, max(_FEWEST, batch_bytes // max(1.0, average))))
    return (batch for batch in table.to_batches(max_chunksize=size) if batch.num_rows)
