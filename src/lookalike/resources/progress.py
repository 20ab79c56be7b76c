"""Progress of a run: the current stage, how far it is, and how long each stage took."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Advance = Callable[[int], None]
T = TypeVar("T")

COMPILATION = "compile"
"""The stage in which kernels are compiled, or loaded from the cache."""


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
    """The stages of a run: measures their time and memory, and notifies the watcher.

    Each moment belongs to one stage, the innermost, so that the times of all stages add up to that of the run. The time
    in which kernels are compiled or loaded is a stage of its own, whichever thread does it.
    """

    def __init__(self, watcher: Watcher | None = None, compiled: Callable[[], float] = lambda: 0.0) -> None:
        self.watcher = watcher or Silent()
        self.seconds: dict[str, float] = {}
        self.memory: dict[str, int] = {}
        self._inner: list[str] = []
        self._compiled = compiled
        self._last = time.perf_counter(), compiled()

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
        """Add the time spent in the `with` block to the total of that name, except for what is timed within it."""
        self._charge()
        self._inner.append(name)
        self.seconds.setdefault(name, 0.0)
        try:
            yield
        finally:
            self._charge()
            self._inner.pop()
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

    def _charge(self) -> None:
        """Add the time since the last call to the innermost stage, or to the compilation that held it up."""
        now, compiled = time.perf_counter(), self._compiled()
        last, before = self._last
        self._last = now, compiled
        if self._inner:
            waited = compiled - before
            self.seconds[self._inner[-1]] += max(now - last - waited, 0.0)
            if waited:
                self.seconds[COMPILATION] = self.seconds.get(COMPILATION, 0.0) + waited


highest = [0]
"""The highest peak of memory that the system has reported so far."""


def peak_memory() -> int:
    """Return the peak memory of this process so far, in bytes; 0 if the system does not report it.

    Linux counts in `ru_maxrss` also what the process was before it became this program, as a large one that starts
    others; only the peak in /proc is that of this program.
    """
    try:
        with open("/proc/self/status", "rb") as file:  # noqa: PTH123 - `pathlib` takes longer than the rest
            peak = int(file.read().partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
            highest[0] = max(highest[0], peak)  # each core counts for itself: their sum may be less than it was before
            return highest[0]
    except (OSError, IndexError, ValueError):
        return peak_by_usage()


def peak_by_usage() -> int:
    """Return the peak memory of this process, as far as systems without /proc know it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
