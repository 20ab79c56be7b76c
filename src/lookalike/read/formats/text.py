"""Plain text: one item per file, or one item per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.read.columns import as_text
from lookalike.read.encodings import decoded
from lookalike.read.naming import display
from lookalike.read.streams import estimated_lines, line_runs, open_bytes, reading

from .base import FileFormat, SingleFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from lookalike.read.base import Lines
    from lookalike.read.options import Options

    from .base import Entry

_NEWLINE, _RETURN = 10, 13


class TextFilesReader:
    """Neighbouring text files, each one item: there may be very many, so they share a reader."""

    format = "text"
    columns = schema = pa.schema([("path", pa.large_string()), ("text", pa.large_string())])

    def __init__(self, entries: Sequence[Entry], options: Options) -> None:
        self.paths = tuple(entry.path for entry in entries)
        self._labels = [display(path) for path in self.paths]
        self.label = self._labels[0]
        self._codecs = [entry.codec for entry in entries]
        self._options = options

    def estimated_rows(self) -> int | None:
        """Return the number of files."""
        return len(self.paths)

    def with_nested(self, names: Sequence[str]) -> pa.Schema:  # noqa: ARG002 - there are none
        """Return the columns."""
        return self.columns

    def rank_type(self, column: pa.Field) -> pa.DataType:
        """Return the type of a column."""
        return column.type

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns."""
        return (batch.select(wanted.names) for batch in self.rows())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream paths and texts."""
        first, size, texts = 0, 0, []
        for index in range(len(self.paths)):
            texts.append(self._read(index))
            size += len(texts[-1])
            if size >= self._options.batch_bytes:
                yield self._batch(first, texts)
                first, size, texts = index + 1, 0, []
        if texts:
            yield self._batch(first, texts)

    def raw_lines(self) -> Iterator[Lines] | None:
        """Return None: an item is a file."""
        return None

    def default_ids(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Return the path of each file."""
        return pa.array(self._labels, type=pa.large_string()).take(as_arrow(rows))

    def locate(self, row: int) -> str:
        """Return the file."""
        return self._labels[row]

    def _read(self, index: int) -> bytes:
        with reading(self._labels[index]), open_bytes(self.paths[index], self._codecs[index]) as stream:
            data: bytes = stream.read()
        return decoded(data, self._options, self._labels[index])

    def _batch(self, first: int, texts: list[bytes]) -> pa.RecordBatch:
        labels = pa.array(self._labels[first : first + len(texts)], type=pa.large_string())
        return pa.record_batch([labels, as_text(pa.array(texts, type=pa.large_binary()))], schema=self.schema)


class LinesReader(SingleFile):
    """One text file whose lines are items, empty lines included."""

    format = "lines"
    columns = schema = pa.schema([("text", pa.large_string())])

    def estimated_rows(self) -> int | None:
        """Return the number of lines, estimated from the first; None if the file is compressed."""
        return estimated_lines(self._path, self._codec)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream the lines; there is one column."""
        return (batch.select(wanted.names) for batch in self.rows())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream the lines without their line ends."""
        return (pa.record_batch([_line_array(lines)], schema=self.schema) for lines in self.raw_lines())

    def raw_lines(self) -> Iterator[Lines]:
        """Stream the lines, with their ends."""
        with reading(self.label):
            yield from line_runs(self._text, self._options.batch_bytes)

    def locate(self, row: int) -> str:
        """Return the file and the line."""
        return f"{self.label}, line {row + 1}"


def _line_array(lines: Lines) -> pa.Array:
    """Return lines as an Arrow array, by leaving out the bytes that end them."""
    view = np.frombuffer(lines.data, dtype=np.uint8)
    drop = view == _NEWLINE
    drop[:-1] |= (view[:-1] == _RETURN) & drop[1:]
    dropped = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(drop)))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), lines.ends - dropped[lines.ends]))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(view[~drop])]
    return pa.Array.from_buffers(pa.large_string(), len(lines), buffers)


TEXT = FileFormat("text", TextFilesReader, grouped=True)
"""One item per file: what a file is read as if its name and first bytes do not say."""

LINES = FileFormat("lines", lambda entries, options: LinesReader(entries[0], options))
"""One item per line: what a file is read as with the option `lines`, or the format lines."""
