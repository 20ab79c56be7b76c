"""Files as one source: their items one after the other, in the sorted order of their paths."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from . import schemas
from .columns import holds, id_type, plain_type, rank_type
from .decode import Plan, make_batch
from .delimited import DelimitedPart
from .jsonl import JsonlPart
from .naming import display
from .npy import NpyPart
from .parquet import ParquetPart
from .paths import STDIN, Entry, expand, identify, sniff
from .roles import Roles, choose
from .spool import Spool
from .textfiles import LinesPart, TextFilesPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from .base import Batch, Format, Kind, Lines, Options, Part


class FilesSource:
    """A source made of files."""

    def __init__(self, given: Iterable[str | Path], options: Options) -> None:
        self.has_ids = options.id is not None
        self.encoding_errors = options.encoding_errors
        self._options = options
        self._spool = Spool(options.scratch)
        try:
            self._parts = _make_parts([self._entry(path) for path in expand(given, lines=options.lines)], options)
            self._wanted, self._plan = _choose_columns(self._parts, options)
        except BaseException:
            self.close()
            raise
        self._counts: list[int] | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The input files."""
        return tuple(path for part in self._parts for path in part.paths)

    @property
    def format(self) -> Format | None:
        """The format all files share, if they do."""
        formats = {part.format for part in self._parts}
        return formats.pop() if len(formats) == 1 else None

    @property
    def kind(self) -> Kind:
        """What items are; what was asked for, or texts, if all files are empty."""
        return self._plan.roles.kind if self._plan else self._options.kind or "texts"

    @property
    def holds(self) -> pa.DataType | None:
        """As what the elements of sets are told apart."""
        kinds = (holds(wanted.field(self.text_column).type, self.kind) for wanted in self._wanted if len(wanted))
        return next(kinds, None)

    @property
    def text_column(self) -> str:
        """Name of the column compared; "text" if all files are empty."""
        return self._plan.roles.text if self._plan else "text"

    @cached_property
    def schema(self) -> pa.Schema:
        """All columns of all files."""
        return schemas.merge(part.schema for part in self._parts if len(part.schema))

    def about(self) -> int | None:
        """Return how many items there are, about; None if a file does not tell."""
        counts = [part.about() for part in self._parts]
        return None if None in counts else sum(count for count in counts if count is not None)

    def batches(self) -> Iterator[Batch]:
        """First pass; counts the items of each file on the way."""
        counts: list[int] = []
        for part, wanted in zip(self._parts, self._wanted, strict=True):
            first, row = sum(counts), 0
            for columns in part.select(wanted) if len(wanted) else ():
                yield self._batch(part, columns, first, row)
                row += columns.num_rows
            counts.append(row)
        self._counts = counts

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: every column, in one schema."""
        for part in self._parts:
            for batch in part.rows():
                yield schemas.conform(batch, self.schema, part.label)

    def raw_rows(self) -> Iterator[Lines] | None:
        """Second pass as lines, if all files are JSON Lines."""
        if self.format != "jsonl":
            return None
        return (lines for part in self._parts for lines in part.raw_rows())

    def names(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Name items by file and row, or by file where a file is an item."""
        starts = self._starts()
        order = np.argsort(items, kind="stable")
        cuts = np.searchsorted(items[order], starts[1:])
        groups = [group for group in enumerate(np.split(items[order], cuts)) if len(group[1])]
        pieces = [self._parts[owner].names(group - starts[owner]) for owner, group in groups]
        if not pieces:
            return pa.array([], type=pa.large_string())
        back = np.empty(len(items), dtype=np.int64)
        back[order] = np.arange(len(items))
        return pa.concat_arrays(pieces).take(as_arrow(back))

    def where(self, item: int) -> str:
        """Name the file and the line or row of an item."""
        starts = self._starts()
        owner = int(np.searchsorted(starts, item, side="right")) - 1
        return self._parts[owner].where(item - int(starts[owner]))

    def close(self) -> None:
        """Remove what was spooled."""
        self._spool.close()

    def _entry(self, path: Path) -> Entry:
        """Identify a file; what can be read only once is spooled first."""
        if str(path) == STDIN:
            if sys.stdin is None:
                raise InputError("standard input is closed; send something, or name a file")
            return sniff(self._spool.add_bytes(sys.stdin.buffer), "stdin", self._options)
        label = display(path)
        if stat.S_ISFIFO(path.stat().st_mode):
            with path.open("rb") as stream:
                return sniff(self._spool.add_bytes(stream), label, self._options)
        return identify(path, label, self._options)

    def _batch(self, part: Part, columns: pa.RecordBatch, first: int, row: int) -> Batch:
        assert self._plan is not None  # noqa: S101  there are columns, so they were chosen
        return make_batch(columns, self._plan, first + row, lambda i: part.where(row + i))

    def _starts(self) -> npt.NDArray[np.int64]:
        """Index of the first item of each file; counts them if the first pass has not ended yet."""
        if self._counts is None:
            for _ in self.batches():
                pass
        return np.concatenate(([0], np.cumsum(self._counts or [0])[:-1])).astype(np.int64)


def _make_parts(entries: Sequence[Entry], options: Options) -> list[Part]:
    """Make a part of each file; neighbouring text files share one, since there may be very many."""
    parts: list[Part] = []
    texts: list[Entry] = []
    for entry in entries:
        if entry.format == "text" and not options.lines:
            texts.append(entry)
            continue
        parts += _text_part(texts, options)
        texts = []
        parts.append(_make_part(entry, options))
    return parts + _text_part(texts, options)


def _text_part(entries: list[Entry], options: Options) -> list[Part]:
    if not entries:
        return []
    return [TextFilesPart([entry.path for entry in entries], [entry.codec for entry in entries], options)]


def _make_part(entry: Entry, options: Options) -> Part:
    if entry.format == "parquet":
        return ParquetPart(entry.path, entry.label, options)
    if entry.format == "npy":
        return NpyPart(entry.path, entry.label, options)
    if entry.format == "jsonl":
        return JsonlPart(entry.path, entry.label, options, entry.codec)
    if entry.format == "csv":
        return DelimitedPart(entry.path, entry.label, options, entry.codec, entry.delimiter)
    return LinesPart(entry.path, entry.label, options, entry.codec)


def _choose_columns(parts: Sequence[Part], options: Options) -> tuple[list[pa.Schema], Plan | None]:
    """Choose the columns by the first file that has any, and require them of all others."""
    plan: Plan | None = None
    wanted = []
    ids, ranks, elements = [], [], []
    for part in parts:
        columns = _columns(part, options)
        if not len(columns):
            wanted.append(columns)
            continue
        roles = choose(columns, options, part.label)
        if not options.long:
            options = replace(options, kind=roles.kind, text=roles.text)
        wanted.append(_wish(columns, roles, options))
        ids += [] if roles.id is None else [columns.field(roles.id).type]
        ranks += [] if roles.rank is None else [_rank_kind(part, columns, roles.rank)]
        elements.append(columns.field(roles.text).type)
        plan = Plan(roles, options, id_type(ids), rank_type(ranks, roles.rank or ""), id_type(elements))
        _check_alike([holds(kind, roles.kind) for kind in elements], part.label)
    return wanted, plan


def _check_alike(held: list[pa.DataType | None], label: str) -> None:
    """Refuse sets of numbers in one file and sets of strings in another: they would have nothing in common."""
    first, last = next((kind for kind in held if kind is not None), None), held[-1]
    if last is not None and first != last:
        raise InputError(f"{label}: the sets are of {last}, but of {first} in a file before; make them one type")


def _columns(part: Part, options: Options) -> pa.Schema:
    """Look at the first rows of a file, and at all of them only if they lack a column that was asked for."""
    columns = part.columns
    weight = options.weight if isinstance(options.weight, str) else None
    asked = {options.text, options.id, options.rank, options.item, options.element, weight} - {None}
    return columns if not len(columns) or asked <= set(columns.names) else part.schema


def _wish(columns: pa.Schema, roles: Roles, options: Options) -> pa.Schema:
    """Say which columns to read and, for JSON, as what."""
    fields = {name: _readable(columns.field(name).type) for name in roles.names()}
    if roles.rank is not None and pa.types.is_integer(fields[roles.rank]) and roles.rank != roles.id:
        fields[roles.rank] = pa.float64()
    if not options.long:
        fields[roles.text] = _wish_for_items(fields[roles.text], roles.kind)
    return pa.schema(fields)


def _wish_for_items(found: pa.DataType, kind: Kind) -> pa.DataType:
    if kind == "texts":
        return pa.string()
    if kind == "vectors":
        return pa.list_(pa.float64())  # even if the first ones are whole numbers
    if kind in ("weights", "bits"):
        return found
    return pa.list_(pa.int64() if kind == "tokens" else _readable(plain_type(found).value_type))


def _readable(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(kind) else kind


def _rank_kind(part: Part, columns: pa.Schema, name: str) -> pa.DataType:
    """Take CSV columns for what they look like (as strings, 9 would be above 10), and JSON integers for any numbers."""
    kind = columns.field(name).type
    if isinstance(part, DelimitedPart) and part.is_number(name):
        return pa.float64()
    if isinstance(part, JsonlPart) and pa.types.is_integer(kind):
        return pa.float64()  # a fraction may follow
    return kind
