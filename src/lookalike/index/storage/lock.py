"""The writer's lock: a file lock, which the system releases when its holder dies."""

from __future__ import annotations

import os
import weakref
from typing import IO, TYPE_CHECKING

from lookalike.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


class Lock:
    """A lock held by one process until it is released."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        _held.add(self)

    @classmethod
    def acquire(cls, path: Path) -> Lock:
        """Acquire the lock, or raise if another process or another open index holds it."""
        file = path.open("ab")
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.close()
                if not isinstance(error, BlockingIOError):
                    raise
                raise OutputError(f"{path.parent} is locked by another writer. Wait until it is closed") from error
        return cls(file)

    def release(self) -> None:
        """Release the lock, even while a forked child still has the file open."""
        if fcntl is not None and not self._file.closed:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self.close()

    def close(self) -> None:
        """Close the file without unlocking it, so that a child does not keep the lock of a parent that died."""
        self._file.close()


_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def close_all() -> None:
    """Close, in a forked child, the locks of its parent."""
    for lock in list(_held):
        lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_all)
