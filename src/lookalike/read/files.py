"""Files as one source: their items one after the other, in the sorted order of their paths."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError, RecipeError

from . import schemas
from .decode import Decoder
from .folders import choose_entries
from .identify import identify, sniff
from .ids import id_type
from .item_types import default_type, item_type
from .naming import display
from .nested import with_nested
from .paths import STDIN, is_descriptor, list_files
from .ranks import rank_type
from .roles import Roles, choose_roles
from .spool import Spool
from .streams import open_file, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from .base import Batch, FormatName, KindName, Lines
    from .formats import Entry, FileReader
    from .item_types import ItemType
    from .options import Options


class FilesSource:
    """A source made of files."""

    def __init__(self, given: Iterable[str | Path], options: Options) -> None:
        self.has_ids = options.id is not None
        self.encoding_errors = options.encoding_errors
        self._options = options
        self._spool = Spool(options.scratch)
        try:
            self.listing = list_files(given, options.include, options.exclude)
            entries = choose_entries(self.listing, self._entry)
            _check_used(entries, options)
            self._readers = _open_readers(entries, options)
            self.listing.files.clear()  # the readers know them now
            self._wanted, self._decoder = _choose_columns(self._readers, options)
        except BaseException:
            self.close()
            raise
        self._begins: list[int] = []
        self._seen = 0
        self._counted = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The input files."""
        return tuple(path for reader in self._readers for path in reader.paths)

    @property
    def format(self) -> FormatName | None:
        """The format that all files share; None if they differ."""
        formats = {reader.format for reader in self._readers}
        return formats.pop() if len(formats) == 1 else None

    @property
    def delimiter(self) -> str | None:
        """The delimiter that all files share, if they are CSV; what ends in .tsv has tabs anyway."""
        found = {getattr(reader, "kept_delimiter", None) for reader in self._readers}
        return found.pop() if len(found) == 1 else None

    @property
    def kind(self) -> KindName:
        """The kind of the items; if all files are empty, the one asked for, or texts."""
        return self._item_type.name

    @property
    def _item_type(self) -> ItemType:
        if self._decoder is not None:
            return self._decoder.roles.item_type
        return default_type() if self._options.kind is None else item_type(self._options.kind)

    @property
    def element_type(self) -> pa.DataType | None:
        """The type that elements of sets are compared as."""
        texts = self._decoder.roles.texts if self._decoder else ()
        columns = (wanted.field(texts[0]).type for wanted in self._wanted if len(wanted))
        return next(map(self._item_type.element_type, columns), None)

    @property
    def text_column(self) -> str:
        """Name of the column that is compared; "text" if all files are empty."""
        return self._decoder.roles.text if self._decoder else default_type().columns[0]

    @cached_property
    def schema(self) -> pa.Schema:
        """All columns of all files."""
        return schemas.merge(reader.schema for reader in self._readers if len(reader.schema))

    def estimated_rows(self) -> int | None:
        """Return the number of items, exact or estimated; None if that of a file is not known before reading."""
        counts = [reader.estimated_rows() for reader in self._readers]
        return None if None in counts else sum(count for count in counts if count is not None)

    def batches(self) -> Iterator[Batch]:
        """First pass; notes on the way at which item each file begins."""
        first = 0
        for number, (reader, wanted) in enumerate(zip(self._readers, self._wanted, strict=True)):
            if number == len(self._begins):
                self._begins.append(first)
            row = 0
            for columns in reader.select(wanted) if len(wanted) else ():
                self._seen = max(self._seen, first + row + columns.num_rows)
                yield self._batch(reader, columns, first, row)
                row += columns.num_rows
            first += row
        self._counted = True

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: every column, in one schema."""
        for reader in self._readers:
            for batch in reader.rows():
                yield schemas.conform(batch, self.schema, reader.label)

    def raw_lines(self) -> Iterator[Lines] | None:
        """Second pass as lines, if all files are of one format whose rows are lines."""
        if self.format is None:
            return None
        runs = [lines for reader in self._readers if (lines := reader.raw_lines()) is not None]
        return (lines for run in runs for lines in run) if len(runs) == len(self._readers) else None

    def default_ids(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Return file and row of each item, or the file where each file is an item."""
        begins = self._begins_up_to(int(items.max(initial=-1)))
        order = np.argsort(items, kind="stable")
        cuts = np.searchsorted(items[order], begins[1:])
        groups = [group for group in enumerate(np.split(items[order], cuts)) if len(group[1])]
        pieces = [self._readers[owner].default_ids(group - begins[owner]) for owner, group in groups]
        if not pieces:
            return pa.array([], type=pa.large_string())
        back = np.empty(len(items), dtype=np.int64)
        back[order] = np.arange(len(items))
        return pa.concat_arrays(pieces).take(as_arrow(back))

    def locate(self, item: int) -> str:
        """Return the file and the line or row of an item."""
        begins = self._begins_up_to(item)
        owner = int(np.searchsorted(begins, item, side="right")) - 1
        return self._readers[owner].locate(item - int(begins[owner]))

    def conversions(self, *, rows: bool) -> Iterator[str]:
        """Yield a note for each column that is not text in all files, but becomes text because it is in some."""
        wanted = None if rows else {self._decoder.roles.id} if self._decoder else set()
        for name, note in schemas.conversions((reader.label, reader.columns) for reader in self._readers):
            if wanted is None or name in wanted:
                yield note

    def close(self) -> None:
        """Remove temporary copies of the input."""
        self._spool.close()

    def _entry(self, path: Path) -> Entry:
        """Identify a file; what can be read only once is copied first."""
        if str(path) == STDIN:
            if sys.stdin is None:
                raise InputError("standard input is closed; send something, or name a file")
            return sniff(self._spool.add_bytes(sys.stdin.buffer, "stdin"), "stdin", self._options)
        label = display(path)
        with reading(label):
            mode = path.stat().st_mode
        if _is_read_once(path, mode, label):
            with open_file(path) as stream:
                return sniff(self._spool.add_bytes(stream, label), label, self._options)
        return identify(path, label, self._options)

    def _batch(self, reader: FileReader, columns: pa.RecordBatch, first: int, row: int) -> Batch:
        assert self._decoder is not None  # noqa: S101  there are columns, so they were chosen
        return self._decoder.batch(columns, first + row, lambda i: reader.locate(row + i))

    def _begins_up_to(self, item: int) -> npt.NDArray[np.int64]:
        """Return the index of the first item of each file, up to the one that holds an item; counts if need be."""
        if item >= self._seen and not self._counted:
            for _ in self.batches():
                pass
        return np.array(self._begins or [0], dtype=np.int64)


def _is_read_once(path: Path, mode: int, label: str) -> bool:
    """Return whether a file can be read only once; raise if it cannot be read, or may never end."""
    if stat.S_ISSOCK(mode):
        raise InputError(f"{label} is a socket, which cannot be read; send what it says through a pipe")
    if not stat.S_ISCHR(mode):
        return stat.S_ISFIFO(mode)
    if Path(os.devnull).samefile(path):
        return False
    if not is_descriptor(path):
        raise InputError(f"{label} is a device, which may never end; copy what is to be read to a file")
    return True


def _check_used(entries: Sequence[Entry], options: Options) -> None:
    """Raise if there is no file that an option is for."""
    if options.shared:
        return
    if options.delimiter is not None and not any(entry.format.has_delimiter for entry in entries):
        raise RecipeError("`delimiter` is for CSV files, but there are none. Leave it out")
    if options.encoding is not None and not any(entry.format.is_text for entry in entries):
        raise RecipeError("`encoding` is for text files, CSV and JSON Lines, but there are none. Leave it out")


def _open_readers(entries: Sequence[Entry], options: Options) -> list[FileReader]:
    """Open each file, or several at once if they are of a format whose neighbours share a reader."""
    readers: list[FileReader] = []
    for file_format, run in groupby(entries, key=lambda entry: entry.format):
        files = list(run)
        groups = [files] if file_format.grouped else [[file] for file in files]
        readers += [file_format.open(group, options) for group in groups]
    return readers


def _choose_columns(readers: Sequence[FileReader], options: Options) -> tuple[list[pa.Schema], Decoder | None]:
    """Choose the columns from the first file that has any, and require them of all others."""
    decoder: Decoder | None = None
    wanted = []
    ids, ranks, compared = [], [], []
    for reader in readers:
        columns = _columns(reader, options)
        if not len(columns):
            wanted.append(columns)
            continue
        roles = choose_roles(columns, options, reader.label)
        if not options.is_long_table:
            options = replace(options, kind=roles.item_type.name, text=roles.texts)
        wanted.append(_types_to_parse(columns, roles, options))
        ids += [] if roles.id is None else [columns.field(roles.id).type]
        ranks += [] if roles.rank is None else [reader.rank_type(columns.field(roles.rank))]
        compared.append(columns.field(roles.texts[0]).type)
        decoder = Decoder(roles, options, id_type(ids), rank_type(ranks, roles.rank or ""), id_type(compared))
        _check_elements([roles.item_type.element_type(column) for column in compared], reader.label)
    return wanted, decoder


def _check_elements(types: list[pa.DataType | None], label: str) -> None:
    """Raise for sets of numbers in one file and sets of strings in another: they would have nothing in common."""
    first, last = next((one for one in types if one is not None), None), types[-1]
    if last is not None and first != last:
        raise InputError(f"{label}: the sets are of {last}, but of {first} in a file before; make them one type")


def _columns(reader: FileReader, options: Options) -> pa.Schema:
    """Return the columns of the first rows, and the nested ones that the options mention.

    Only if one that they mention is not among the first rows are they those of all rows.
    """
    mentioned = sorted(options.columns())
    columns = reader.with_nested(mentioned)
    if not len(columns) or set(mentioned) <= set(columns.names):
        return columns
    return with_nested(reader.schema, mentioned)


def _types_to_parse(columns: pa.Schema, roles: Roles, options: Options) -> pa.Schema:
    """Return the columns to read and, for JSON, the types to parse them as."""
    types = {name: _parsed(columns.field(name).type) for name in roles.names()}
    if roles.rank is not None and pa.types.is_integer(types[roles.rank]) and roles.rank != roles.id:
        types[roles.rank] = pa.float64()
    if not options.is_long_table:
        types |= {name: roles.item_type.read_as(types[name]) for name in roles.texts}
    return pa.schema(types)


def _parsed(arrow_type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(arrow_type) else arrow_type
