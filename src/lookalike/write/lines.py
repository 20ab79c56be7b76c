"""Lines of files, copied byte for byte."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read import Lines

    Mask = npt.NDArray[np.bool_]

_NEWLINE = ord("\n")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
"""An escape in JSON: two halves of a character, a half alone, or any other, so that backslashes are read in pairs."""


class LineCopier:
    """Copies lines to a file. A line that has no end gets one before another line follows it."""

    def __init__(self, file: IO[bytes], encoding_errors: EncodingErrors, *, has_escapes: bool = False) -> None:
        self._file = file
        self._replaces = encoding_errors == "replace"
        self._has_escapes = has_escapes
        self._is_open = False

    def copy(self, lines: Lines, mask: Mask) -> None:
        """Write the lines picked; neighbouring ones at once."""
        if len(mask) < len(lines):
            return  # more lines than in the first pass: the count will tell
        starts, ends = lines.starts[mask], lines.ends[mask]
        if not len(starts):
            return
        self.end_line()
        breaks = np.flatnonzero(starts[1:] != ends[:-1])
        view = memoryview(lines.data)
        for start, end in zip(starts[np.append(0, breaks + 1)], ends[np.append(breaks, -1)], strict=True):
            self._write(view[start:end])
        self._is_open = view[ends[-1] - 1] != _NEWLINE

    def end_line(self) -> None:
        """End the last line, if nothing does."""
        if self._is_open:
            self._file.write(b"\n")
            self._is_open = False

    def _write(self, lines: memoryview) -> None:
        """Write lines as they are, or with U+FFFD in place of what is no character, if that was asked for."""
        self._file.write(self._replaced(lines) if self._replaces else lines)

    def _replaced(self, lines: memoryview) -> memoryview | bytes:
        """Return lines with U+FFFD in place of bytes that are not UTF-8, and of escapes that are half a character."""
        replaced: memoryview | bytes = lines
        try:
            str(lines, "utf-8")
        except UnicodeDecodeError:
            replaced = str(lines, "utf-8", "replace").encode()
        if self._has_escapes and _SURROGATE.search(replaced):
            return b"\n".join(map(_without_halves, bytes(replaced).split(b"\n")))
        return replaced


def _without_halves(line: bytes) -> bytes:
    """Return a line of JSON with U+FFFD in place of escapes that are half a character."""
    if _SURROGATE.search(line) is None:
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["half"] else match[0], line)
