"""What the database of an index holds.

about     what the index is: its recipe, the types of its items, ids and fields
parts     the parts there are: small ones here, with their bytes; large ones in files of their own
deleted   items of parts that are gone
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError
from lookalike.index.seal import sync_folder, write_seal

if TYPE_CHECKING:
    from pathlib import Path

DATABASE = "index.sqlite"
LOCK = "lock"
APPLICATION = 0x6C6B616C
"""What SQLite calls the application id: "lkal"."""

FORMAT = 1
"""Version of all that is in the folder."""

PAGE = 4096

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE parts (
    number INTEGER PRIMARY KEY, age INTEGER NOT NULL, items INTEGER NOT NULL, gone INTEGER NOT NULL,
    bytes INTEGER NOT NULL, checksum BLOB NOT NULL, data BLOB
);
CREATE TABLE deleted (part INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (part, item)) WITHOUT ROWID;
INSERT INTO about VALUES ('commit', '0'), ('next', '1');
"""


def write_new(folder: Path, about: dict[str, Any]) -> None:
    """Write the database of an empty index to an empty folder, and all that goes with it."""
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    try:
        connection.executescript(
            f"PRAGMA page_size = {PAGE}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
            f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN; {SCHEMA}"
        )
        values = [(name, json.dumps(value)) for name, value in about.items()]
        connection.executemany("INSERT INTO about VALUES (?, ?)", values)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        write_seal(folder, connection)
    finally:
        connection.close()
    (folder / LOCK).touch()
    sync_folder(folder)


def refuse_foreign(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise unless a database is that of an index, in a format that is known."""
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise InputError(f"{folder} is not an index: its database is of another program")
    if version > FORMAT:
        raise InputError(f"{folder} has format {version}, and this lookalike reads up to {FORMAT}. Install a newer one")
