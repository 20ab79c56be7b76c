"""Encodings: text files in any of them, read as a stream of UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
import contextlib
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InputError, RecipeError

from .spool import Spool
from .streams import PYTHON_CODEC, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.options import EncodingErrors

    from .options import Options

UTF8 = "utf-8"
_MARKS = {
    codecs.BOM_UTF8: (UTF8, UTF8),
    codecs.BOM_UTF32_LE: ("utf-32", "utf-32-le"),
    codecs.BOM_UTF32_BE: ("utf-32", "utf-32-be"),
    codecs.BOM_UTF16_LE: ("utf-16", "utf-16-le"),
    codecs.BOM_UTF16_BE: ("utf-16", "utf-16-be"),
}
"""Byte order marks and the encodings that begin with them; that of UTF-16 also begins one of UTF-32."""
_NEED_A_MARK = ("utf-16", "utf-32")
_LONGEST_MARK = max(map(len, _MARKS))
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def canonical(name: object) -> str:
    """Return the canonical name of an encoding of text; raise if there is none."""
    try:
        found = codecs.lookup(name) if isinstance(name, str) else None
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding:  # noqa: SLF001 - what bytes.decode asks, too
        raise RecipeError(f"`encoding` must be an encoding such as utf-8, utf-16, latin-1 or cp1252. Got {name!r}")
    return found.name.removesuffix("-sig")


def encoding_of(head: bytes, wanted: str | None, label: str) -> str:
    """Return the encoding of a file: the one wanted, else the one whose byte order mark it begins with, or UTF-8."""
    marked = next((names for mark, names in _MARKS.items() if head.startswith(mark)), None)
    if wanted is None:
        return marked[0] if marked else UTF8
    if marked and wanted not in marked:
        raise InputError(
            f"{label} begins with the byte order mark of {marked[-1].upper()}, but `encoding` is {wanted}; leave "
            "`encoding` out, or read the file separately"
        )
    if head and not marked and wanted in _NEED_A_MARK:
        raise InputError(
            f"{label} has no byte order mark, so `encoding` {wanted} does not say how to read it; use {wanted}-le or "
            f"{wanted}-be"
        )
    return wanted


def decoded(data: bytes, options: Options, label: str) -> bytes:
    """Return the text of a file as UTF-8, without a byte order mark."""
    encoding = encoding_of(data[:_LONGEST_MARK], options.encoding, label)
    if encoding == UTF8:
        return data.removeprefix(codecs.BOM_UTF8)
    return _Decoder(encoding, options.encoding_errors, label).decode(data, final=True)


def decoded_head(data: bytes, options: Options, label: str) -> bytes:
    """Return the beginning of a file as UTF-8, as far as it can be decoded."""
    encoding = encoding_of(data[:_LONGEST_MARK], options.encoding, label)
    if encoding == UTF8:
        return data.removeprefix(codecs.BOM_UTF8)
    return _Decoder(encoding, "replace", label).decode(data, final=False)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of text, plain or compressed, in any encoding."""

    label: str
    path: Path
    codec: str | None
    encoding: str | None
    """The encoding wanted; None for UTF-8, or what a byte order mark says."""
    errors: EncodingErrors
    scratch: Path | str | None

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes] | Any]:
        """Open it as UTF-8. A file that is UTF-8 is passed on as it is, byte order mark included."""
        encoding = self._encoding()
        with open_bytes(self.path, self.codec) as stream:
            yield stream if encoding == UTF8 else _Utf8Stream(stream, _Decoder(encoding, self.errors, self.label))

    def open_native(self) -> pa.NativeFile:
        """Open it as a stream of Arrow's own, which Arrow's threads may use, and close, at any time.

        A Python file must not be passed to them: a thread that is still reading when Python ends waits for the
        interpreter lock forever, or aborts the process. Other encodings, and .xz files, become a temporary file first.
        The stream is closed with its last user, not before: its number might be another file's by then.
        """
        if self._encoding() == UTF8 and self.codec != PYTHON_CODEC:
            file = pa.OSFile(os.fsencode(self.path))
            return pa.CompressedInputStream(file, self.codec) if self.codec else file
        spool = Spool(self.scratch)
        try:
            with self.open() as stream:
                return pa.OSFile(os.fsencode(spool.add_bytes(stream, self.label)))
        finally:
            spool.close()

    def head(self, size: int) -> bytes:
        """Return approximately the first bytes, as UTF-8 without a byte order mark."""
        with self.open() as stream:
            return bytes(stream.read(size)).removeprefix(codecs.BOM_UTF8)

    def _encoding(self) -> str:
        with open_bytes(self.path, self.codec) as stream:
            return encoding_of(bytes(stream.read(_LONGEST_MARK)), self.encoding, self.label)


class _Decoder:
    """Makes UTF-8 of bytes in another encoding, as they come."""

    def __init__(self, encoding: str, errors: EncodingErrors, label: str) -> None:
        self._encoding, self._label = encoding, label
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._fed = 0
        self._begun = False

    def decode(self, data: bytes, *, final: bool) -> bytes:
        """Return the text of the next bytes."""
        self._fed += len(data)
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            place = self._fed - len(error.object) + error.start
            raise InputError(
                f"{self._label}, byte {place}: not valid {self._encoding}; check `encoding`, or use "
                "`encoding_errors` replace to insert U+FFFD instead"
            ) from error
        if text and not self._begun:
            self._begun, text = True, text.removeprefix(_MARK)
        return text.encode(UTF8, "surrogatepass")


class _Utf8Stream:
    """A stream of bytes in another encoding, as UTF-8. It may return a few bytes more or less than asked for."""

    def __init__(self, stream: IO[bytes], decoder: _Decoder) -> None:
        self._stream, self._decoder = stream, decoder

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; none at the end."""
        while True:
            data = bytes(self._stream.read() if size < 0 else self._stream.read(size))
            text = self._decoder.decode(data, final=not data or size < 0)
            if text or not data:
                return text
