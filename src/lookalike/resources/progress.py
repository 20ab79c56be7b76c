"""Progress of a run: the current stage, how far it is, and how long each stage took."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Advance = Callable[[int], None]
T = TypeVar("T")


class Watcher(Protocol):
    """Receives progress, to show it as a bar on a terminal, for example."""

    def begin(self, stage: str, total: int | None) -> None:
        """Begin a stage of `total` steps, or of an unknown number of steps if it is None."""

    def advance(self, steps: int) -> None:
        """Record completed steps."""

    def end(self, seconds: float) -> None:
        """End the current stage."""


class Silent:
    """A watcher that ignores progress."""

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self, seconds: float) -> None:
        """Do nothing."""


class Stages:
    """The stages of a run: measures their time and memory, and notifies the watcher."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher or Silent()
        self.seconds: dict[str, float] = {}
        self.memory: dict[str, int] = {}

    @contextmanager
    def stage(self, name: str, total: int | None = None) -> Iterator[Advance]:
        """Notify the watcher that a stage begins, how far it is, and when it ends."""
        self.watcher.begin(name, total)
        begin = time.perf_counter()
        try:
            yield self.watcher.advance
        finally:
            self.watcher.end(time.perf_counter() - begin)

    def hint(self, text: str) -> None:
        """Tell the watcher what to expect, if it takes hints: it may have a method `hint`."""
        tell = getattr(self.watcher, "hint", None)
        if tell is not None:
            tell(text)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the time spent in the `with` block to the total of that name."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
            self.memory[name] = peak_memory()

    def timed_each(self, name: str, values: Iterable[T]) -> Iterator[T]:
        """Yield the values, adding the time it takes to get each to the total of that name."""
        iterator = iter(values)
        while True:
            with self.timed(name):
                try:
                    value = next(iterator)
                except StopIteration:
                    return
            yield value


def peak_memory() -> int:
    """Return the peak memory of this process so far, in bytes; 0 if the system does not report it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
