"""File formats: how a file is recognised, and what a reader of it offers.

A format is a `FileFormat` in a file of its own, and a line in the registry (see the package). Its reader streams
columns; what they mean is not its concern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lookalike.read.encodings import TextFile
from lookalike.read.naming import numbered
from lookalike.read.nested import with_nested

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from lookalike.read.base import FormatName, Lines
    from lookalike.read.options import Options


class FileReader(Protocol):
    """Rows of one file, or of neighbouring text files."""

    format: FormatName
    paths: tuple[Path, ...]
    label: str
    """What messages call it."""

    @property
    def columns(self) -> pa.Schema:
        """Columns as far as they are known cheaply; none if the file is empty."""

    @property
    def schema(self) -> pa.Schema:
        """Columns as `rows` delivers them."""

    def with_nested(self, names: Sequence[str]) -> pa.Schema:
        """Return `columns`, followed by the nested ones among some names, as far as they are known cheaply."""

    def estimated_rows(self) -> int | None:
        """Return the number of rows, exact or estimated; None if it is not known before reading."""

    def rank_type(self, column: pa.Field) -> pa.DataType:
        """Return the type that a column is compared as, if it is the rank."""

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns, nested ones too; formats without types of their own parse them as the types given."""

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""

    def raw_lines(self) -> Iterator[Lines] | None:
        """Stream the lines that rows are made from; None if a row is not a line."""

    def default_ids(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Return default ids of some rows, counted from 0."""

    def locate(self, row: int) -> str:
        """Return where a row, counted from 0, stands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `label` is the name the user knows; `path` differs from it if the input was copied."""

    label: str
    path: Path
    format: FileFormat
    codec: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FileFormat:
    """How files of one format are recognised and opened."""

    name: FormatName
    open: Callable[[Sequence[Entry], Options], FileReader]
    """Opens a file; or several at once, if `grouped`."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of data files: those that are read from a folder."""
    other_suffixes: tuple[str, ...] = ()
    """Suffixes that are read as this format, but do not make a file in a folder a data file."""
    compressible: bool = True
    """Whether such a file may be compressed as a whole."""
    magic: bytes = b""
    """First bytes that are enough to recognise such a file."""
    recognises: Callable[[bytes, Sequence[str]], bool] | None = None
    """Returns whether data without a name has this format: from its first bytes, and the columns that it may have."""
    grouped: bool = False
    """Whether neighbouring files share a reader."""
    is_text: bool = True
    """Whether such a file is text, which has an encoding."""
    has_delimiter: bool = False
    """Whether its values are separated by a delimiter."""


def text_file(entry: Entry, options: Options) -> TextFile:
    """Return a file as one of text, in the encoding that the options name."""
    errors, scratch = options.encoding_errors, options.scratch
    return TextFile(entry.label, entry.path, entry.codec, options.encoding, errors, scratch)


class SingleFile:
    """What most readers have in common: one file whose items are its rows, plain or compressed."""

    if TYPE_CHECKING:

        @property
        def columns(self) -> pa.Schema:
            """Columns as far as they are known cheaply."""

    def __init__(self, entry: Entry, options: Options) -> None:
        self.paths: tuple[Path, ...] = (entry.path,)
        self.label = entry.label
        self._path = entry.path
        self._codec = entry.codec
        self._options = options
        self._text = text_file(entry, options)

    def with_nested(self, names: Sequence[str]) -> pa.Schema:
        """Return the columns, followed by the nested ones among some names."""
        return with_nested(self.columns, names)

    def rank_type(self, column: pa.Field) -> pa.DataType:
        """Return the type of a column."""
        return column.type

    def raw_lines(self) -> Iterator[Lines] | None:
        """Return None: a row is not a line, unless a format says so."""
        return None

    def default_ids(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Return path:row for each row; a header or a blank line is not counted."""
        return numbered(self.label, rows)

    def locate(self, row: int) -> str:
        """Return the file and the row, counted from 1."""
        return f"{self.label}, row {row + 1}"
