"""The database of an index: its tables, its metadata, and a digest of both.

about     metadata of the index: its recipe, the types of its items, ids and fields
parts     the parts of the index: small ones with their bytes, large ones in files of their own
deleted   which items of each part were deleted
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError
from lookalike.index.storage.parts_table import digest_rows

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.index.storage.parts_table import PartEntry

APPLICATION = 0x6C6B616C
"""SQLite's application id: "lkal"."""

FORMAT = 1
"""Version of everything in the folder."""

PAGE_SIZE = 4096

DIGEST = "digest"
"""Name of the metadata that holds the digest of everything else."""

METADATA_TABLE = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
"""


def write_metadata(connection: sqlite3.Connection, name: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write a value of the metadata."""
    text = json.dumps(value)
    row = (name, text, zlib.crc32(text.encode()))
    connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?, ?)", row)


def read_metadata(connection: sqlite3.Connection, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value of the metadata; None if there is none."""
    found = connection.execute("SELECT value, checksum FROM about WHERE name = ?", (name,)).fetchone()
    if found is None:
        return None
    if not isinstance(found[0], str) or zlib.crc32(found[0].encode()) != found[1]:
        raise sqlite3.DatabaseError(f"the checksum of its metadata {name!r} does not match")
    return json.loads(found[0])


def compute_digest(connection: sqlite3.Connection, entries: list[PartEntry]) -> str:
    """Return the digest of the metadata and of these parts."""
    checksums = connection.execute("SELECT name, checksum FROM about WHERE name != ? ORDER BY name", (DIGEST,))
    return digest_rows(entries, checksums.fetchall())


def verify_digest(connection: sqlite3.Connection, entries: list[PartEntry]) -> None:
    """Raise unless the metadata and these parts match the committed digest."""
    if read_metadata(connection, DIGEST) != compute_digest(connection, entries):
        raise sqlite3.DatabaseError("the checksum of its rows does not match")


def refuse_foreign(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise unless a database is that of an index, in a known format."""
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise InputError(f"{folder} is not an index: its database belongs to another program")
    if version > FORMAT:
        raise InputError(
            f"{folder} has format {version}, but this version of lookalike reads formats up to {FORMAT}. Install a "
            "newer version"
        )
