"""Input files that a command reads itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lookalike.checks import refuse_url
from lookalike.errors import InputError
from lookalike.options import EncodingErrors
from lookalike.read.binaries import refuse_binary

HEAD_BYTES = 1 << 16
"""Bytes in which a file that is not text is recognised."""


def read_text(path: Path, errors: EncodingErrors | None = None, encoding: str | None = None) -> str:
    """Return the text of a file, or of standard input for -.

    `errors` is what to do about invalid text, as chosen by the user; None if there was no choice. The encoding is
    UTF-8, or what a byte order mark says, unless another one is given.
    """
    if str(path) == "-" and sys.stdin is None:
        raise InputError("standard input is closed; send something, or name a file")
    if not os.path.lexists(path):
        refuse_url(path, InputError)
    from lookalike.read.encodings import decoded
    from lookalike.read.options import Options

    options = Options(encoding=encoding, encoding_errors=errors or "strict")
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Check the name") from error
    refuse_binary(data[:HEAD_BYTES], path.suffix.lower(), str(path), known_only=encoding is not None)
    try:
        return decoded(data, options, str(path)).decode("utf-8", errors or "strict")
    except UnicodeDecodeError as error:
        other = ", or use `encoding_errors='replace'`" if errors else ""
        raise InputError(f"{path} is not valid UTF-8 at byte {error.start}. Convert it to UTF-8{other}") from error
