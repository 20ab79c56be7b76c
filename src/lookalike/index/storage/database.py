"""The database of an index: the record of what is committed.

SQLite provides the guarantees: once a commit returns it is durable, it is atomic, and a reader sees one commit. Parts
never change, so what a reader holds stays valid. A part file that no commit refers to was left behind by a crash; the
next writer removes it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from lookalike.checks import refuse_url
from lookalike.errors import InputError, LookalikeError, OutputError
from lookalike.index.storage.connection import BUSY_TIMEOUT
from lookalike.index.storage.creation import create_folder
from lookalike.index.storage.database_checksum import remove_seal, write_seal
from lookalike.index.storage.errors import not_writable, unreadable
from lookalike.index.storage.files import (
    DATABASE,
    LOCK,
    PART_SUFFIX,
    folder_size,
    part_path,
    remove_files,
    sync_folder,
)
from lookalike.index.storage.last_commit import LastCommit, read_last_commit, remove_last_commit
from lookalike.index.storage.lock import Lock
from lookalike.index.storage.opening import open_database
from lookalike.index.storage.parts_table import (
    delete_items,
    insert_entry,
    read_data,
    read_deleted,
    read_entries,
    remove_entry,
)
from lookalike.index.storage.schema import (
    DIGEST,
    compute_digest,
    read_metadata,
    verify_digest,
    write_metadata,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.index.storage.connection import DatabaseConnection
    from lookalike.index.storage.parts_table import PartEntry

SNAPSHOT_METADATA = ("types", "schema")
"""Metadata that snapshots depend on."""

CHECKPOINT_TIMEOUT = 1000
"""Milliseconds to wait, when an index is closed, for transactions of readers to end."""


class Database:
    """The database of an index, with the folder and the part files around it."""

    def __init__(self, folder: Path, given: Path, connected: DatabaseConnection, timeout: float) -> None:
        self.folder = folder
        self.given = given
        """The folder as users call it, which may be relative."""
        self._connected = connected
        self._process = os.getpid()
        self.timeout = timeout
        """Seconds to wait for another writer."""
        self._lock: Lock | None = None
        self._last_commit: LastCommit | None = None
        self.closed = False
        self._changing = False
        self.revision = 0
        """Incremented by every change and rollback of this connection: snapshots of earlier revisions are stale."""
        self._written: list[Path] = []
        """Part files written by the current transaction."""
        self._obsolete: list[Path] = []
        """Part files to remove once the current transaction is committed."""

    @classmethod
    def create(cls, folder: Path, metadata: dict[str, Any]) -> Database:
        """Create an empty index and open it."""
        create_folder(folder, metadata)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path, given: Path | None = None, *, verify: bool = True, timeout: float = 0) -> Database:
        """Open an index; with `verify`, raise if its database is damaged.

        `given` is what users call the folder, if that differs; `timeout` is how long to wait for another writer.
        """
        if not os.path.lexists(folder):
            refuse_url(folder, InputError)
        absolute = folder.absolute()
        return cls(absolute, given or folder, open_database(absolute, verify=verify), timeout)

    def refuse_closed(self) -> None:
        """Raise if the index was closed, or opened by a parent process."""
        if self.closed:
            raise InputError(f"The index {self.folder} was closed. Open it again")
        if self.forked:
            raise InputError(f"The index {self.folder} was opened before this process was forked. Open it again here")

    @property
    def _connection(self) -> sqlite3.Connection:
        """The current connection, which `refresh` may replace."""
        return self._connected.connection

    @property
    def forked(self) -> bool:
        """Whether a parent process opened it."""
        return self._process != os.getpid()

    @property
    def is_replaced(self) -> bool:
        """Whether another index has its name now. An index that was merely removed can still be read."""
        return self._connected.current_identity is not None and not self._connected.is_in_place

    def abandon(self, *, idle: bool) -> None:
        """Abandon, in a forked child, what the parent has open."""
        self._close_last_commit()
        self._connected.abandon(idle=idle)

    # Reading

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one transaction: everything as of one commit."""
        inside = self._connection.in_transaction
        try:
            if not inside:
                self._connected.refresh()
                self._connection.execute("BEGIN")
            yield self._connection
            self._connected.refuse_changed()
        except LookalikeError:
            raise
        except (sqlite3.Error, ValueError, TypeError, KeyError, IndexError) as error:
            self._connected.refuse_changed()
            raise unreadable(self.folder, error) from error
        finally:
            if not inside and self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")

    def metadata(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - any JSON value
        """Return a value of the metadata."""
        found = read_metadata(self._connection, name)
        return default if found is None else found

    def entries(self) -> list[PartEntry]:
        """Return the parts, oldest first; raise if they are not those that were committed."""
        entries = read_entries(self._connection)
        if not self._changing:
            verify_digest(self._connection, entries)
        return entries

    def data(self, entry: PartEntry) -> bytes:
        """Return the bytes of a part in the database."""
        return read_data(self._connection, entry)

    def deleted(self, entry: PartEntry) -> NDArray[np.uint32]:
        """Return the deleted items of a part, sorted."""
        return read_deleted(self._connection, entry)

    def path(self, number: int) -> Path:
        """Return the path of the file of a part."""
        return part_path(self.folder, number)

    def size(self) -> int:
        """Return the total size of all files, in bytes."""
        return folder_size(self.folder)

    # Transactions

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way."""
        return self._changing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none if that fails. A nested transaction becomes part of the outer one."""
        with self._savepoint() if self._changing else self._commit():
            yield

    @contextmanager
    def write_errors(self) -> Iterator[None]:
        """Turn errors of the system into one that says the index cannot be changed, and why."""
        try:
            yield
        except LookalikeError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise not_writable(self.folder, error) from error

    @contextmanager
    def _commit(self) -> Iterator[None]:
        self.acquire_lock()
        self.refuse_replaced()
        try:
            with self.write_errors():
                self._connection.execute("BEGIN IMMEDIATE")
            self._changing = True
            yield
            with self.write_errors():
                self._refuse_rolled_back()
                commit = self.metadata("commit") + 1
                self.set_metadata("commit", commit)
                self.set_metadata(DIGEST, compute_digest(self._connection, self.entries()))
                self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._changing = False
        if self._last_commit is not None:
            self._last_commit.record(commit)
        self._written.clear()
        remove_files(self._obsolete)

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        """Make changes within a transaction, which may continue without them if they fail."""
        self._refuse_rolled_back()
        written, obsolete = len(self._written), len(self._obsolete)
        self._connection.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self.revision += 1
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO step")
                self._connection.execute("RELEASE step")
                remove_files(self._written[written:])
                del self._written[written:], self._obsolete[obsolete:]
            raise
        self._connection.execute("RELEASE step")

    def _refuse_rolled_back(self) -> None:
        """Raise if SQLite has rolled back the current transaction, as it does when a disk is full."""
        if self.closed:
            raise InputError(f"The index {self.folder} was closed during a transaction. No changes were made")
        if not self._connection.in_transaction:
            raise OutputError(f"{self.folder} cannot be changed: an earlier step failed. No changes were made")

    def refuse_replaced(self) -> None:
        """Raise if another index has taken the place of this one, whose files must not be mistaken for ours."""
        if not self._connected.is_in_place:
            raise OutputError(f"{self.folder} was removed, or replaced by another index. Open it again")

    def _roll_back(self) -> None:
        """Return to the last commit, and remove the files written since.

        If the commit itself failed or was interrupted, the log may still hold all of it, and a crash would bring it
        back. Then files are removed only once the log is empty. If the commit succeeded after all, the database says
        so, and they stay.
        """
        self._written.clear()
        self._obsolete.clear()
        with suppress(OSError, sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
                self._remove_leftovers()
            elif self._checkpoint():
                self._remove_leftovers()

    def _checkpoint(self) -> bool:
        """Move all commits from the log to the database; return whether that succeeded in time."""
        self._connection.execute(f"PRAGMA busy_timeout = {CHECKPOINT_TIMEOUT}")
        try:
            busy: int = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_TIMEOUT)}")
        return not busy

    # Writing

    def set_metadata(self, name: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """Write a value of the metadata."""
        self.revision += name in SNAPSHOT_METADATA
        write_metadata(self._connection, name, value)

    def next_number(self) -> int:
        """Return a number that no part has had, nor any file that a failure left behind."""
        number: int = self.metadata("next")
        while self.path(number).exists():
            number += 1
        self.set_metadata("next", number + 1)
        return number

    @contextmanager
    def new_file(self, number: int) -> Iterator[IO[bytes]]:
        """Write the file of a part, which is on disk on exit."""
        path = self.path(number)
        self._written.append(path)
        with path.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self.folder)

    def insert_part(self, entry: PartEntry, data: bytes | None) -> None:
        """Insert a part, with its bytes unless it is in a file."""
        self.revision += 1
        insert_entry(self._connection, entry, data)

    def remove_parts(self, entries: Iterable[PartEntry]) -> None:
        """Remove parts; their files are removed after the commit."""
        self.revision += 1
        for entry in entries:
            remove_entry(self._connection, entry)
            if entry.in_file:
                self._obsolete.append(self.path(entry.number))

    def delete_items(self, number: int, items: NDArray[np.int64]) -> None:
        """Mark items of a part as deleted."""
        self.revision += 1
        delete_items(self._connection, number, items)

    def vacuum(self) -> None:
        """Release unused space in the database, unless a transaction is under way or the disk is full."""
        if not self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("VACUUM")

    # The writer's lock

    def acquire_lock(self) -> None:
        """Become the writer until the index is closed, or raise if there still is one after the timeout."""
        if self._lock is not None:
            return
        with self.write_errors():
            self._connected.make_writable()
            lock = Lock.acquire(self.folder / LOCK, self.timeout)
            try:
                self.refuse_replaced()
                self._last_commit = self._open_last_commit()
                remove_seal(self.folder)
                with self.reading():
                    self._remove_leftovers()
            except BaseException:
                self._close_last_commit()
                lock.release()
                raise
        self._lock = lock

    def _open_last_commit(self) -> LastCommit:
        """Begin to record commits. A record beyond the last commit is that of another index, copied over since."""
        commit, recorded = self.metadata("commit", 0), read_last_commit(self.folder)
        last_commit = LastCommit(self.folder, (self.folder / DATABASE).stat().st_mode & 0o777)
        if recorded > commit:
            last_commit.record(commit)
        return last_commit

    def _close_last_commit(self) -> None:
        if self._last_commit is not None:
            self._last_commit.close()
            self._last_commit = None

    def _remove_leftovers(self) -> None:
        """Remove part files that no commit refers to."""
        self.refuse_replaced()
        known = {self.path(entry.number) for entry in self.entries() if entry.in_file}
        remove_files([path for path in self.folder.glob(f"*{PART_SUFFIX}") if path not in known])

    def close(self) -> None:
        """Close the database. A writer leaves it as one file, with its seal."""
        if self.closed:
            return
        self.closed = True
        if self.forked:
            return  # it belongs to the parent
        if self._connection.in_transaction:
            self._roll_back()
        self._close_last_commit()
        try:
            if self._lock is not None and self._checkpoint() and self._connected.is_in_place:
                write_seal(self.folder, self._connection)
                remove_last_commit(self.folder)
        except (OSError, sqlite3.Error):
            pass  # commits are safe; only the seal is missing
        finally:
            self._connected.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None
