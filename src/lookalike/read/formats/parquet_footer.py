"""The footer of a parquet file, checked before pyarrow hands out parts of it.

What is wrong with the record of a column is a C++ exception that `RowGroupMetaData.column` does not catch: it ends the
process. Reading catches it. So each row group is read as far as its first byte, from a file that has none.
"""

from __future__ import annotations

import io

import pyarrow.parquet as pq


class _NoDataError(OSError):
    """Data was asked for: the footer is in order."""


class _NoData(io.RawIOBase):
    """A file with a size, but nothing to read."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, _size: int = -1) -> bytes:
        raise _NoDataError


def check_footer(footer: pq.FileMetaData, size: int) -> None:
    """Raise as Arrow does if the record of a column is damaged."""
    file = pq.ParquetFile(_NoData(size), metadata=footer, pre_buffer=False, buffer_size=1 << 16)
    for group in range(footer.num_row_groups):
        try:
            next(file.iter_batches(batch_size=1, row_groups=[group], use_threads=False), None)
        except _NoDataError:
            continue
