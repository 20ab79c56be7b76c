"""The writer's lock: a file lock, which the system releases when its holder dies."""

from __future__ import annotations

import os
import time
import weakref
from typing import IO, TYPE_CHECKING

from lookalike.errors import IndexLockedError

if TYPE_CHECKING:
    from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


POLL_INTERVAL = 0.05
"""Seconds between two attempts to acquire a lock that another writer holds."""


class Lock:
    """A lock held by one process until it is released."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        _held.add(self)

    @classmethod
    def acquire(cls, path: Path, timeout: float = 0) -> Lock:
        """Acquire the lock; raise if another process or another open index still holds it after `timeout` seconds."""
        file = path.open("ab")
        try:
            locked = wait_for_lock(file, timeout)
        except BaseException:
            file.close()
            raise
        if not locked:
            file.close()
            raise IndexLockedError(locked_message(path.parent, timeout))
        return cls(file)

    def release(self) -> None:
        """Release the lock, even while a forked child still has the file open."""
        if fcntl is not None and not self._file.closed:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self.close()

    def close(self) -> None:
        """Close the file without unlocking it, so that a child does not keep the lock of a parent that died."""
        self._file.close()


def wait_for_lock(file: IO[bytes], timeout: float) -> bool:
    """Lock a file, waiting up to `timeout` seconds for another holder, and return whether that succeeded."""
    deadline = time.monotonic() + timeout
    while not try_lock(file):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(POLL_INTERVAL, left))
    return True


def try_lock(file: IO[bytes]) -> bool:
    """Lock a file, and return whether that succeeded: not if it is locked already."""
    if fcntl is None:  # pragma: no cover - Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def locked_message(folder: Path, timeout: float) -> str:
    """Return what to say about an index that another writer has open."""
    if timeout > 0:
        return f"{folder} is still locked by another writer after {timeout:g} s. Close the other, or wait longer"
    return f"{folder} is locked by another writer. Wait until it is closed: `timeout` sets for how many seconds"


_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def close_all() -> None:
    """Close, in a forked child, the locks of its parent."""
    for lock in list(_held):
        lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_all)
