"""Columns on disk for what does not fit in memory.

A column is an unnamed temporary file: the system removes it when the process ends, however it ends, so nothing is left
behind. It is appended to with plain writes and read through a memory map, whose pages are released on request: resident
memory stays small however long the column is.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from lookalike.errors import OutputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)

MIN_MAPPED = 1 << 20
"""Minimum number of bytes mapped."""

WRITE_BYTES = 1 << 18
"""Bytes written at a time. Linux caches what is written at once as one piece, and maps such a piece as a whole: a byte
read from a piece of 8 MiB would count as 8 MiB of memory."""

MAX_RESIDENT = 128 << 20
"""Default number of bytes that reading a column may bring into memory before they are released."""

CHECK_INTERVAL = 4
"""Calls of `trim` per check of how much memory is resident, since checking takes time."""


class Column(Generic[T]):
    """An array on disk that grows at its end."""

    def __init__(self, folder: Path, dtype: type[T]) -> None:
        self._folder = folder
        self._file = temporary_file(folder)
        self._dtype = np.dtype(dtype)
        self._lock = threading.Lock()
        self._map: mmap.mmap | None = None
        self._mapped = 0
        self._reads = 0
        self.max_resident = MAX_RESIDENT
        self.size = 0

    def append(self, values: NDArray[T]) -> int:
        """Write values at the end and return the index of the first. Several threads may append at a time."""
        with self._lock:
            begin = self.size
            self.size += values.size
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        at = begin * self._dtype.itemsize
        try:
            while data:
                written = os.pwrite(self._file.fileno(), data[:WRITE_BYTES], at)
                data = data[written:]
                at += written
        except OSError as error:
            raise scratch_error(self._folder, error) from error
        return begin

    def view(self) -> NDArray[T]:
        """Return all values as one read-only array, which is read from disk as it is used."""
        if self.size == 0:
            empty = np.empty(0, self._dtype)
            empty.flags.writeable = False
            return empty
        if self._map is None or len(self._map) < self.size * self._dtype.itemsize:
            self._map = self._mapping()
        return np.frombuffer(self._map, self._dtype, self.size)

    def _mapping(self) -> mmap.mmap:
        """Map twice the size, so that the map still serves when the column has grown; unwritten bytes take no space."""
        self._mapped = file_bytes_in_memory()
        length = max(2 * self.size * self._dtype.itemsize, MIN_MAPPED)
        try:
            os.ftruncate(self._file.fileno(), length)
        except OSError as error:
            raise scratch_error(self._folder, error) from error
        return mmap.mmap(self._file.fileno(), length, access=mmap.ACCESS_READ)

    def read(self, begin: int, out: NDArray[T]) -> None:
        """Fill `out` with the values from `begin` on."""
        data = out.view(np.uint8).data
        at = begin * self._dtype.itemsize
        while data:
            read = os.preadv(self._file.fileno(), [data], at)
            if not read:
                raise OutputError(
                    f"A file in the scratch folder {self._folder} was truncated. Choose another folder with `scratch`"
                )
            data = data[read:]
            at += read

    def trim(self) -> None:
        """Release the memory that reading has taken, if it is much; the values stay on disk."""
        self._reads += 1
        if self._reads % CHECK_INTERVAL == 0 and file_bytes_in_memory() > self._mapped + self.max_resident:
            self.forget()

    def forget(self) -> None:
        """Release the memory that reading has taken, however little."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
            self._mapped = file_bytes_in_memory()

    def close(self) -> None:
        """Delete the column."""
        self._map = None
        self._file.close()


class Scratch:
    """The temporary columns and files of a run, in one folder; deleted together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._columns: list[Column[Any]] = []
        self._files: list[Any] = []

    def column(self, dtype: type[T]) -> Column[T]:
        """Create a column."""
        column = Column(self.folder, dtype)
        self._columns.append(column)
        return column

    def file(self) -> Any:  # noqa: ANN401 - typeshed has no one name for it
        """Create a temporary file, for what is not a column."""
        file = temporary_file(self.folder)
        self._files.append(file)
        return file

    def close(self) -> None:
        """Delete all columns and files."""
        for one in (*self._columns, *self._files):
            one.close()


def file_bytes_in_memory() -> int:
    """Return how many bytes of files are resident in memory, code included; 0 if the system does not say."""
    try:
        with Path("/proc/self/statm").open("rb", buffering=0) as file:
            return int(file.read().split()[2]) * mmap.PAGESIZE
    except OSError:
        return 0


def temporary_file(folder: Path) -> Any:  # noqa: ANN401 - typeshed has no one name for it
    """Create an unnamed file in the scratch folder."""
    try:
        return tempfile.TemporaryFile(dir=folder, buffering=0)
    except OSError as error:
        raise scratch_error(folder, error) from error


def scratch_error(folder: Path, error: OSError) -> OutputError:
    """Return the error that says why the scratch folder cannot be used, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        why = "is full"
    else:
        why = f"cannot be written ({(error.strerror or str(error)).lower()})"
    return OutputError(f"The scratch folder {folder} {why}. Choose another one with `scratch`")
