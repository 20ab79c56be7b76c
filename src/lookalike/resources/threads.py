"""A pool of threads that returns results in order."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
Task = TypeVar("Task")
Result = TypeVar("Result")


class Threads:
    """Threads that live as long as a run, so that what each has allocated is reused."""

    def __init__(self, count: int | None = None) -> None:
        self.count = thread_count(count)
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="lookalike")

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, ahead: int | None = None
    ) -> Iterator[Result]:
        """Yield `function(task)` for each task, in order. At most `ahead` tasks are running or waiting.

        Tasks are drawn from the iterable in the caller's thread, while the other threads work.
        """
        ahead = ahead or 2 * self.count
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(self._pool.submit(function, task))
                if len(waiting) >= ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """End the threads once they have finished their current tasks."""
        self._pool.shutdown(cancel_futures=True)


def thread_count(threads: int | None) -> int:
    """Return the requested number of threads, or the number of cores that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise RecipeError(f"`threads` must be a whole number, at least 1. Got {threads!r}")
    return int(threads)
