"""Creating the folder and the database of an empty index."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

from lookalike.checks import refuse_url
from lookalike.errors import OutputError
from lookalike.index.storage.database_checksum import write_seal
from lookalike.index.storage.errors import reason
from lookalike.index.storage.files import DATABASE, LOCK, sync_folder
from lookalike.index.storage.parts_table import TABLES
from lookalike.index.storage.schema import (
    APPLICATION,
    DIGEST,
    FORMAT,
    METADATA_TABLE,
    PAGE_SIZE,
    compute_digest,
    write_metadata,
)
from lookalike.index.storage.temporary import temporary_path

if TYPE_CHECKING:
    from pathlib import Path


def create_folder(given: Path, metadata: dict[str, Any]) -> None:
    """Create an empty index, under a temporary name first, so that a crash leaves nothing that looks like one."""
    folder = given.absolute()
    if not folder.name or "\0" in str(folder):
        raise OutputError(f"An index must be a folder with a name. Got {str(given)!r}")
    if not folder.parent.is_dir():
        refuse_url(given, OutputError)
    new = temporary_path(folder)
    try:
        if os.path.lexists(folder):
            raise FileExistsError(errno.EEXIST, "exists")
        new.mkdir()
        create_database(new, metadata)
        new.rename(folder)
        sync_folder(folder.parent)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError) and error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            raise OutputError(f"{folder} already exists. Open it, or choose another path") from error
        raise OutputError(f"{folder} cannot be created: {reason(error)}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def create_database(folder: Path, metadata: dict[str, Any]) -> None:
    """Write the database of an empty index to an empty folder, with its seal and lock file."""
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    try:
        connection.executescript(
            f"PRAGMA page_size = {PAGE_SIZE}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
            f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN; {METADATA_TABLE} {TABLES}"
        )
        for name, value in {"commit": 0, "next": 1, **metadata}.items():
            write_metadata(connection, name, value)
        write_metadata(connection, DIGEST, compute_digest(connection, []))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        write_seal(folder, connection)
    finally:
        connection.close()
    (folder / LOCK).touch()
    sync_folder(folder)
