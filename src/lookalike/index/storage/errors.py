"""What is said where an index cannot be read, or changed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from lookalike.errors import InputError, OutputError

if TYPE_CHECKING:
    from pathlib import Path

DATABASE_ERRORS = (sqlite3.Error, UnicodeError)
"""What reading a damaged database raises: SQLite may quote from it in a message that cannot be decoded."""


def unreadable(folder: Path, error: Exception) -> InputError:
    """Say that an index cannot be read."""
    why = reason(error)
    return InputError(f"{folder} cannot be read as an index: {why}. Run lookalike index check, or take a whole copy")


def cannot_write(folder: Path, error: Exception) -> OutputError:
    """Say that an index cannot be changed, and why."""
    return OutputError(f"{folder} cannot be changed: {reason(error)}. It is as it was before")


def reason(error: Exception) -> str:
    """Return what the system says."""
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
