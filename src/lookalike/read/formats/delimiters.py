"""Delimiters of CSV files: as options name them, and as the first rows show them."""

from __future__ import annotations

import csv
import io
import re

from lookalike.errors import InputError, RecipeError

DELIMITERS = ",;\t|"
"""What separates values, the usual one first."""
_NAMES = {"tab": "\t", "\\t": "\t"}
_SHOWN = {"\t": "tab"}
_ROWS = 100
"""Rows that must agree."""
_DECLARED = re.compile(rb'"?sep=([^"\r\n\0\x80-\xff])"?(?:\r\n|\r|\n|$)', re.IGNORECASE)
"""The line that tells Excel which delimiter follows."""


def check_delimiter(given: object) -> str:
    """Return the character that an option names: itself, or tab."""
    delimiter = _NAMES.get(given, given) if isinstance(given, str) else ""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise RecipeError(f"`delimiter` must be one character, such as ; or |, or the word tab. Got {given!r}")
    return delimiter


def declared_delimiter(head: bytes) -> tuple[str | None, bytes]:
    """Return the delimiter that the first line declares as Excel has it (sep=;), if so, and what follows that line."""
    found = _DECLARED.match(head)
    return (found[1].decode(), head[found.end() :]) if found else (None, head)


def find_delimiter(head: bytes, usual: str, label: str, *, complete: bool) -> str:
    """Return what separates the values of a file, given its first bytes, all of them if `complete`.

    It is the usual delimiter unless that leaves the header in one piece. Then it is the one that splits the header and
    all rows after it in the same number of values. If one splits the header but not all rows alike, nothing is certain.
    """
    text = head.decode("utf-8", "replace")
    split = {one: _rows(text, one, complete=complete) for one in {usual: None, **dict.fromkeys(DELIMITERS)}}
    if len(_header(split[usual])) != 1:
        return usual
    named = {one: rows for one, rows in split.items() if len(_header(rows)) > 1 and all(map(str.strip, rows[0]))}
    agreeing = [one for one, rows in named.items() if all(len(row) == len(rows[0]) for row in rows)]
    if agreeing:
        return max(agreeing, key=lambda one: len(named[one][0]))
    if named:
        likely = max(named, key=lambda one: len(named[one][0]))
        raise InputError(
            f"{label}: the header has 1 column if values are separated by {_name(usual)}, and {len(named[likely][0])} "
            f"if by {_name(likely)}, but the rows do not agree; name the `delimiter`"
        )
    return usual


def _header(rows: list[list[str]]) -> list[str]:
    """Return the first row, if there is one."""
    return rows[0] if rows else []


def _rows(text: str, delimiter: str, *, complete: bool) -> list[list[str]]:
    """Return the first rows that are not blank; the last one only if it is complete."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return []
    rows = rows if complete or len(rows) == 1 else rows[:-1]
    return [row for row in rows if row][:_ROWS]


def _name(delimiter: str) -> str:
    return _SHOWN.get(delimiter, delimiter)
