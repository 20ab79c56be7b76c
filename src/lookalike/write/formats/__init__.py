"""Output formats: one file per format, and a registry.

To add one, write a `Writer` and its `OutputFormat`, and put that in the list below.
"""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import OutputError

from .base import OutputFormat, Writer, shown, writing
from .delimited import CSV, TSV
from .jsonl import JSONL
from .npy import NPY
from .parquet import PARQUET
from .text import TXT

__all__ = [
    "OutputFormat",
    "Writer",
    "asked_format",
    "format_of",
    "formats",
    "formats_for_tables",
    "named_format",
    "register",
    "shown",
    "writing",
]

_CODECS = {".gz": "gzip", ".zst": "zstd"}
_FORMATS: list[OutputFormat] = []

Encoding = tuple[OutputFormat, str | None]
"""A format, and the compression of the whole file, if there is one."""


def register(output_format: OutputFormat) -> None:
    """Make a format known. Its suffixes must not be those of another one."""
    taken = {suffix for other in _FORMATS for suffix in other.suffixes}
    if shared := taken & set(output_format.suffixes):
        raise ValueError(f"the suffix {min(shared)} is that of another format")
    _FORMATS.append(output_format)


def formats() -> list[OutputFormat]:
    """Return all formats."""
    return _FORMATS


def format_of(path: Path) -> Encoding:
    """Return the format and the compression that the name of an output asks for."""
    if (found := named_format(path)) is not None:
        return found
    others = "".join(f", or {one.suffixes[0]} for {one.holds}" for one in _FORMATS if one.same_format_only)
    raise OutputError(f"{path} has no suffix that lookalike can write; choose {formats_for_tables()}{others}")


def named_format(path: Path) -> Encoding | None:
    """Return the format and the compression that the name of an output asks for; None if it asks for none."""
    suffix, codec = path.suffix.lower(), None
    if suffix in _CODECS:
        codec, suffix = _CODECS[suffix], Path(path.stem).suffix.lower()
    found = next((one for one in _FORMATS if suffix in one.suffixes), None)
    return None if found is None or (codec and not found.compressible) else (found, codec)


def asked_format(name: str) -> Encoding:
    """Return the format that an option asks for, such as jsonl or csv.gz: one that can go anywhere."""
    found = named_format(Path(f"rows.{name}"))
    if found is not None and found[0].streamable:
        return found
    formats = [one for one in _FORMATS if one.streamable]
    known = ", ".join(one.suffixes[0][1:] for one in formats)
    packed = (
        f"all but {' and '.join(one.name for one in formats if not one.compressible)} also as {' or '.join(_CODECS)}"
    )
    named = "" if found is None else f"; give the name of a file that ends in {found[0].suffixes[0]} instead"
    raise OutputError(f"`output_format` must be one of {known} ({packed}). Got {name!r}{named}")


def formats_for_tables() -> str:
    """Return the usual suffixes of formats that hold any table, for messages."""
    formats = [one for one in _FORMATS if not one.same_format_only]
    *first, last = [one.suffixes[0] for one in formats]
    plain = [one.name for one in formats if not one.compressible]
    codecs = " or ".join(_CODECS)
    return f"{', '.join(first)} or {last} (all but {' and '.join(plain)} also with {codecs})"


for one in (PARQUET, JSONL, CSV, TSV, NPY, TXT):
    register(one)
