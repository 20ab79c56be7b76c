"""Files in the .xz format: one or several streams, with nothing but padding between and after them.

Python's own reader ignores whatever follows a stream and is not one, so that rows of a damaged file would be lost
without a word.
"""

from __future__ import annotations

import io
import lzma
from typing import IO

_READ_BYTES = 1 << 17
_PADDING = 4
"""The padding after a stream is a multiple of so many zero bytes."""


def open_xz(file: IO[bytes]) -> io.BufferedReader:
    """Open a compressed file for reading what it holds."""
    return io.BufferedReader(_XzStreams(file), _READ_BYTES)


class _XzStreams(io.RawIOBase):
    """The content of all streams of a file, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decompressor = lzma.LZMADecompressor()
        self._input = b""
        self._ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader passes a memoryview
        """Fill a buffer as far as the next decompressed bytes do; 0 at the end."""
        while not self._ended:
            if self._decompressor.eof:
                self._begin_next(self._decompressor.unused_data)
                continue
            if data := self._decompress(len(buffer)):
                buffer[: len(data)] = data
                return len(data)
        return 0

    def _decompress(self, size: int) -> bytes:
        fresh, self._input = self._input, b""
        if not fresh and self._decompressor.needs_input and not (fresh := self._file.read(_READ_BYTES)):
            raise EOFError("the compressed data ends too early")
        return self._decompressor.decompress(fresh, size)

    def _begin_next(self, rest: bytes) -> None:
        """Skip the padding after a stream, and begin the next one if there is one."""
        padding = 0
        while True:
            begin = rest.lstrip(b"\0")
            padding += len(rest) - len(begin)
            if begin or not (rest := self._file.read(_READ_BYTES)):
                break
        if padding % _PADDING:
            raise lzma.LZMAError("Padding that is not a multiple of four bytes")
        self._ended = not begin
        if begin:
            self._decompressor, self._input = lzma.LZMADecompressor(lzma.FORMAT_XZ), begin
