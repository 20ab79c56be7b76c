"""How long kernels have been compiled, or loaded from the cache."""

from __future__ import annotations

import threading
import time
from typing import Any

from numba.core import event

KIND = "numba:compiler_lock"
"""The event of a thread that wants to compile or load a kernel, from when it waits for its turn."""


class Stopwatch(event.Listener):
    """Measures the time in which at least one thread compiles or loads a kernel, or waits for another that does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active = 0
        self._begin = 0.0
        self._seconds = 0.0

    def on_start(self, event: Any) -> None:  # noqa: ANN401, ARG002 - Numba has no types
        """Count a thread that begins."""
        with self._lock:
            if not self._active:
                self._begin = time.perf_counter()
            self._active += 1

    def on_end(self, event: Any) -> None:  # noqa: ANN401, ARG002
        """Count a thread that ends."""
        with self._lock:
            self._active -= 1
            if not self._active:
                self._seconds += time.perf_counter() - self._begin

    def seconds(self) -> float:
        """Return the time so far."""
        with self._lock:
            return self._seconds + (time.perf_counter() - self._begin if self._active else 0.0)


stopwatch = Stopwatch()
event.register(KIND, stopwatch)  # type: ignore[no-untyped-call]  # Numba has no types
