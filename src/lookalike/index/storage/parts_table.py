"""Which parts an index has, and what was deleted from them: the rows of its database that say so.

SQLite has no checksums of its own, and a damaged page may hide rows as well as change them. So each commit has a digest
of all rows but those of deleted items, for which each part has a fingerprint. What is read is compared with both.
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
"""What is deleted has a bit for each item, so many items a row: however many are gone, one more changes one row."""

BLOCK = 1 << 14
"""Items of a row, whose bits fit in a page."""

LARGEST = (1 << 63) - 1
"""Of the integers that SQLite knows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A part as the database has it."""

    number: int
    age: int
    """Parts come in this order; one that was made of others has the age of the oldest."""
    items: int
    size: int
    """In bytes."""
    checksum: bytes
    filed: bool
    """Whether it is in a file of its own."""
    gone: int = 0
    """How many of the items were deleted."""
    gone_print: int = 0
    """A fingerprint of which."""


def read_entries(connection: sqlite3.Connection) -> list[Entry]:
    """Return the parts, the oldest first."""
    rows = connection.execute(
        "SELECT number, age, items, bytes, checksum, data IS NULL, gone, gone_print FROM parts ORDER BY age"
    )
    return [as_entry(*row) for row in rows]


def as_entry(*row: Any) -> Entry:  # noqa: ANN401 - whatever stands there
    """Return a row as a part. SQLite gives what it finds, of any type, where a file is damaged."""
    number, age, items, size, checksum, filed, gone, gone_print = row
    if not (all(type(one) is int for one in (*row[:4], gone, gone_print)) and isinstance(checksum, bytes)):
        raise sqlite3.DatabaseError("its list of parts is damaged")
    return Entry(number, age, items, size, checksum, bool(filed), gone, gone_print)


def digest_of(entries: Sequence[Entry], notes: Sequence[tuple[str, int]]) -> str:
    """Return a digest of parts, and of what is noted about the index: names, and checksums of the values."""
    rows = [[one.hex() if isinstance(one, bytes) else one for one in astuple(entry)] for entry in entries]
    return digest(json.dumps([rows, notes]).encode()).hexdigest()


def insert_entry(connection: sqlite3.Connection, entry: Entry, data: bytes | None) -> None:
    """Note a part: with its bytes, or in a file."""
    values = (entry.number, entry.age, entry.items, entry.size, entry.checksum, entry.gone, entry.gone_print, data)
    connection.execute("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def drop_entry(connection: sqlite3.Connection, entry: Entry) -> None:
    """Forget a part."""
    connection.execute("DELETE FROM parts WHERE number = ?", (entry.number,))
    connection.execute("DELETE FROM deleted WHERE part = ?", (entry.number,))


def read_data(connection: sqlite3.Connection, entry: Entry) -> bytes:
    """Return the bytes of a small part."""
    found = connection.execute("SELECT data FROM parts WHERE number = ?", (entry.number,)).fetchone()[0]
    if not isinstance(found, bytes):
        raise sqlite3.DatabaseError(f"part {entry.number} is damaged")
    return found


def read_deleted(connection: sqlite3.Connection, entry: Entry) -> NDArray[np.uint32]:
    """Return the items of a part that are gone, in order."""
    found = [np.empty(0, np.int64)]
    rows = connection.execute("SELECT block, bits FROM deleted WHERE part = ? ORDER BY block", (entry.number,))
    for block, bits in rows:
        if type(block) is not int or not isinstance(bits, bytes) or not 0 <= block <= entry.items // BLOCK:
            raise does_not_fit(entry)
        found.append(block * BLOCK + np.flatnonzero(as_truths(bits)))
    gone = np.concatenate(found)
    known = not len(gone) or gone[-1] < entry.items
    if not known or (len(gone), print_of(gone)) != (entry.gone, entry.gone_print):
        raise does_not_fit(entry)
    return gone.astype(np.uint32)


def does_not_fit(entry: Entry) -> sqlite3.DatabaseError:
    """Say that what was deleted is not what was written."""
    return sqlite3.DatabaseError(f"what was deleted from part {entry.number} does not fit")


def delete_items(connection: sqlite3.Connection, number: int, items: NDArray[np.int64]) -> None:
    """Note items of a part that are gone, and were there; they come in order."""
    blocks, begins = np.unique(items // BLOCK, return_index=True)
    for block, some in zip(blocks.tolist(), np.split(items, begins[1:]), strict=True):
        key = (number, block)
        row = connection.execute("SELECT bits FROM deleted WHERE part = ? AND block = ?", key).fetchone()
        truths = as_truths(row[0]) if row else np.zeros(BLOCK, bool)
        truths[some % BLOCK] = True
        bits = np.packbits(truths, bitorder="little").tobytes()
        connection.execute("INSERT OR REPLACE INTO deleted VALUES (?, ?, ?)", (*key, bits))
    (before,) = connection.execute("SELECT gone_print FROM parts WHERE number = ?", (number,)).fetchone()
    connection.execute(
        "UPDATE parts SET gone = gone + ?, gone_print = ? WHERE number = ?",
        (len(items), (before + print_of(items)) & LARGEST, number),
    )


def as_truths(bits: bytes) -> NDArray[np.bool_]:
    """Return the bits of a row, one by one."""
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little").astype(bool)


def print_of(items: NDArray[np.int64]) -> int:
    """Return a fingerprint of items, whatever their order: that of more items is the sum."""
    return int(random_numbers(0, items).sum(dtype=np.uint64)) & LARGEST
