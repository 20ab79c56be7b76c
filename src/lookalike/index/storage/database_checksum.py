"""The seal: a checksum of the whole database, written when the index is closed.

The bytes of the database are read through SQLite. Opening and closing the file directly would release the POSIX locks
that other connections of this process hold on it, and the log might then be removed under a writer.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from lookalike.errors import InputError
from lookalike.index.storage.container import digest
from lookalike.index.storage.files import SEAL, sync_folder

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

MAX_ATTEMPTS = 5


def write_seal(folder: Path, connection: sqlite3.Connection) -> None:
    """Write the seal of a database that nothing is writing to."""
    new = folder / f"{SEAL}.new"
    with new.open("wb") as file:
        file.write(compute_seal(connection))
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / SEAL)
    sync_folder(folder)


def remove_seal(folder: Path) -> None:
    """Remove the seal, durably, before the database is changed."""
    try:
        (folder / SEAL).unlink()
    except FileNotFoundError:
        return
    sync_folder(folder)


def seal_matches(folder: Path, database: Path, connection: sqlite3.Connection) -> bool | None:
    """Return whether a database matches its seal; None if it has no seal."""
    for _ in range(MAX_ATTEMPTS):
        seal = read_seal(folder)
        if seal is None:
            return None
        size = database.stat().st_size
        if seal == compute_seal(connection) and json.loads(seal)["bytes"] == size:
            return True
        if read_seal(folder) == seal:
            return False
    return None  # writers keep opening and closing it, so the seal was never that of what was read


def verify_seal(folder: Path, database: Path, connection: sqlite3.Connection) -> bool:
    """Raise if a database does not match its seal; return whether it has one."""
    matches = seal_matches(folder, database, connection)
    if matches is None:
        return False
    if not matches:
        raise InputError(f"{database} has changed since it was closed. Restore an intact copy of the index")
    return True


def compute_seal(connection: sqlite3.Connection) -> bytes:
    """Return the seal of a database as it is now."""
    data = connection.serialize()
    return json.dumps({"bytes": len(data), "digest": digest(data).hexdigest()}).encode()


def read_seal(folder: Path) -> bytes | None:
    """Return the seal; None if there is none."""
    try:
        return (folder / SEAL).read_bytes()
    except FileNotFoundError:
        return None
