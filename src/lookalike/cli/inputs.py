"""Input files that a command reads itself."""

from __future__ import annotations

import sys
from pathlib import Path

from lookalike.errors import InputError
from lookalike.options import EncodingErrors


def read_text(path: Path, errors: EncodingErrors | None = None) -> str:
    """Return the text of a file, or of standard input for -.

    `errors` is what to do about text that is not UTF-8, as chosen by the user; None if there was no choice.
    """
    if str(path) == "-" and sys.stdin is None:
        raise InputError("standard input is closed; send something, or name a file")
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Check the name") from error
    try:
        return data.decode("utf-8-sig", errors or "strict")
    except UnicodeDecodeError as error:
        other = ", or use `encoding_errors='replace'`" if errors else ""
        raise InputError(f"{path} is not valid UTF-8 at byte {error.start}. Convert it to UTF-8{other}") from error
