"""The bytes of a file, decompressed, in blocks of whole lines."""

from __future__ import annotations

import contextlib
import lzma
import os
import re
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError, LookalikeError

from .base import Lines
from .xz import open_xz

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

    import numpy.typing as npt

    from .encodings import TextFile

BOM = b"\xef\xbb\xbf"
CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".xz": "xz", ".lz4": "lz4"}
_MAGIC = {
    re.compile(rb"\x1f\x8b\x08"): "gzip",
    re.compile(rb"\x28\xb5\x2f\xfd"): "zstd",
    re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"): "bz2",
    re.compile(rb"\xfd7zXZ\0"): "xz",
    re.compile(rb"\x04\x22\x4d\x18"): "lz4",
}
PYTHON_CODEC = "xz"
"""The one that Arrow does not have."""
_STEP = 1 << 17
"""Bytes searched at a time, so that they stay in the processor's cache."""
_NEWLINE = 10
_SPACES = np.frombuffer(b" \t\r\n", dtype=np.uint8)


@contextlib.contextmanager
def reading(label: str) -> Iterator[None]:
    """Turn any failure to read a file into one sentence."""
    try:
        yield
    except LookalikeError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"{label}: no such file; check the path") from error
    except PermissionError as error:
        raise InputError(f"{label}: no permission to read it; check its owner and mode") from error
    except IsADirectoryError as error:
        raise InputError(f"{label} is a directory, not a file") from error
    except (OSError, EOFError, UnicodeError, lzma.LZMAError, pa.ArrowException) as error:
        raise InputError(f"{label} cannot be read: {_sentence(error)}; it may be truncated or damaged") from error


def _sentence(error: BaseException) -> str:
    """Return the first line of a message, without its full stop."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(reason).splitlines()[0].strip().rstrip(".")


def suffixes_of(path: Path) -> tuple[str, str]:
    """Return the suffix of a file that tells its format, and the one that tells its compression."""
    last = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), last) if last in CODECS else (last, "")


def codec_of(head: bytes) -> str | None:
    """Recognise a compressed file by its first bytes."""
    return next((codec for magic, codec in _MAGIC.items() if magic.match(head)), None)


def open_file(path: Path) -> io.BufferedReader:
    """Open a file for reading from its beginning."""
    return path.open("rb")


def open_seekable(path: Path) -> pa.NativeFile:
    """Open a file for Arrow, which reads parts of it in any order and from any thread."""
    return pa.OSFile(os.fsencode(path))


@contextlib.contextmanager
def open_bytes(path: Path, codec: str | None) -> Iterator[IO[bytes] | Any]:
    """Open a file for reading, decompressing on the way."""
    with open_file(path) as file:
        if codec is None:
            yield file
        elif not file.peek(1):
            raise EOFError("it is compressed, but empty")
        elif codec == PYTHON_CODEC:
            with open_xz(file) as stream:
                yield stream
        else:
            with pa.CompressedInputStream(file, codec) as stream:
                yield stream


def line_blocks(file: TextFile, size: int) -> Iterator[bytes]:
    """Yield a file, as UTF-8, in blocks of approximately `size` bytes that end where a line ends.

    A line that is longer is one block.
    """
    pending: list[bytes] = []
    with file.open() as stream:
        head = stream.read(len(BOM))
        pending.append(head.removeprefix(BOM))
        while chunk := stream.read(size):
            cut = chunk.rfind(b"\n") + 1
            if cut:
                pending.append(chunk[:cut])
                yield b"".join(pending)
                pending.clear()
            pending.append(chunk[cut:])
    if rest := b"".join(pending):
        yield rest


def all_lines(data: bytes, number: int) -> Lines:
    """Return the lines of a block, the first of which has this number."""
    view = np.frombuffer(data, dtype=np.uint8)
    ends = np.concatenate([start + _newlines(view[start : start + _STEP]) for start in range(0, len(view), _STEP)]) + 1
    if not len(ends) or ends[-1] != len(view):
        ends = np.append(ends, len(view))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))
    return Lines(data, starts, ends, np.arange(number, number + len(starts), dtype=np.int64))


def _newlines(view: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(view == _NEWLINE).astype(np.int64, copy=False)


def without_blank(lines: Lines) -> Lines:
    """Leave out lines that hold only spaces. Only lines that begin with a space are checked one by one."""
    view = np.frombuffer(lines.data, dtype=np.uint8)
    suspects = np.flatnonzero(np.isin(view[lines.starts], _SPACES))
    if not len(suspects):
        return lines
    keep = np.ones(len(lines), dtype=np.bool_)
    for i in suspects:
        keep[i] = bool(lines.data[lines.starts[i] : lines.ends[i]].strip(b" \t\r\n"))
    return Lines(lines.data, lines.starts[keep], lines.ends[keep], lines.numbers[keep])


def line_runs(file: TextFile, size: int) -> Iterator[Lines]:
    """Stream the lines of a file, a block at a time."""
    number = 1
    for data in line_blocks(file, size):
        lines = all_lines(data, number)
        number += len(lines)
        yield lines


def estimated_lines(path: Path, codec: str | None) -> int | None:
    """Return the number of lines, estimated from the first megabyte; None if the file is compressed."""
    if codec is not None:
        return None
    with open_file(path) as file:
        head = file.read(1 << 20)
        size = file.seek(0, 2)
    return int(size * max(head.count(b"\n"), 1) / max(len(head), 1))
