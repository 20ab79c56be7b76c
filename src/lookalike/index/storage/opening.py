"""Opening the database of an index, and verifying that it is one and intact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import InputError, LookalikeError
from lookalike.index.storage.connection import connect
from lookalike.index.storage.database_checksum import verify_seal
from lookalike.index.storage.errors import DATABASE_ERRORS, unreadable
from lookalike.index.storage.files import DATABASE
from lookalike.index.storage.last_commit import refuse_lost_commits
from lookalike.index.storage.schema import read_metadata, refuse_foreign

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from lookalike.index.storage.connection import DatabaseConnection

MAX_ATTEMPTS = 5
"""How often to open an index that keeps being replaced or changed meanwhile."""


def open_database(folder: Path, *, verify: bool) -> DatabaseConnection:
    """Connect to the database of an index; with `verify`, raise if it is damaged."""
    for attempt in range(MAX_ATTEMPTS):
        connected = connect_folder(folder)
        try:
            refuse_foreign(folder, connected.connection)
            if verify:
                verify_database(folder, connected.connection)
        except BaseException as error:
            outdated = connected.is_outdated and attempt < MAX_ATTEMPTS - 1
            connected.close()
            if outdated and isinstance(error, (LookalikeError, *DATABASE_ERRORS)):
                continue  # the files that were compared are not of one index
            if isinstance(error, (OSError, *DATABASE_ERRORS)) and not isinstance(error, LookalikeError):
                raise unreadable(folder, error) from error
            raise
        return connected
    raise AssertionError  # pragma: no cover


def connect_folder(folder: Path) -> DatabaseConnection:
    """Connect to the database in a folder, or raise if there is none."""
    path = folder / DATABASE
    try:
        if not path.is_file():
            why = "is not an index" if folder.exists() else "does not exist"
            raise InputError(f"{folder} {why}. Create one with lookalike index build, or Index.create")
        return connect(path)
    except (OSError, *DATABASE_ERRORS) as error:
        raise unreadable(folder, error) from error


def verify_database(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise if a database does not match its seal; or, if it has none, if commits are missing."""
    if not verify_seal(folder, folder / DATABASE, connection):
        refuse_lost_commits(folder, lambda: read_metadata(connection, "commit") or 0)
