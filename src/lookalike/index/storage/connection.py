"""Connections to the database of an index, also where nothing may be written."""

from __future__ import annotations

import ctypes
import errno
import os
import sqlite3
import weakref
from typing import TYPE_CHECKING

from lookalike.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

Place = tuple[int, int]
"""What tells a file from any other that has, or had, its name."""

PATIENCE = 60.0
"""Seconds to wait for a database that somebody else is about to change."""

PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 1000;
PRAGMA journal_size_limit = 16777216;
"""
"""A commit is on disk once it returns; the log goes to the database after 1000 pages, and does not stay long."""


class Connected:
    """A connection to a database.

    SQLite reads a database with a log only where it can write beside it. Where it may not, or has no room, and there is
    no log, the file is read as one that nobody changes; should somebody do so after all, that is noticed.
    """

    def __init__(
        self, path: Path, place: Place, connection: sqlite3.Connection, state: tuple[int, int, int] | None
    ) -> None:
        self.connection = connection
        self._path = path
        self._place = place
        self._state = state
        """Of a file that is read as one that nobody changes."""
        self._process: int | None = os.getpid()
        _connections.add(self)

    @property
    def place_now(self) -> Place | None:
        """What has the name of the database now; None if nothing has."""
        try:
            return place_of(self._path)
        except OSError:
            return None

    @property
    def is_in_place(self) -> bool:
        """Whether the database still is where it was."""
        return self.place_now == self._place

    def is_inherited(self, place: Place) -> bool:
        """Tell whether this is a connection to a certain file that another process has made, and this one still has."""
        return self._place == place and self._process not in (None, os.getpid())

    def close(self) -> None:
        """Close it."""
        self.connection.close()
        self._process = None

    def let_go(self, *, idle: bool) -> None:
        """Let go of it in a child of the process that made it.

        If it was in use, closing it would undo what the parent is about to do. Then it is never closed.
        """
        if self._process is None:
            return  # it was closed before
        if idle and not self.connection.in_transaction:
            self.close()
        else:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.connection))

    @property
    def is_outdated(self) -> bool:
        """Whether the file is another one by now, or somebody changes what nobody should."""
        return not self.is_in_place or self._is_changed

    @property
    def _is_changed(self) -> bool:
        return self._state is not None and (has_log(self._path) or self._state != state_of(self._path))

    def refresh(self) -> None:
        """Connect again if somebody changes what nobody should."""
        if self._is_changed:
            self._connect_again()

    def _connect_again(self) -> None:
        self.close()
        again = connect(self._path)
        self.connection, self._state = again.connection, again._state  # noqa: SLF001 - its like
        self._place, self._process = again._place, again._process  # noqa: SLF001

    def become_writable(self) -> None:
        """Raise where the database may only be read, before anything beside it is changed."""
        if not (may_write(self._path) and may_write(self._path.parent)):
            raise PermissionError(errno.EACCES, "it may only be read")
        if self._state is not None:
            self._connect_again()
        if self._state is not None:
            raise OSError(errno.ENOSPC, "there is no room on the disk")

    def refuse_changed(self) -> None:
        """Raise if what was just read may be half old, half new."""
        if self._state is not None and self._state != state_of(self._path):
            raise InputError(f"{self._path} was changed while it was read. Try again")


_connections: weakref.WeakSet[Connected] = weakref.WeakSet()


def connect(path: Path) -> Connected:
    """Connect to a database: to write if possible, else to read."""
    place = place_of(path)
    if any(one.is_inherited(place) for one in list(_connections)):
        raise InputError(
            f"{path.parent} was being used when this process was forked, so it cannot be opened here. Close it before, "
            "or start processes by spawn"
        )
    may_change = may_write(path) and may_write(path.parent)
    if may_change or has_log(path):
        try:
            connection = connection_to(path, "mode=rw", PRAGMAS) if may_change else connection_to(path, "mode=ro")
            return Connected(path, place, connection, None)
        except sqlite3.OperationalError as error:  # there must be room beside it, for the log
            if has_log(path):
                raise sqlite3.OperationalError(
                    f"its log cannot be read here ({error}); open it once where there is room, and you may write"
                ) from error
    state = state_of(path)
    return Connected(path, place, connection_to(path, "mode=ro&immutable=1"), state)


def connection_to(path: Path, how: str, pragmas: str = "") -> sqlite3.Connection:
    """Connect in a certain way."""
    uri = f"{path.resolve().as_uri()}?{how}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
    try:
        connection.executescript(pragmas)
        connection.execute("PRAGMA schema_version").fetchone()  # reads something
    except BaseException:
        connection.close()
        raise
    return connection


def may_write(path: Path) -> bool:
    """Tell whether this user may write there."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def has_log(path: Path) -> bool:
    """Tell whether SQLite keeps something beside the database that is not yet in it."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def place_of(path: Path) -> Place:
    """Return what tells a file from others."""
    found = path.stat()
    return found.st_dev, found.st_ino


def state_of(path: Path) -> tuple[int, int, int]:
    """Return by what it is seen that a file changed."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
