"""What a run is doing, for whoever watches: the stage, how far it is, how long each one took."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Advance = Callable[[int], None]
T = TypeVar("T")


class Watcher(Protocol):
    """Somebody who wants to see progress, such as a bar on a terminal."""

    def begin(self, stage: str, total: int | None) -> None:
        """Take note of a new stage; `total` is how many steps it has, if that is known."""

    def advance(self, steps: int) -> None:
        """Take note of steps done."""

    def end(self, seconds: float) -> None:
        """Take note of the end of the stage."""


class Silent:
    """A watcher who does not care."""

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self, seconds: float) -> None:
        """Do nothing."""


class Stages:
    """Times the stages of a run, sees how much memory they take, and tells the watcher."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher or Silent()
        self.seconds: dict[str, float] = {}
        self.memory: dict[str, int] = {}

    @contextmanager
    def stage(self, name: str, total: int | None = None) -> Iterator[Advance]:
        """Tell the watcher that a stage begins, how far it is, and when it ends."""
        self.watcher.begin(name, total)
        begin = time.perf_counter()
        try:
            yield self.watcher.advance
        finally:
            self.watcher.end(time.perf_counter() - begin)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the time spent inside to that name's."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
            self.memory[name] = peak_memory()

    def timed_each(self, name: str, values: Iterable[T]) -> Iterator[T]:
        """Yield the values, adding the time it takes to get each to that name's."""
        iterator = iter(values)
        while True:
            with self.timed(name):
                try:
                    value = next(iterator)
                except StopIteration:
                    return
            yield value


def peak_memory() -> int:
    """Return the most memory this process has held so far, in bytes; 0 where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
