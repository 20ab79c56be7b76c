"""What becomes of open indexes when a process is forked.

SQLite must not be used on both sides: it would take the locks of the parent for those of the child. So a child lets go
of its parent's connections before it does anything else, and can open the index anew. That is safe only while no thread
is in the middle of something; so a fork waits for those that are, for a moment. What is not over by then is left as it
is, and cannot be opened in the child.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import threading

A_MOMENT = 1.0
"""Seconds that a fork waits for other threads."""


class Forked(Protocol):
    """Something that is used by one thread at a time."""

    guard: threading.RLock

    def let_go(self, *, idle: bool) -> None:
        """Let go, in a child, of what the parent has open; `idle` says that no other thread was using it."""


_open: weakref.WeakSet[Forked] = weakref.WeakSet()
_held: list[Forked] = []


def remember(one: Forked) -> None:
    """Have something looked after when the process is forked."""
    _open.add(one)


def hold_all() -> None:
    """Wait until nobody is in the middle of something."""
    _held.extend(one for one in list(_open) if one.guard.acquire(timeout=A_MOMENT))


def release_all() -> None:
    """Let threads go on."""
    for one in _held:
        one.guard.release()
    _held.clear()


def let_all_go() -> None:
    """Let go, in the child, of everything."""
    try:
        for one in list(_open):
            one.let_go(idle=one in _held)
    finally:
        release_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=hold_all, after_in_parent=release_all, after_in_child=let_all_go)
