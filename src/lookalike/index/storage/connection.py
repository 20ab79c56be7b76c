"""Connections to the database of an index, including where nothing may be written."""

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

FileIdentity = tuple[int, int]
"""Device and inode: what tells a file from any other that has, or had, its name."""

FileState = tuple[int, int, int]
"""Inode, size and modification time: what changes when a file does."""

BUSY_TIMEOUT = 60.0
"""Seconds to wait for a database that another connection is changing."""

PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 1000;
PRAGMA journal_size_limit = 16777216;
"""
"""A commit is on disk once it returns. The log is checkpointed after 1000 pages, and does not stay large."""


class DatabaseConnection:
    """A connection to a database file.

    SQLite can read a database in WAL mode only where it can write beside it. Where it may not, or has no room, and
    there is no log, the file is opened as immutable. If it changes after all, that is detected.
    """

    def __init__(
        self, path: Path, identity: FileIdentity, connection: sqlite3.Connection, immutable_state: FileState | None
    ) -> None:
        self.connection = connection
        self._path = path
        self._identity = identity
        self._immutable_state = immutable_state
        """State of a file that was opened as immutable; None if it was not."""
        self._process: int | None = os.getpid()
        _connections.add(self)

    @property
    def current_identity(self) -> FileIdentity | None:
        """Identity of the file that has the name of the database now; None if there is none."""
        try:
            return file_identity(self._path)
        except OSError:
            return None

    @property
    def is_in_place(self) -> bool:
        """Whether the name still belongs to this database."""
        return self.current_identity == self._identity

    def is_inherited(self, identity: FileIdentity) -> bool:
        """Return whether this is a connection to a certain file that a parent process made, and that is still open."""
        return self._identity == identity and self._process not in (None, os.getpid())

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
        self._process = None

    def abandon(self, *, idle: bool) -> None:
        """Abandon the connection in a child of the process that made it.

        If it was in use, closing it would roll back what the parent is doing. Then it is leaked instead.
        """
        if self._process is None:
            return  # closed before
        if idle and not self.connection.in_transaction:
            self.close()
        else:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.connection))

    @property
    def is_outdated(self) -> bool:
        """Whether the file was replaced, or changed although it was opened as immutable."""
        return not self.is_in_place or self._is_changed

    @property
    def _is_changed(self) -> bool:
        return self._immutable_state is not None and (
            has_log(self._path) or self._immutable_state != file_state(self._path)
        )

    def refresh(self) -> None:
        """Connect again if the file changed although it was opened as immutable."""
        if self._is_changed:
            self._reconnect()

    def _reconnect(self) -> None:
        self.close()
        again = connect(self._path)
        self.connection, self._immutable_state = again.connection, again._immutable_state  # noqa: SLF001 - same class
        self._identity, self._process = again._identity, again._process  # noqa: SLF001 - same class

    def make_writable(self) -> None:
        """Connect for writing, or raise if that is not possible, before anything is changed."""
        if not (may_write(self._path) and may_write(self._path.parent)):
            raise PermissionError(errno.EACCES, "it is read-only")
        if self._immutable_state is not None:
            self._reconnect()
        if self._immutable_state is not None:
            raise OSError(errno.ENOSPC, "no space left on device")

    def refuse_changed(self) -> None:
        """Raise if what was just read may be half old, half new."""
        if self._immutable_state is not None and self._immutable_state != file_state(self._path):
            raise InputError(f"{self._path} changed while it was being read. Try again")


_connections: weakref.WeakSet[DatabaseConnection] = weakref.WeakSet()


def connect(path: Path) -> DatabaseConnection:
    """Connect to a database: for writing if possible, otherwise for reading."""
    identity = file_identity(path)
    if any(one.is_inherited(identity) for one in list(_connections)):
        raise InputError(
            f"{path.parent} was in use when this process was forked, so it cannot be opened here. Close it before "
            "forking, or start processes with spawn"
        )
    writable = may_write(path) and may_write(path.parent)
    if writable or has_log(path):
        try:
            connection = sqlite_connect(path, "mode=rw", PRAGMAS) if writable else sqlite_connect(path, "mode=ro")
            return DatabaseConnection(path, identity, connection, None)
        except sqlite3.OperationalError as error:  # the log needs room beside the database
            if has_log(path):
                raise sqlite3.OperationalError(
                    f"its log cannot be read here ({error}); open it once with write permission and free space"
                ) from error
    state = file_state(path)
    return DatabaseConnection(path, identity, sqlite_connect(path, "mode=ro&immutable=1"), state)


def sqlite_connect(path: Path, parameters: str, pragmas: str = "") -> sqlite3.Connection:
    """Connect with certain URI parameters."""
    uri = f"{path.resolve().as_uri()}?{parameters}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT)
    try:
        connection.executescript(pragmas)
        connection.execute("PRAGMA schema_version").fetchone()  # forces a read
    except BaseException:
        connection.close()
        raise
    return connection


def may_write(path: Path) -> bool:
    """Return whether this user may write to a path."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def has_log(path: Path) -> bool:
    """Return whether a database has a write-ahead log that is not empty."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def file_identity(path: Path) -> FileIdentity:
    """Return the identity of a file."""
    found = path.stat()
    return found.st_dev, found.st_ino


def file_state(path: Path) -> FileState:
    """Return the state of a file."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
