"""Output formats: how a file name asks for one, and what a writer of it offers.

A format is an `OutputFormat` in a file of its own, and a line in the registry (see the package).
"""

from __future__ import annotations

import contextlib
import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from lookalike.errors import LookalikeError, OutputError
from lookalike.write.unwritable import UnwritableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


STDOUT = "-"
"""The path of standard output."""


def shown(path: Path) -> str:
    """Return what messages call an output."""
    return "standard output" if str(path) == STDOUT else str(path)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn any failure to write a file into one sentence; only that nobody reads standard output stays what it is."""
    try:
        yield
    except UnwritableError as error:
        raise OutputError(f"{shown(path)} cannot be written: {error}") from error
    except LookalikeError:
        raise
    except BrokenPipeError as error:
        if str(path) == STDOUT:
            raise
        raise OutputError(f"{path} cannot be written: its reader has closed it; start the reader again") from error
    except OSError as error:
        raise OutputError(f"{shown(path)} cannot be written: {_reason(error)}") from error
    except (pa.ArrowException, UnicodeError) as error:
        raise OutputError(f"{shown(path)} cannot be written: {_sentence(error)}; choose another format") from error


def _sentence(error: Exception) -> str:
    """Return the first line of a message, without its full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; free some space, or choose another place"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "no permission there; choose another place"
    return f"{error.strerror or error}; choose another place"


class Writer(Protocol):
    """Writes rows to a file, a batch at a time."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""

    def close(self) -> None:
        """Write what remains, such as a footer."""

    def discard(self) -> None:
        """Release the file, which will be removed."""


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """How files of one format are named and written."""

    name: str
    """The name of the input format that it corresponds to."""
    suffixes: tuple[str, ...]
    open: Callable[..., Writer]
    """Makes a writer of a path, which is for messages, an open file, and a schema; and of a delimiter if it is kept."""
    compressible: bool = True
    """Whether the file may be compressed as a whole."""
    copies_lines: bool = False
    """Whether rows of a file of the same format can be copied line by line."""
    has_escapes: bool = False
    """Whether these lines are JSON, in which an escape such as \\ud800 may be half a character."""
    ends_lines: bool = True
    """Whether the last of these lines must have an end, even if it had none."""
    keeps_delimiter: bool = False
    """Whether rows of delimited files are written with the delimiter that they had."""
    same_format_only: bool = False
    """Whether it holds only rows of files of the same format."""
    holds: str = "any rows"
    """What rows it holds, for messages."""
    streamable: bool = True
    """Whether it is written from beginning to end, so that it can go to a pipe."""
    is_text: bool = True
    """Whether a terminal can show it."""
