"""Lines of files, copied byte for byte."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read import Lines

    Mask = npt.NDArray[np.bool_]

_NEWLINE = ord("\n")


class LineCopier:
    """Copies lines to a file. A line that has no end gets one before another line follows it."""

    def __init__(self, file: IO[bytes], encoding_errors: EncodingErrors) -> None:
        self._file = file
        self._replaces = encoding_errors == "replace"
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
        """Write lines as they are, or with U+FFFD in place of what is not UTF-8, if that was asked for."""
        if self._replaces:
            try:
                str(lines, "utf-8")
            except UnicodeDecodeError:
                self._file.write(str(lines, "utf-8", "replace").encode())
                return
        self._file.write(lines)
