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

from lookalike.index.container import digest
from lookalike.splitmix import random_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

TABLES = """
CREATE TABLE parts (
    number INTEGER PRIMARY KEY, age INTEGER NOT NULL, items INTEGER NOT NULL, bytes INTEGER NOT NULL,
    checksum BLOB NOT NULL, gone INTEGER NOT NULL, gone_print INTEGER NOT NULL, data BLOB
);
CREATE TABLE deleted (part INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (part, item)) WITHOUT ROWID;
"""

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
    rows = connection.execute("SELECT item FROM deleted WHERE part = ? ORDER BY item", (entry.number,)).fetchall()
    found = [item for (item,) in rows]
    known = all(type(item) is int and 0 <= item < entry.items for item in found)
    if not known or (len(found), print_of(found)) != (entry.gone, entry.gone_print):
        raise sqlite3.DatabaseError(f"what was deleted from part {entry.number} does not fit")
    return np.array(found, np.uint32)


def delete_items(connection: sqlite3.Connection, number: int, items: list[int]) -> None:
    """Note items of a part that are gone."""
    connection.executemany("INSERT INTO deleted VALUES (?, ?)", [(number, item) for item in items])
    (before,) = connection.execute("SELECT gone_print FROM parts WHERE number = ?", (number,)).fetchone()
    connection.execute(
        "UPDATE parts SET gone = gone + ?, gone_print = ? WHERE number = ?",
        (len(items), (before + print_of(items)) & LARGEST, number),
    )


def print_of(items: list[int]) -> int:
    """Return a fingerprint of items, whatever their order: that of more items is the sum."""
    numbers: list[int] = random_numbers(0, np.array(items, np.int64)).tolist()
    return sum(numbers) & LARGEST
