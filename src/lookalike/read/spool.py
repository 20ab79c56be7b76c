"""Temporary copies of what can be read only once, so that it can be read twice."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pyarrow as pa

from lookalike.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

_COPY_BYTES = 1 << 20
_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux lets an open file be opened again although it has no name."""
_SUFFIX = ".spool"
"""Suffix of temporary files on other systems, where they have a name."""


class Spool:
    """Temporary files of one source; removed on `close`, or with the object, or when Python ends.

    On Linux they have no name, so that nothing is left behind however the process ends.
    """

    def __init__(self, scratch: Path | str | None) -> None:
        self._scratch = scratch
        self._finalizers: list[weakref.finalize[[int, Path], Spool]] = []

    def add_bytes(self, stream: IO[bytes], label: str) -> Path:
        """Copy a stream of bytes to a file. The label names the stream in messages."""

        def copy(file: IO[bytes]) -> None:
            while data := read_some(stream, label):
                file.write(data)

        return self._add(copy)

    def add_batches(self, reader: pa.RecordBatchReader) -> Path:
        """Copy a stream of record batches to an Arrow IPC file."""

        def copy(file: IO[bytes]) -> None:
            with pa.ipc.new_file(file, reader.schema) as writer:
                for batch in reader:
                    writer.write_batch(batch)

        return self._add(copy)

    def close(self) -> None:
        """Remove the files."""
        for finalizer in self._finalizers:
            finalizer()

    def _add(self, fill: Callable[[IO[bytes]], None]) -> Path:
        try:
            handle, path = self._new_file()
        except OSError as error:
            raise OutputError(
                f"no temporary file can be created in {self._scratch or tempfile.gettempdir()} ({error.strerror}); "
                "choose another folder with `scratch`"
            ) from error
        self._finalizers.append(weakref.finalize(self, _remove, handle, path))
        try:
            with os.fdopen(handle, "wb", closefd=False) as file:
                fill(file)
        except OSError as error:
            raise OutputError(
                f"the temporary file {path} cannot be written: {error}; choose another folder with `scratch`"
            ) from error
        except pa.ArrowException as error:
            raise InputError(f"the input stream failed: {str(error).splitlines()[0]}") from error
        return path

    def _new_file(self) -> tuple[int, Path]:
        """Open a file; where it can be opened again without a name, it never has one."""
        if _OPEN_FILES.is_dir():
            with tempfile.TemporaryFile(dir=self._scratch) as file:
                handle = os.dup(file.fileno())
            return handle, _OPEN_FILES / str(handle)
        handle, name = tempfile.mkstemp(prefix="lookalike-", suffix=_SUFFIX, dir=self._scratch)
        return handle, Path(name)


def read_some(stream: IO[bytes], label: str) -> bytes:
    """Read the next bytes of a stream."""
    try:
        return stream.read(_COPY_BYTES)
    except OSError as error:
        raise InputError(
            f"{label} cannot be read: {(error.strerror or str(error)).lower()}; check what it is"
        ) from error


def is_spooled(path: Path) -> bool:
    """Return whether a path is that of a temporary copy, which means nothing to people."""
    return path.parent == _OPEN_FILES or path.suffix == _SUFFIX


def _remove(handle: int, path: Path) -> None:
    os.close(handle)
    if path.parent != _OPEN_FILES:
        path.unlink(missing_ok=True)
