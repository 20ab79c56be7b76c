"""File formats that can be read: one file per format, and a registry.

To add one, write a reader and its `FileFormat`, and put that in the list below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import delimited, jsonl, npy, parquet, text
from .base import Entry, FileFormat, FileReader

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CSV",
    "LINES",
    "TEXT",
    "Entry",
    "FileFormat",
    "FileReader",
    "data_suffixes",
    "format_named",
    "format_names",
    "format_of",
    "formats",
    "register",
]

CSV, LINES, TEXT = delimited.CSV, text.LINES, text.TEXT
_FORMATS: list[FileFormat] = []


def register(file_format: FileFormat) -> None:
    """Make a format known. Its name and its suffixes must not be those of another one."""
    if file_format.name in format_names():
        raise ValueError(f"the name {file_format.name} is that of another format")
    taken = {suffix for other in _FORMATS for suffix in (*other.suffixes, *other.other_suffixes)}
    if shared := taken & {*file_format.suffixes, *file_format.other_suffixes}:
        raise ValueError(f"the suffix {min(shared)} is that of another format")
    _FORMATS.append(file_format)


def formats() -> Sequence[FileFormat]:
    """Return all formats that are recognised by name or by content, in the order in which contents are checked."""
    return _FORMATS


def format_of(suffix: str) -> FileFormat | None:
    """Return the format of files with a suffix, such as ".csv"; None if there is none."""
    return next((one for one in _FORMATS if suffix in one.suffixes or suffix in one.other_suffixes), None)


def format_names() -> list[str]:
    """Return the names of all formats: those that are recognised, and text in its two forms."""
    return [one.name for one in (*_FORMATS, TEXT, LINES)]


def format_named(name: str) -> FileFormat:
    """Return the format with a name."""
    return next(one for one in (*_FORMATS, TEXT, LINES) if one.name == name)


def data_suffixes() -> set[str]:
    """Return the suffixes of data files."""
    return {suffix for one in _FORMATS for suffix in one.suffixes}


for one in (parquet.PARQUET, jsonl.JSONL, delimited.TSV, delimited.CSV, npy.NPY):
    register(one)
