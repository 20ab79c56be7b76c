"""The standard streams of a command: complete, in UTF-8, and with errors of their own.

Results that cannot be written end a command, and only they are an error of standard output. Messages that cannot be
written are dropped: a job whose log is gone still has its work to do.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys

TYPE_CHECKING = False  # importing `typing` would delay the moment from which on Ctrl-C is handled

if TYPE_CHECKING:
    from typing import TextIO

    from typing_extensions import Buffer


replaced: list[TextIO | None] = []
"""Streams that were replaced. They stay, because they might close their files."""


class ReaderGone(BaseException):
    """Raised when nobody reads standard output any more, as with `| head`. Unlike an OSError, Typer lets it pass."""


class StandardOutputError(OSError):
    """Standard output cannot be written."""


class Results(io.FileIO):
    """Standard output, whose errors are told apart from those of other files."""

    def write(self, data: Buffer) -> int:
        """Write bytes, waiting for a slow reader."""
        try:
            return write_patiently(self, data)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            raise StandardOutputError(error.errno, error.strerror) from error


class Messages(io.FileIO):
    """Standard error, which loses what it cannot write."""

    def write(self, data: Buffer) -> int:
        """Write bytes if that is possible."""
        with contextlib.suppress(OSError):
            return write_patiently(self, data)
        return memoryview(data).nbytes


def write_patiently(file: io.FileIO, data: Buffer) -> int:
    """Write bytes; if the file does not block, wait until it has room."""
    while (written := io.FileIO.write(file, data)) is None:
        select.select([], [file], [])
    return written


def prepare_streams() -> None:
    """Open the standard streams that are closed, and make the output independent of the locale.

    Without this, the next file opened would become standard output. Standard output that was closed is an error once
    something is written to it, unlike one that is discarded: it is opened for reading.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number, which is this one
    replaced.extend((sys.stdout, sys.stderr))
    sys.stdout = prepared(sys.stdout, 1, Results)
    sys.stderr = prepared(sys.stderr, 2, Messages)


def prepared(stream: TextIO | None, number: int, kind: type[io.FileIO]) -> TextIO:
    """Return a stream with its own kind of errors, with UTF-8 in pipes, and escapes for what a terminal cannot show."""
    if stream is None:
        return io.TextIOWrapper(io.BufferedWriter(kind(number, "wb", closefd=False)), "utf-8", "backslashreplace")
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # it was replaced, by a test for example
    encoding = stream.encoding if stream.isatty() or kind is Messages else "utf-8"
    if raw_file(stream) is None:
        stream.reconfigure(encoding=encoding, errors="backslashreplace")
        return stream
    at_once = stream.line_buffering or stream.write_through  # as with PYTHONUNBUFFERED
    file = io.BufferedWriter(kind(stream.fileno(), "wb", closefd=False))
    return io.TextIOWrapper(file, encoding, "backslashreplace", line_buffering=at_once)


def raw_file(stream: TextIO) -> io.FileIO | None:
    """Return the file below a stream of text, if there is one."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw if isinstance(raw, io.FileIO) else None


def discard_output() -> None:
    """Send the rest of standard output to nowhere, which Python would otherwise flush at exit."""
    if (file := raw_file(sys.stdout)) is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
