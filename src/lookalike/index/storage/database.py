"""The truth about an index: a database that says what is committed.

SQLite keeps the promises: a commit is there once it has returned, whole or not at all, and whoever reads sees one
commit. Parts never change, so what was read stays true for as long as it is held. A file that no commit speaks of is
what a crash left behind; the next writer removes it.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from lookalike.errors import InputError, LookalikeError, OutputError
from lookalike.index.storage.connection import PATIENCE, Connected, connect
from lookalike.index.storage.database_checksum import break_seal, refuse_unlike_seal, remove, sync_folder, write_seal
from lookalike.index.storage.errors import DATABASE_ERRORS, cannot_write, reason, unreadable
from lookalike.index.storage.files import SUFFIX, size_of
from lookalike.index.storage.last_commit import Latest, forget_latest, read_latest, refuse_lost
from lookalike.index.storage.lock import Lock
from lookalike.index.storage.parts_table import (
    delete_items,
    drop_entry,
    insert_entry,
    read_data,
    read_deleted,
    read_entries,
)
from lookalike.index.storage.schema import (
    DATABASE,
    DIGEST,
    LOCK,
    digest_now,
    get_about,
    refuse_foreign,
    refuse_unlike_digest,
    set_about,
    write_new,
)
from lookalike.index.storage.temporary import beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.index.storage.parts_table import Entry

SEEN = ("types", "schema")
"""What is noted about an index that a view shows."""

ATTEMPTS = 5
"""How often an index is opened again that was replaced or changed meanwhile."""

A_MOMENT = 1000
"""Milliseconds to wait, when an index is closed, for those who read it right then."""


class Store:
    """The folder of an index, its database and its files."""

    def __init__(self, given: Path, connected: Connected) -> None:
        self.given = given
        self.folder = given.absolute()
        self._connected = connected
        self._process = os.getpid()
        self._lock: Lock | None = None
        self._latest: Latest | None = None
        self.closed = False
        self._changing = False
        self.steps = 0
        """What was done, or undone, since it was opened: whoever has read it before must do so again."""
        self._written: list[Path] = []
        self._dropped: list[Path] = []

    @classmethod
    def create(cls, folder: Path, about: dict[str, Any]) -> Store:
        """Make a new index: under another name, so that a crash leaves nothing that looks like one."""
        given, folder = folder, folder.absolute()
        if not folder.name or "\0" in str(folder):
            raise OutputError(f"An index is a folder with a name of its own. Got {str(given)!r}")
        new = beside(folder)
        try:
            if os.path.lexists(folder):
                raise FileExistsError(errno.EEXIST, "is there")
            new.mkdir()
            write_new(new, about)
            new.rename(folder)
            sync_folder(folder.parent)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, OSError) and error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise OutputError(f"{folder} is there already. Open it, or choose another name") from error
            raise OutputError(f"{folder} cannot be made: {reason(error)}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return cls.open(given)

    @classmethod
    def open(cls, folder: Path, given: Path | None = None, *, sealed: bool = True) -> Store:
        """Open an index that is there; unless told not to, look whether the database is as it was closed.

        `given` is what users call the folder, if that is something else.
        """
        given, folder = given or folder, folder.absolute()
        for attempt in range(ATTEMPTS):
            connected = connected_to(folder)
            try:
                refuse_foreign(folder, connected.connection)
                if sealed:
                    refuse_damage(folder, connected.connection)
            except BaseException as error:
                outdated = connected.is_outdated and attempt < ATTEMPTS - 1
                connected.close()
                if outdated and isinstance(error, (LookalikeError, *DATABASE_ERRORS)):
                    continue  # what was compared does not go together
                if isinstance(error, (OSError, *DATABASE_ERRORS)) and not isinstance(error, LookalikeError):
                    raise unreadable(folder, error) from error
                raise
            return cls(given, connected)
        raise AssertionError  # pragma: no cover

    def refuse_closed(self) -> None:
        """Raise if the index can no longer be used, or not in this process."""
        if self.closed:
            raise InputError(f"The index {self.folder} was closed. Open it again")
        if self.forked:
            raise InputError(f"The index {self.folder} was opened before this process was forked. Open it again here")

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection there is now; it may be another one than before."""
        return self._connected.connection

    @property
    def forked(self) -> bool:
        """Whether another process opened it."""
        return self._process != os.getpid()

    @property
    def is_replaced(self) -> bool:
        """Whether there is another index now under the name that this one had; while there is none, it can be read."""
        return self._connected.place_now is not None and not self._connected.is_in_place

    def let_go(self, *, idle: bool) -> None:
        """Let go, in a child, of what the parent has open."""
        self._end_note()
        self._connected.let_go(idle=idle)

    # Reading

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one piece: all of it as of one commit."""
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

    def about(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - plain values
        """Return something that is known of the index."""
        found = get_about(self._connection, name)
        return default if found is None else found

    def entries(self) -> list[Entry]:
        """Return the parts, the oldest first; raise if those that were committed are others."""
        entries = read_entries(self._connection)
        if not self._changing:
            refuse_unlike_digest(self._connection, entries)
        return entries

    def data(self, entry: Entry) -> bytes:
        """Return the bytes of a small part."""
        return read_data(self._connection, entry)

    def deleted(self, entry: Entry) -> NDArray[np.uint32]:
        """Return the items of a part that are gone, in order."""
        return read_deleted(self._connection, entry)

    def path(self, number: int) -> Path:
        """Return where a large part is."""
        return self.folder / f"{number:08}{SUFFIX}"

    def size(self) -> int:
        """Return how many bytes all files have."""
        return size_of(self.folder)

    # Writing

    @property
    def in_transaction(self) -> bool:
        """Whether changes are under way."""
        return self._changing

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Change something: all of it is there afterwards, or nothing if that fails. An inner one joins the outer."""
        with self._step() if self._changing else self._commit():
            yield

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Say of what goes wrong that the index cannot be changed, and why."""
        try:
            yield
        except LookalikeError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise cannot_write(self.folder, error) from error

    @contextmanager
    def _commit(self) -> Iterator[None]:
        self.lock()
        self.refuse_replaced()
        try:
            with self.telling():
                self._connection.execute("BEGIN IMMEDIATE")
            self._changing = True
            yield
            with self.telling():
                self._refuse_given_up()
                commit = self.about("commit") + 1
                self.set_about("commit", commit)
                self.set_about(DIGEST, digest_now(self._connection, self.entries()))
                self._connection.execute("COMMIT")
        except BaseException:
            self._give_up()
            raise
        finally:
            self._changing = False
        if self._latest is not None:
            self._latest.note(commit)
        self._written.clear()
        remove(self._dropped)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Change something within a larger change: should it fail, that may go on without it."""
        self._refuse_given_up()
        written, dropped = len(self._written), len(self._dropped)
        self._connection.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self.steps += 1
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO step")
                self._connection.execute("RELEASE step")
                remove(self._written[written:])
                del self._written[written:], self._dropped[dropped:]
            raise
        self._connection.execute("RELEASE step")

    def _refuse_given_up(self) -> None:
        """Raise if SQLite has undone the change that is under way, as it does when a disk is full."""
        if self.closed:
            raise InputError(f"The index {self.folder} was closed in the middle of a change. It is as it was before")
        if not self._connection.in_transaction:
            raise OutputError(f"{self.folder} cannot be changed: an earlier step failed. It is as it was before")

    def refuse_replaced(self) -> None:
        """Raise if another index has taken this one's place: its files must not be taken for ours."""
        if not self._connected.is_in_place:
            raise OutputError(f"{self.folder} was removed, or replaced by another index. Open it again")

    def _give_up(self) -> None:
        """Go back to what is committed, and remove the files that were written since.

        If the commit itself failed, or was interrupted, the log may still have all of it: a crash would bring it back.
        Then files go only once the log is empty. If it succeeded after all, the database says so, and they stay.
        """
        self._written.clear()
        self._dropped.clear()
        with suppress(OSError, sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
                self._remove_leftovers()
            elif self._empty_log():
                self._remove_leftovers()

    def _empty_log(self) -> bool:
        """Bring all that is committed from the log to the database; tell whether that could be done at once."""
        self._connection.execute(f"PRAGMA busy_timeout = {A_MOMENT}")
        try:
            busy: int = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")
        return not busy

    def shrink(self) -> None:
        """Give back the room in the database that nothing is in, unless changes are under way or there is no room."""
        if not self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("VACUUM")

    def set_about(self, name: str, value: Any) -> None:  # noqa: ANN401 - plain values
        """Note something about the index."""
        self.steps += name in SEEN
        set_about(self._connection, name, value)

    def next_number(self) -> int:
        """Return a number that no part has had, nor any file that a failure left behind."""
        number: int = self.about("next")
        while self.path(number).exists():
            number += 1
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
        self.steps += 1
        insert_entry(self._connection, entry, data)

    def drop(self, entries: Iterable[Entry]) -> None:
        """Forget parts; their files go once that is committed."""
        self.steps += 1
        for entry in entries:
            drop_entry(self._connection, entry)
            if entry.filed:
                self._dropped.append(self.path(entry.number))

    def delete(self, number: int, items: NDArray[np.int64]) -> None:
        """Note items of a part that are gone."""
        self.steps += 1
        delete_items(self._connection, number, items)

    def lock(self) -> None:
        """Become the one writer, or say that somebody else is. It stays so until the store is closed."""
        if self._lock is not None:
            return
        with self.telling():
            self._connected.become_writable()
            lock = Lock.take(self.folder / LOCK)
            try:
                self.refuse_replaced()
                self._latest = self._begin_note()
                break_seal(self.folder)
                with self.reading():
                    self._remove_leftovers()
            except BaseException:
                self._end_note()
                lock.release()
                raise
        self._lock = lock

    def _begin_note(self) -> Latest:
        """Begin to note commits. What was noted of another index that was here, and then closed, counts no more."""
        commit, noted = self.about("commit", 0), read_latest(self.folder)
        note = Latest(self.folder, (self.folder / DATABASE).stat().st_mode & 0o777)
        if noted > commit:
            note.note(commit)
        return note

    def _end_note(self) -> None:
        if self._latest is not None:
            self._latest.close()
            self._latest = None

    def _remove_leftovers(self) -> None:
        """Remove files that no commit speaks of: a crash came before it."""
        self.refuse_replaced()
        known = {self.path(entry.number) for entry in self.entries() if entry.filed}
        remove([path for path in self.folder.glob(f"*{SUFFIX}") if path not in known])

    def close(self) -> None:
        """Leave the database as one file, with a checksum of it, if this was the writer."""
        if self.closed:
            return
        self.closed = True
        if self.forked:
            return  # it is the parent's
        if self._connection.in_transaction:
            self._give_up()
        self._end_note()
        try:
            if self._lock is not None and self._empty_log() and self._connected.is_in_place:
                write_seal(self.folder, self._connection)
                forget_latest(self.folder)
        except (OSError, sqlite3.Error):
            pass  # what is committed is safe; there is no checksum of the database, that is all
        finally:
            self._connected.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None


def connected_to(folder: Path) -> Connected:
    """Connect to the database of an index, or say that there is none."""
    path = folder / DATABASE
    try:
        if not path.is_file():
            why = "is not an index" if folder.exists() else "is not there"
            raise InputError(f"{folder} {why}. Make one with lookalike index build, or Index.create")
        return connect(path)
    except (OSError, *DATABASE_ERRORS) as error:
        raise unreadable(folder, error) from error


def refuse_damage(folder: Path, connection: sqlite3.Connection) -> None:
    """Raise if a database is not what it was when it was closed; or, where it was not, if commits are missing."""
    if not refuse_unlike_seal(folder, folder / DATABASE, connection):
        refuse_lost(folder, lambda: get_about(connection, "commit") or 0)
