"""The format of a file: from its name, or from its first bytes where the name does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import InputError

from .encodings import decoded_head
from .formats import CSV, LINES, TEXT, Entry, format_of, formats
from .item_types import default_type, item_type
from .streams import CODECS, codec_of, open_bytes, reading, suffixes_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .formats import FileFormat
    from .options import Options

_HEAD_BYTES = 1 << 16


def identify(path: Path, label: str, options: Options) -> Entry:
    """Identify a file by its name, or else by its first bytes; text is what remains."""
    suffix, compression = suffixes_of(path)
    codec = CODECS.get(compression)
    if options.lines:
        return _lines(path, label, codec)
    found = format_of(suffix)
    if found is None:
        found = _by_magic(_head(path, label, None))
        return Entry(label, path, TEXT, codec) if found is None else Entry(label, path, found)
    if codec and not found.compressible:
        raise InputError(f"{label}: a {suffix[1:]} file must not be compressed as a whole; decompress it first")
    return Entry(label, path, found, codec)


def sniff(path: Path, label: str, options: Options) -> Entry:
    """Identify data that came without a name, as from stdin.

    Parquet and compression show in the first bytes; JSON Lines begin with {; CSV and TSV are recognised by a header
    that names the column to compare. All else must be declared with `lines`.
    """
    codec = codec_of(_head(path, label, None))
    if options.lines:
        return _lines(path, label, codec)
    head, names = _head(path, label, codec), _likely_columns(options)
    if (found := _by_magic(head)) is not None:
        return Entry(label, path, found)
    if options.delimiter is not None:
        return Entry(label, path, CSV, codec)
    head = decoded_head(head, options, label)
    for found in formats():
        if found.recognises is not None and found.recognises(head, names):
            return Entry(label, path, found, codec)
    raise InputError(
        f"{label} is neither parquet, nor JSON Lines, nor CSV with a column {' or '.join(map(repr, names))}; "
        "add `lines` if every line is an item"
    )


def _likely_columns(options: Options) -> Sequence[str]:
    """Return the columns of which a header has one."""
    if options.element is not None:
        return (options.element,)
    if options.texts:
        return options.texts
    return (default_type() if options.kind is None else item_type(options.kind)).columns


def _lines(path: Path, label: str, codec: str | None) -> Entry:
    """Return a file to be read line by line; one that has no lines is refused."""
    if (found := _by_magic(_head(path, label, None))) is not None:
        raise InputError(f"{label} is a {found.name} file, which has no lines; leave out `lines`")
    return Entry(label, path, LINES, codec)


def _by_magic(head: bytes) -> FileFormat | None:
    return next((one for one in formats() if one.magic and head.startswith(one.magic)), None)


def _head(path: Path, label: str, codec: str | None) -> bytes:
    with reading(label), open_bytes(path, codec) as stream:
        return bytes(stream.read(_HEAD_BYTES))
