"""Errors for an index that cannot be read or changed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from lookalike.errors import InputError, OutputError

if TYPE_CHECKING:
    from pathlib import Path

DATABASE_ERRORS = (sqlite3.Error, UnicodeError)
"""What reading a damaged database may raise. SQLite quotes from it in messages, which may then not decode."""


def unreadable(folder: Path, error: Exception) -> InputError:
    """Return the error for an index that cannot be read."""
    return InputError(
        f"{folder} cannot be read as an index: {reason(error)}. Run lookalike index check, or restore an intact copy"
    )


def not_writable(folder: Path, error: Exception) -> OutputError:
    """Return the error for an index that cannot be changed."""
    return OutputError(f"{folder} cannot be changed: {reason(error)}. No changes were made")


def damaged(name: str, why: str) -> InputError:
    """Return the error for a damaged part of an index."""
    return InputError(f"{name} is damaged: {why}. Run lookalike index check, or restore an intact copy")


def reason(error: Exception) -> str:
    """Return the system's reason for an error."""
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
