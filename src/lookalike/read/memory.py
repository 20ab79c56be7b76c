"""Items in memory: lists, dicts, frames, matrices, and all else that supports Arrow's PyCapsule interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError, RecipeError

from .decode import Decoder
from .ids import id_type
from .item_types import guess_from_column, item_type, matrix_type, set_type
from .matrices import is_numeric
from .nested import flat, path_of, with_nested
from .paths import Listing, idle_option
from .python_values import are_records, peek, to_column, to_table
from .ranks import rank_type
from .roles import choose_roles
from .spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from .base import Batch, FormatName, KindName, Lines
    from .item_types import ItemType
    from .options import Options

_MIN_ROWS, _MAX_ROWS = 16, 65_536
_LABEL = "the input"
_IN_MEMORY = ("pyarrow", "polars", "pandas")


class TableSource:
    """A source made of an Arrow table, in memory or mapped from a temporary file."""

    paths: tuple[Path, ...] = ()
    format: FormatName | None = None
    delimiter: str | None = None

    def __init__(self, table: pa.Table, options: Options, spool: Spool | None = None) -> None:
        self.has_ids = options.id is not None
        self.encoding_errors = options.encoding_errors
        self.listing = Listing(idle=idle_option(options.include, options.exclude))
        self._table = table
        self._spool = spool
        columns = with_nested(table.schema, sorted(options.columns()))
        roles = choose_roles(columns, options, _LABEL)
        column = columns.field(roles.texts[0]).type
        ids = [] if roles.id is None else [columns.field(roles.id).type]
        ranks = [] if roles.rank is None else [columns.field(roles.rank).type]
        self.element_type = roles.item_type.element_type(column)
        self._decoder = Decoder(roles, options, id_type(ids), rank_type(ranks, roles.rank or ""), id_type([column]))

    @property
    def kind(self) -> KindName:
        """The kind of the items."""
        return self._decoder.roles.item_type.name

    @property
    def schema(self) -> pa.Schema:
        """The table's columns."""
        return self._table.schema

    @property
    def text_column(self) -> str:
        """Name of the column that is compared."""
        return self._decoder.roles.text

    def estimated_rows(self) -> int | None:
        """Return the number of items."""
        return int(self._table.num_rows)

    def batches(self) -> Iterator[Batch]:
        """First pass: slices of the item, id and rank columns."""
        first = 0
        names = self._decoder.roles.names()
        paths = [path_of(self._table.schema, name) or (name,) for name in names]
        wanted = self._table.select(list(dict.fromkeys(path[0] for path in paths)))
        for columns in _slices(wanted, self._decoder.options.batch_bytes):
            yield self._decoder.batch(flat(columns, names), first, lambda i, first=first: self.locate(first + i))  # type: ignore[misc]
            first += columns.num_rows

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: slices of the table."""
        return _slices(self._table, self._decoder.options.batch_bytes)

    def raw_lines(self) -> Iterator[Lines] | None:
        """Return None: there are no lines in memory."""
        return None

    def default_ids(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Return the index of each item."""
        return as_arrow(items)

    def locate(self, item: int) -> str:
        """Return which item it is, counted from 0 as Python does."""
        return f"item {item}"

    def conversions(self, *, rows: bool) -> Iterator[str]:  # noqa: ARG002 - there is one table
        """Yield nothing: a column of a table has one type."""
        yield from ()

    def close(self) -> None:
        """Remove the temporary copy, if there is one."""
        if self._spool is not None:
            self._spool.close()


class DictSource(TableSource):
    """A source made of a dict, whose keys are ids."""

    def __init__(self, table: pa.Table, options: Options) -> None:
        super().__init__(table, options)
        self._keys = table.column("id")

    def default_ids(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Return the key of each item."""
        return self._keys.take(as_arrow(items)).combine_chunks()


def open_memory(inputs: object, options: Options) -> TableSource:
    """Open anything that is in memory, or comes as a stream."""
    _refuse_file_options(options)
    if isinstance(inputs, (str, bytes)):
        raise InputError("a single text is not a collection; pass a list of texts")
    if isinstance(inputs, np.ndarray) and not inputs.ndim:
        raise InputError("an array without dimensions holds a single value, not a collection; pass a list of items")
    if isinstance(inputs, np.ndarray) and is_numeric(inputs) and _takes_matrix(options):
        wanted = matrix_type(options.kind)
        wanted.check_matrix(inputs, _LABEL)
        return _single(wanted.from_matrix(inputs), wanted, replace(options, text=None))
    if hasattr(inputs, "tocsr"):
        return _open_sparse(inputs, options)
    if isinstance(inputs, Mapping):
        return _open_mapping(inputs, options)
    if hasattr(inputs, "__arrow_c_stream__") or hasattr(inputs, "__arrow_c_array__"):
        return _open_arrow(inputs, options)
    if hasattr(inputs, "to_frame") and hasattr(inputs, "array"):  # a pandas Series before pandas 3
        return _open_column(pa.chunked_array([pa.Array.from_pandas(inputs)]), options)
    if isinstance(inputs, Iterable):
        return _open_values(inputs, options)
    raise InputError(
        f"a value of type {type(inputs).__name__} cannot be read; pass a list of items, a path, or an Arrow table"
    )


def _open_values(inputs: Iterable[Any], options: Options) -> TableSource:
    """Open Python values: items, or the rows of a table."""
    if isinstance(inputs, (list, tuple)) and are_records(inputs, options):
        return TableSource(to_table(inputs), options)
    wanted, values = peek(inputs, options)
    return _single(to_column(values, wanted, options), wanted, options)


def _refuse_file_options(options: Options) -> None:
    for name in ("delimiter", "encoding"):
        if getattr(options, name) is not None and not options.shared:
            raise RecipeError(f"`{name}` is for files, but the items are in memory. Leave it out")


def _check_values(column: pa.Array | pa.ChunkedArray, wanted: ItemType) -> None:
    """Raise if values cannot be items of the kind asked for; a column that has no name is not mentioned."""
    if not wanted.fits(column.type):
        raise InputError(f"{_LABEL} holds values of type {column.type}, but {wanted.rule}")


def _takes_matrix(options: Options) -> bool:
    return options.kind is None or item_type(options.kind).reads_matrices


def _single(column: pa.Array | pa.ChunkedArray, wanted: ItemType, options: Options) -> TableSource:
    """Make a source of one column."""
    _check_values(column, wanted)
    return TableSource(pa.table({_name(wanted, options): column}), replace(options, kind=wanted.name))


def _name(wanted: ItemType, options: Options) -> str:
    """Return the name of a column that has none."""
    if len(options.texts) > 1:
        raise InputError(f"{_LABEL} is a single column, but `text` names {len(options.texts)}; pass a table")
    return options.texts[0] if options.texts else wanted.columns[0]


def _open_sparse(matrix: Any, options: Options) -> TableSource:  # noqa: ANN401 - any of SciPy's sparse matrices
    is_weighted = bool(options.weight) or (options.kind is not None and item_type(options.kind).is_weighted)
    wanted = set_type(weighted=is_weighted)
    table = pa.table({wanted.columns[0]: wanted.from_sparse(matrix)})
    return TableSource(table, replace(options, kind=wanted.name))


def _open_mapping(inputs: Mapping[Any, Any], options: Options) -> TableSource:
    try:
        keys = pa.array(list(inputs), type=pa.large_string() if not inputs else None)
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        raise InputError("the keys of a dict are ids, so they must be all strings, or all 64-bit integers") from error
    wanted, values = peek(inputs.values(), options)
    name, column = wanted.columns[0], to_column(values, wanted, options)
    _check_values(column, wanted)
    table = pa.table({"id": keys, name: column})
    return DictSource(table, replace(options, kind=wanted.name, id="id", text=name))


def _open_arrow(inputs: Any, options: Options) -> TableSource:  # noqa: ANN401
    """Open what is in memory as it is; copy a stream that can be read only once, or is computed on demand."""
    if hasattr(inputs, "__arrow_c_array__"):
        array = pa.array(inputs)
        if pa.types.is_struct(array.type):
            return TableSource(pa.table(pa.record_batch(inputs)), options)
        return _open_column(pa.chunked_array([array]), options)
    module = type(inputs).__module__.partition(".")[0]
    if module not in _IN_MEMORY or isinstance(inputs, pa.RecordBatchReader):
        return _open_stream(inputs, options)
    try:
        table = pa.RecordBatchReader.from_stream(inputs).read_all()
    except (pa.ArrowInvalid, TypeError):  # a series
        return _open_column(pa.chunked_array(inputs), options)
    return TableSource(table, options)


def _open_column(column: pa.ChunkedArray, options: Options) -> TableSource:
    """Make a source of a column without a name."""
    wanted = guess_from_column(column.type) if options.kind is None else item_type(options.kind)
    _check_values(column, wanted)
    return TableSource(pa.table({_name(wanted, options): column}), options)


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
    size = int(min(_MAX_ROWS, max(_MIN_ROWS, batch_bytes // max(1.0, average))))
    return (batch for batch in table.to_batches(max_chunksize=size) if batch.num_rows)
