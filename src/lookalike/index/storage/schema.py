"""What the database of an index holds.

about     what the index is: its recipe, the types of its items, ids and fields
parts     the parts there are: small ones here, with their bytes; large ones in files of their own
deleted   which items of parts are gone
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError
from lookalike.index.storage.database_checksum import sync_folder, write_seal
from lookalike.index.storage.parts_table import TABLES, digest_of

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.index.storage.parts_table import Entry

DATABASE = "index.sqlite"
LOCK = "lock"
APPLICATION = 0x6C6B616C
"""What SQLite calls the application id: "lkal"."""

FORMAT = 1
"""Version of all that is in the folder."""

PAGE = 4096

DIGEST = "digest"
"""What is noted about all else."""

ABOUT = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
"""


def write_new(folder: Path, about: dict[str, Any]) -> None:
    """Write the database of an empty index to an empty folder, and all that goes with it."""
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    try:
        connection.executescript(
            f"PRAGMA page_size = {PAGE}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
            f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN; {ABOUT} {TABLES}"
        )
        for name, value in {"commit": 0, "next": 1, **about}.items():
            set_about(connection, name, value)
        set_about(connection, DIGEST, digest_now(connection, []))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        write_seal(folder, connection)
    finally:
        connection.close()
    (folder / LOCK).touch()
    sync_folder(folder)


def set_about(connection: sqlite3.Connection, name: str, value: Any) -> None:  # noqa: ANN401 - plain values
    """Note something about an index."""
    text = json.dumps(value)
    row = (name, text, zlib.crc32(text.encode()))
    connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?, ?)", row)


def get_about(connection: sqlite3.Connection, name: str) -> Any:  # noqa: ANN401 - plain values
    """Return what was noted; None if nothing was."""
    found = connection.execute("SELECT value, checksum FROM about WHERE name = ?", (name,)).fetchone()
    if found is None:
        return None
    if not isinstance(found[0], str) or zlib.crc32(found[0].encode()) != found[1]:
        raise sqlite3.DatabaseError(f"its {name} is not what was written")
    return json.loads(found[0])


def digest_now(connection: sqlite3.Connection, entries: list[Entry]) -> str:
    """Return the digest of what the database says now, with these parts."""
    notes = connection.execute("SELECT name, checksum FROM about WHERE name != ? ORDER BY name", (DIGEST,)).fetchall()
    return digest_of(entries, notes)


def refuse_unlike_digest(connection: sqlite3.Connection, entries: list[Entry]) -> None:
    """Raise unless the database says what was committed, with these parts."""
    if get_about(connection, DIGEST) != digest_now(connection, entries):
        raise sqlite3.DatabaseError("its rows are not what was written")


def refuse_foreign(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise unless a database is that of an index, in a format that is known."""
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise InputError(f"{folder} is not an index: its database is of another program")
    if version > FORMAT:
        raise InputError(f"{folder} has format {version}, and this lookalike reads up to {FORMAT}. Install a newer one")
