"""The format of a file: as asked for, from its name, or from its first bytes where neither says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import InputError

from .binaries import refuse_binary
from .encodings import decoded_head
from .formats import CSV, LINES, TEXT, Entry, format_named, format_of, formats
from .item_types import default_type, item_type
from .streams import CODECS, codec_of, open_bytes, reading, suffixes_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .formats import FileFormat
    from .options import Options

_HEAD_BYTES = 1 << 16


def identify(path: Path, label: str, options: Options) -> Entry:
    """Identify a file by its name, or else by its first bytes; text is what remains.

    A file that is compressed is recognised by its first bytes, too.
    """
    suffix, compression = suffixes_of(path)
    raw = _head(path, label, None)
    codec = CODECS.get(compression) or codec_of(raw)
    told = _asked(options) or format_of(suffix)
    _check_compression(told, codec, label)
    head = raw if codec is None else _head(path, label, codec)
    found = told or _by_magic(head) or TEXT
    _check(found, head, suffix, label, options)
    _check_compression(found, codec, label)
    return Entry(label, path, found, codec)


def sniff(path: Path, label: str, options: Options) -> Entry:
    """Identify data that came without a name, as from stdin.

    Parquet, arrays and compression show in the first bytes; JSON Lines begin with {; CSV and TSV are recognised by a
    header that names the column to compare. All else must be declared with `format`.
    """
    codec = codec_of(_head(path, label, None))
    head, names = _head(path, label, codec), _likely_columns(options)
    found = _asked(options) or _by_magic(head)
    if found is None and options.delimiter is not None:
        found = CSV
    if found is None:
        text = decoded_head(head, options, label)
        found = next((one for one in formats() if one.recognises is not None and one.recognises(text, names)), None)
    _check(found or TEXT, head, "", label, options)
    _check_compression(found, codec, label)
    if found is None:
        raise InputError(
            f"{label} is neither parquet, nor JSON Lines, nor CSV with a column {' or '.join(map(repr, names))}; "
            "name its `format`, or add `lines` if every line is an item"
        )
    return Entry(label, path, found, codec)


def _asked(options: Options) -> FileFormat | None:
    """Return the format that the options ask for; None if they leave it open."""
    if options.lines:
        return LINES
    return None if options.format is None else format_named(options.format)


def _check_compression(found: FileFormat | None, codec: str | None, label: str) -> None:
    if codec is not None and found is not None and not found.compressible:
        raise InputError(f"{label}: a {found.name} file must not be compressed as a whole; decompress it first")


def _check(found: FileFormat, head: bytes, suffix: str, label: str, options: Options) -> None:
    """Raise if the first bytes are those of another format, or of a kind of file that cannot be read."""
    other = _by_magic(head)
    if other is not None and other is not found:
        if options.lines:
            raise InputError(f"{label} is a {other.name} file, which has no lines; leave out `lines`")
        raise InputError(f"{label} is a {other.name} file, not {found.name}; read it with `format={other.name!r}`")
    if other is None:
        guess = found in (TEXT, LINES) and options.encoding is None
        refuse_binary(head, suffix, label, known_only=not guess)


def _likely_columns(options: Options) -> Sequence[str]:
    """Return the columns of which a header has one."""
    if options.element is not None:
        return (options.element,)
    if options.texts:
        return options.texts
    return (default_type() if options.kind is None else item_type(options.kind)).columns


def _by_magic(head: bytes) -> FileFormat | None:
    return next((one for one in formats() if one.magic and head.startswith(one.magic)), None)


def _head(path: Path, label: str, codec: str | None) -> bytes:
    with reading(label), open_bytes(path, codec) as stream:
        return bytes(stream.read(_HEAD_BYTES))
