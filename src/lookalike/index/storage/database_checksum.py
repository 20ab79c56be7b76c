"""The checksum of a database that was closed, and how files and their names get on disk safely.

The bytes of the database are read through SQLite: whoever opens and closes the file itself gives back the locks of
every connection of this process, and the log might then be removed under a writer.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.errors import InputError
from lookalike.index.storage.container import digest

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

SEAL = "seal.json"
ATTEMPTS = 5


def write_seal(folder: Path, connection: sqlite3.Connection) -> None:
    """Write the checksum of a database to which nobody is writing."""
    new = folder / f"{SEAL}.new"
    with new.open("wb") as file:
        file.write(seal_of(connection))
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / SEAL)
    sync_folder(folder)


def break_seal(folder: Path) -> None:
    """Remove the checksum, surely, before the database is changed."""
    try:
        (folder / SEAL).unlink()
    except FileNotFoundError:
        return
    sync_folder(folder)


def is_as_sealed(folder: Path, database: Path, connection: sqlite3.Connection) -> bool | None:
    """Tell whether a database is what it was when it was closed; None if it was not."""
    for _ in range(ATTEMPTS):
        sealed = read_seal(folder)
        if sealed is None:
            return None
        size = database.stat().st_size
        if sealed == seal_of(connection) and json.loads(sealed)["bytes"] == size:
            return True
        if read_seal(folder) == sealed:
            return False
    return None  # it is opened and closed all the time; then it is not damaged since


def refuse_unlike_seal(folder: Path, database: Path, connection: sqlite3.Connection) -> bool:
    """Raise if a database is not what it was when it was closed; tell whether it was."""
    known = is_as_sealed(folder, database, connection)
    if known is None:
        return False
    if not known:
        raise InputError(f"{database} is not what it was when it was closed. Take a whole copy of the index")
    return True


def seal_of(connection: sqlite3.Connection) -> bytes:
    """Return what is written about a database."""
    data = connection.serialize()
    return json.dumps({"bytes": len(data), "digest": digest(data).hexdigest()}).encode()


def read_seal(folder: Path) -> bytes | None:
    """Return what was written when the database was closed; None if it was not."""
    try:
        return (folder / SEAL).read_bytes()
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Have the names of files in a folder on disk."""
    if os.name == "nt":  # pragma: no cover - cannot be asked there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(paths: list[Path]) -> None:
    """Remove files as far as possible, and forget them; the next writer removes what is left."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    paths.clear()
