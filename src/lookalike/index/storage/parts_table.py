"""The rows of the database that list the parts of an index, and the items deleted from them.

SQLite has no checksums of its own, and a damaged page may hide rows as well as change them. So each commit has a digest
of all rows except those of deleted items, for which each part has a fingerprint. Reads are verified against both.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.arrays.random import random_numbers
from lookalike.index.storage.container import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

TABLES = """
CREATE TABLE parts (
    number INTEGER PRIMARY KEY, age INTEGER NOT NULL, items INTEGER NOT NULL, bytes INTEGER NOT NULL,
    checksum BLOB NOT NULL, gone INTEGER NOT NULL, gone_print INTEGER NOT NULL, data BLOB
);
CREATE TABLE deleted (
    part INTEGER NOT NULL, block INTEGER NOT NULL, bits BLOB NOT NULL, PRIMARY KEY (part, block)
) WITHOUT ROWID;
"""
"""Deletions are one bit per item, `BLOCK` items per row: however many were deleted, one more changes one row."""

BLOCK = 1 << 14
"""Items per row of deletions, so that their bits fit in a page."""

MAX_INTEGER = (1 << 63) - 1
"""The largest integer in SQLite."""


@dataclass(frozen=True, slots=True)
class PartEntry:
    """A part as listed in the database."""

    number: int
    age: int
    """Parts are in this order. A part merged from others has the age of the oldest."""
    items: int
    size: int
    """In bytes."""
    checksum: bytes
    in_file: bool
    """Whether the part has a file of its own, rather than being in the database."""
    deleted: int = 0
    """Number of deleted items."""
    deleted_fingerprint: int = 0
    """Fingerprint of the deleted items."""


def read_entries(connection: sqlite3.Connection) -> list[PartEntry]:
    """Return the parts, oldest first."""
    rows = connection.execute(
        "SELECT number, age, items, bytes, checksum, data IS NULL, gone, gone_print FROM parts ORDER BY age"
    )
    return [as_entry(*row) for row in rows]


def as_entry(*row: Any) -> PartEntry:  # noqa: ANN401 - whatever a damaged database holds
    """Return a row as a part. From a damaged file, SQLite may return values of any type."""
    number, age, items, size, checksum, in_file, deleted, fingerprint = row
    if not (all(type(one) is int for one in (*row[:4], deleted, fingerprint)) and isinstance(checksum, bytes)):
        raise sqlite3.DatabaseError("its list of parts is damaged")
    return PartEntry(number, age, items, size, checksum, bool(in_file), deleted, fingerprint)


def digest_rows(entries: Sequence[PartEntry], metadata: Sequence[tuple[str, int]]) -> str:
    """Return a digest of parts, and of metadata, given as names and checksums."""
    rows = [[one.hex() if isinstance(one, bytes) else one for one in astuple(entry)] for entry in entries]
    return digest(json.dumps([rows, metadata]).encode()).hexdigest()


def insert_entry(connection: sqlite3.Connection, entry: PartEntry, data: bytes | None) -> None:
    """Insert a part, with its bytes unless it is in a file."""
    values = (
        entry.number, entry.age, entry.items, entry.size, entry.checksum, entry.deleted, entry.deleted_fingerprint,
        data,
    )  # fmt: skip
    connection.execute("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def remove_entry(connection: sqlite3.Connection, entry: PartEntry) -> None:
    """Remove a part from the list."""
    connection.execute("DELETE FROM parts WHERE number = ?", (entry.number,))
    connection.execute("DELETE FROM deleted WHERE part = ?", (entry.number,))


def read_data(connection: sqlite3.Connection, entry: PartEntry) -> bytes:
    """Return the bytes of a part in the database."""
    found = connection.execute("SELECT data FROM parts WHERE number = ?", (entry.number,)).fetchone()[0]
    if not isinstance(found, bytes):
        raise sqlite3.DatabaseError(f"part {entry.number} is damaged")
    return found


def read_deleted(connection: sqlite3.Connection, entry: PartEntry) -> NDArray[np.uint32]:
    """Return the deleted items of a part, sorted."""
    found = [np.empty(0, np.int64)]
    rows = connection.execute("SELECT block, bits FROM deleted WHERE part = ? ORDER BY block", (entry.number,))
    for block, bits in rows:
        if type(block) is not int or not isinstance(bits, bytes) or not 0 <= block <= entry.items // BLOCK:
            raise deletions_damaged(entry)
        found.append(block * BLOCK + np.flatnonzero(unpack_bits(bits)))
    deleted = np.concatenate(found)
    in_range = not len(deleted) or deleted[-1] < entry.items
    if not in_range or (len(deleted), fingerprint_items(deleted)) != (entry.deleted, entry.deleted_fingerprint):
        raise deletions_damaged(entry)
    return deleted.astype(np.uint32)


def deletions_damaged(entry: PartEntry) -> sqlite3.DatabaseError:
    """Return the error for deletions that do not match their fingerprint."""
    return sqlite3.DatabaseError(f"the checksum of the deletions from part {entry.number} does not match")


def delete_items(connection: sqlite3.Connection, number: int, items: NDArray[np.int64]) -> None:
    """Mark items of a part as deleted. They are sorted, and none was deleted before."""
    blocks, begins = np.unique(items // BLOCK, return_index=True)
    for block, some in zip(blocks.tolist(), np.split(items, begins[1:]), strict=True):
        key = (number, block)
        row = connection.execute("SELECT bits FROM deleted WHERE part = ? AND block = ?", key).fetchone()
        is_deleted = unpack_bits(row[0]) if row else np.zeros(BLOCK, bool)
        is_deleted[some % BLOCK] = True
        bits = np.packbits(is_deleted, bitorder="little").tobytes()
        connection.execute("INSERT OR REPLACE INTO deleted VALUES (?, ?, ?)", (*key, bits))
    (before,) = connection.execute("SELECT gone_print FROM parts WHERE number = ?", (number,)).fetchone()
    connection.execute(
        "UPDATE parts SET gone = gone + ?, gone_print = ? WHERE number = ?",
        (len(items), (before + fingerprint_items(items)) & MAX_INTEGER, number),
    )


def unpack_bits(bits: bytes) -> NDArray[np.bool_]:
    """Return the bits of a row as booleans."""
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little").astype(bool)


def fingerprint_items(items: NDArray[np.int64]) -> int:
    """Return a fingerprint of items in any order. The fingerprint of a union of disjoint sets is the sum."""
    return int(random_numbers(0, items).sum(dtype=np.uint64)) & MAX_INTEGER
