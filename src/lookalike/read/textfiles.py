"""Plain text: an item a file, or an item a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow

from .columns import as_text
from .naming import display
from .part import OneFile
from .streams import BOM, line_runs, lines_about, open_bytes, reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from .base import Format, Lines, Options

_NEWLINE, _RETURN = 10, 13


class TextFilesPart:
    """Files in a row, each one item."""

    format: Format = "text"
    columns = schema = pa.schema([("path", pa.large_string()), ("text", pa.large_string())])

    def __init__(self, paths: Sequence[Path], codecs: Sequence[str | None], options: Options) -> None:
        self.paths = tuple(paths)
        self.label = display(paths[0])
        self._labels = [display(path) for path in paths]
        self._codecs = codecs
        self._options = options

    def about(self) -> int | None:
        """Return how many files there are."""
        return len(self.paths)

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

    def raw_rows(self) -> Iterator[Lines]:
        """Refuse: an item is a file."""
        raise NotImplementedError

    def names(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Name each file by its path."""
        return pa.array(self._labels, type=pa.large_string()).take(as_arrow(rows))

    def where(self, row: int) -> str:
        """Name the file."""
        return self._labels[row]

    def _read(self, index: int) -> bytes:
        with reading(self._labels[index]), open_bytes(self.paths[index], self._codecs[index]) as stream:
            data: bytes = stream.read()
        return data.removeprefix(BOM)

    def _batch(self, first: int, texts: list[bytes]) -> pa.RecordBatch:
        labels = pa.array(self._labels[first : first + len(texts)], type=pa.large_string())
        return pa.record_batch([labels, as_text(pa.array(texts, type=pa.large_binary()))], schema=self.schema)


class LinesPart(OneFile):
    """One text file, each line an item, empty lines too."""

    format: Format = "text"
    columns = schema = pa.schema([("text", pa.large_string())])

    def about(self) -> int | None:
        """Return how many lines there are, judging by the first; None if the file is compressed."""
        return lines_about(self._path, self._codec)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream the lines; there is one column."""
        return (batch.select(wanted.names) for batch in self.rows())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream the lines without their ends."""
        with reading(self.label):
            for lines in line_runs(self._path, self._codec, self._options.batch_bytes):
                yield pa.record_batch([_line_array(lines)], schema=self.schema)

    def where(self, row: int) -> str:
        """Name the file and the line."""
        return f"{self.label}, line {row + 1}"


def _line_array(lines: Lines) -> pa.Array:
    """Make an Arrow array of lines by leaving out the bytes that end them."""
    view = np.frombuffer(lines.data, dtype=np.uint8)
    drop = view == _NEWLINE
    drop[:-1] |= (view[:-1] == _RETURN) & drop[1:]
    dropped = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(drop)))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), lines.ends - dropped[lines.ends]))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(view[~drop])]
    return pa.Array.from_buffers(pa.large_string(), len(lines), buffers)
