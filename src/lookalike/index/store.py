"""The truth about an index: a database that says what is committed.

    about     what the index is: its recipe, the types of its items, ids and fields
    parts     the parts there are: small ones here, with their bytes; large ones in files of their own
    deleted   items of parts that are gone

SQLite keeps the promises: a commit is there once it has returned, whole or not at all, and whoever reads sees one
commit. Parts never change, so what was read stays true for as long as it is held. A file that no commit speaks of is
what a crash left behind; the next writer removes it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from lookalike.errors import InputError, OutputError
from lookalike.index.container import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

DATABASE = "index.sqlite"
LOCK = "lock"
SEAL = "seal.json"
SUFFIX = ".columns"
APPLICATION = 0x6C6B616C
"""What SQLite calls the application id: "lkal"."""

FORMAT = 1
"""Version of all that is in the folder."""

PAGE = 4096
PATIENCE = 60.0
"""Seconds to wait for a database that somebody else is about to change."""

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE parts (
    number INTEGER PRIMARY KEY, age INTEGER NOT NULL, items INTEGER NOT NULL, gone INTEGER NOT NULL,
    bytes INTEGER NOT NULL, checksum BLOB NOT NULL, data BLOB
);
CREATE TABLE deleted (part INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (part, item)) WITHOUT ROWID;
INSERT INTO about VALUES ('commit', '0'), ('next', '1');
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A part as the database has it."""

    number: int
    age: int
    """Parts come in this order; one that was made of others has the age of the oldest."""
    items: int
    gone: int
    """How many of the items were deleted."""
    size: int
    """In bytes."""
    checksum: bytes
    filed: bool
    """Whether it is in a file of its own."""


class Store:
    """The folder of an index, its database and its files."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection
        self._lock: IO[bytes] | None = None
        self.closed = False
        self._written: list[Path] = []
        self._dropped: list[Path] = []

    @classmethod
    def create(cls, folder: Path, about: dict[str, Any]) -> Store:
        """Make a new index."""
        try:
            folder.mkdir()
        except FileExistsError as error:
            raise OutputError(f"{folder} is there already. Open it, or choose another name") from error
        except OSError as error:
            raise cannot_write(folder, error) from error
        try:
            connection = sqlite3.connect(folder / DATABASE, isolation_level=None, check_same_thread=False)
            connection.executescript(
                f"PRAGMA page_size = {PAGE}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
                f"PRAGMA journal_mode = WAL; BEGIN; {SCHEMA}"
            )
            connection.executemany(
                "INSERT INTO about VALUES (?, ?)", [(name, json.dumps(value)) for name, value in about.items()]
            )
            connection.execute("COMMIT")
            connection.close()
            (folder / LOCK).touch()
            sync_folder(folder)
            sync_folder(folder.parent)
        except (OSError, sqlite3.Error) as error:
            raise cannot_write(folder, error) from error
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open an index that is there."""
        path = folder / DATABASE
        if not path.is_file():
            why = "is not an index" if folder.exists() else "is not there"
            raise InputError(f"{folder} {why}. Make one with lookalike index build, or Index.create")
        mode = "rw" if os.access(path, os.W_OK) and os.access(folder, os.W_OK) else "ro"
        try:
            uri = f"{path.resolve().as_uri()}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
            application, version = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
        except sqlite3.Error as error:
            raise unreadable(folder, error) from error
        if application != APPLICATION:
            raise InputError(f"{folder} is not an index: its database is of another program")
        if version > FORMAT:
            raise InputError(
                f"{folder} has format {version}, and this lookalike reads up to {FORMAT}. Install a newer one"
            )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 1000")
        return cls(folder, connection)

    # Reading

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one piece: all of it as of one commit."""
        inside = self._connection.in_transaction
        try:
            if not inside:
                self._connection.execute("BEGIN")
            yield self._connection
        except sqlite3.Error as error:
            raise unreadable(self.folder, error) from error
        finally:
            if not inside and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def about(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - plain values
        """Return something that is known of the index."""
        found = self._connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return default if found is None else json.loads(found[0])

    def entries(self) -> list[Entry]:
        """Return the parts, the oldest first."""
        rows = self._connection.execute(
            "SELECT number, age, items, gone, bytes, checksum, data IS NULL FROM parts ORDER BY age"
        )
        return [
            Entry(number, age, items, gone, size, checksum, bool(filed))
            for number, age, items, gone, size, checksum, filed in rows
        ]

    def data(self, number: int) -> bytes:
        """Return the bytes of a small part."""
        found: bytes = self._connection.execute("SELECT data FROM parts WHERE number = ?", (number,)).fetchone()[0]
        return found

    def deleted(self, number: int) -> list[int]:
        """Return the items of a part that are gone."""
        return [item for (item,) in self._connection.execute("SELECT item FROM deleted WHERE part = ?", (number,))]

    def path(self, number: int) -> Path:
        """Return where a large part is."""
        return self.folder / f"{number:08}{SUFFIX}"

    # Writing

    @property
    def in_transaction(self) -> bool:
        """Whether changes are under way."""
        return self._connection.in_transaction

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Change something: all of it is there afterwards, or nothing if that fails. An inner one joins the outer."""
        if self._connection.in_transaction:
            yield
            return
        self.lock()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self.set_about("commit", self.about("commit") + 1)
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            remove(self._written)
            self._dropped.clear()
            if isinstance(error, (sqlite3.Error, OSError)) and not isinstance(error, (InputError, OutputError)):
                raise cannot_write(self.folder, error) from error
            raise
        self._written.clear()
        remove(self._dropped)

    def set_about(self, name: str, value: Any) -> None:  # noqa: ANN401 - plain values
        """Note something about the index."""
        self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, json.dumps(value)))

    def next_number(self) -> int:
        """Return a number that no part has had."""
        number: int = self.about("next")
        self.set_about("next", number + 1)
        return number

    @contextmanager
    def new_file(self, number: int) -> Iterator[IO[bytes]]:
        """Write the file of a part; it is on disk, safely, when this is left."""
        path = self.path(number)
        self._written.append(path)
        with path.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self.folder)

    def insert(self, entry: Entry, data: bytes | None) -> None:
        """Note a part: with its bytes, or in a file."""
        self._connection.execute(
            "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry.number, entry.age, entry.items, entry.gone, entry.size, entry.checksum, data),
        )

    def drop(self, entries: Iterable[Entry]) -> None:
        """Forget parts; their files go once that is committed."""
        for entry in entries:
            self._connection.execute("DELETE FROM parts WHERE number = ?", (entry.number,))
            self._connection.execute("DELETE FROM deleted WHERE part = ?", (entry.number,))
            if entry.filed:
                self._dropped.append(self.path(entry.number))

    def delete(self, number: int, items: list[int]) -> None:
        """Note items of a part that are gone."""
        self._connection.executemany("INSERT INTO deleted VALUES (?, ?)", [(number, item) for item in items])
        self._connection.execute("UPDATE parts SET gone = gone + ? WHERE number = ?", (len(items), number))

    def lock(self) -> None:
        """Become the one writer, or say who is. It stays so until the store is closed."""
        if self._lock is not None:
            return
        try:
            file = (self.folder / LOCK).open("ab")
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.close()
                raise OutputError(
                    f"{self.folder} is being changed by somebody else. Wait until they have closed it"
                ) from error
        self._lock = file
        (self.folder / SEAL).unlink(missing_ok=True)
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """Remove files that no commit speaks of: a crash came before it."""
        known = {self.path(entry.number) for entry in self.entries() if entry.filed}
        remove([path for path in self.folder.glob(f"*{SUFFIX}") if path not in known])

    def close(self) -> None:
        """Leave the database as one file, with a checksum of it, if this was the writer."""
        if self.closed:
            return
        self.closed = True
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
            remove(self._written)
        if self._lock is None:
            self._connection.close()
            return
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()
            seal(self.folder)
        except (OSError, sqlite3.Error):
            self._connection.close()  # what is committed is safe; there is no checksum of the file, that is all
        finally:
            self._lock.close()
            self._lock = None


def seal(folder: Path) -> None:
    """Write the checksum of the database, if nobody is about to change it."""
    log = folder / f"{DATABASE}-wal"
    if log.exists() and log.stat().st_size:
        return
    data = (folder / DATABASE).read_bytes()
    text = json.dumps({"bytes": len(data), "digest": digest(data).hexdigest()})
    new = folder / f"{SEAL}.new"
    with new.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / SEAL)


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
    """Remove files, and forget them."""
    for path in paths:
        path.unlink(missing_ok=True)
    paths.clear()


def unreadable(folder: Path, error: sqlite3.Error) -> InputError:
    """Say that the database of an index cannot be read."""
    return InputError(f"{folder} cannot be read as an index: {error}. Run lookalike index check, or take a whole copy")


def cannot_write(folder: Path, error: Exception) -> OutputError:
    """Say that an index cannot be changed, and why."""
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    return OutputError(f"{folder} cannot be changed: {why}. It is as it was before")
