"""Open indexes when a process forks.

A SQLite connection must not be used on both sides of a fork: the child would take the parent's locks for its own. So a
child first abandons its parent's connections, and may then open the index again. That is safe only while no thread is
in the middle of an operation, so a fork waits briefly for operations under way. An index still in use after that stays
as it is, and cannot be opened in the child.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import threading

MAX_WAIT = 1.0
"""Seconds that a fork waits for other threads."""


class ForkAware(Protocol):
    """Something that one thread at a time uses."""

    guard: threading.RLock

    def abandon(self, *, idle: bool) -> None:
        """Abandon, in a child, what the parent has open; `idle` if no other thread was using it."""


_registered: weakref.WeakSet[ForkAware] = weakref.WeakSet()
_guarded: list[ForkAware] = []


def register(resource: ForkAware) -> None:
    """Have a resource abandoned in children when the process forks."""
    _registered.add(resource)


def acquire_all() -> None:
    """Wait until no thread is using a resource, up to `MAX_WAIT` for each."""
    _guarded.extend(one for one in list(_registered) if one.guard.acquire(timeout=MAX_WAIT))


def release_all() -> None:
    """Let other threads continue."""
    for one in _guarded:
        one.guard.release()
    _guarded.clear()


def abandon_all() -> None:
    """Abandon every resource, in the child."""
    try:
        for one in list(_registered):
            one.abandon(idle=one in _guarded)
    finally:
        release_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=acquire_all, after_in_parent=release_all, after_in_child=abandon_all)
