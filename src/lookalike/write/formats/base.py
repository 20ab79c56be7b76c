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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn any failure to write a file into one sentence."""
    try:
        yield
    except LookalikeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {_reason(error)}") from error
    except pa.ArrowException as error:
        raise OutputError(f"{path} cannot be written: {str(error).splitlines()[0]}; choose another format") from error


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
    keeps_delimiter: bool = False
    """Whether rows of delimited files are written with the delimiter that they had."""
    same_format_only: bool = False
    """Whether it holds only rows of files of the same format."""
