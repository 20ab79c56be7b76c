"""One writer at a time: a lock on a file, which the system gives back when its holder dies."""

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
    """A lock that is held until it is given back, by one process only."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        _held.add(self)

    @classmethod
    def take(cls, path: Path) -> Lock:
        """Take a lock, or say that it is taken."""
        file = path.open("ab")
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.close()
                if not isinstance(error, BlockingIOError):
                    raise
                raise OutputError(
                    f"{path.parent} is being changed by somebody else. Wait until they have closed it"
                ) from error
        return cls(file)

    def release(self) -> None:
        """Give it back, even if a child of this process has still to learn that it does not hold it."""
        if fcntl is not None and not self._file.closed:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self.leave()

    def leave(self) -> None:
        """Let go of the file only: a child does not keep the lock of a parent that died."""
        self._file.close()


_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def leave_all() -> None:
    """Forget, in a new child, what its parent holds."""
    for lock in list(_held):
        lock.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=leave_all)
