"""Output formats: one file per format, and a registry.

To add one, write a `Writer` and its `OutputFormat`, and put that in the list below.
"""

from __future__ import annotations

from pathlib import Path

from lookalike.errors import OutputError

from .base import OutputFormat, Writer, writing
from .delimited import CSV, TSV
from .jsonl import JSONL
from .npy import NPY
from .parquet import PARQUET

__all__ = ["OutputFormat", "Writer", "format_of", "formats_for_tables", "register", "writing"]

_CODECS = {".gz": "gzip", ".zst": "zstd"}
_FORMATS: list[OutputFormat] = []


def register(output_format: OutputFormat) -> None:
    """Make a format known. Its suffixes must not be those of another one."""
    taken = {suffix for other in _FORMATS for suffix in other.suffixes}
    if shared := taken & set(output_format.suffixes):
        raise ValueError(f"the suffix {min(shared)} is that of another format")
    _FORMATS.append(output_format)


def format_of(path: Path) -> tuple[OutputFormat, str | None]:
    """Return the format and the compression that the name of an output asks for."""
    suffix, codec = path.suffix.lower(), None
    if suffix in _CODECS:
        codec, suffix = _CODECS[suffix], Path(path.stem).suffix.lower()
    found = next((one for one in _FORMATS if suffix in one.suffixes), None)
    if found is None or (codec and not found.compressible):
        rest = [suffix for one in _FORMATS if one.same_format_only for suffix in one.suffixes]
        others = "".join(f", or {suffix} for the rows of {suffix} files" for suffix in rest)
        raise OutputError(f"{path} has no suffix that lookalike can write; choose {formats_for_tables()}{others}")
    return found, codec


def formats_for_tables() -> str:
    """Return the suffixes of formats that hold any table, for messages."""
    formats = [one for one in _FORMATS if not one.same_format_only]
    *first, last = [suffix for one in formats for suffix in one.suffixes]
    plain = [one.name for one in formats if not one.compressible]
    codecs = " or ".join(_CODECS)
    return f"{', '.join(first)} or {last} (all but {' and '.join(plain)} also with {codecs})"


for one in (PARQUET, JSONL, CSV, TSV, NPY):
    register(one)
