"""Work spread over threads, results in order."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Task = TypeVar("Task")
Result = TypeVar("Result")


def thread_count(threads: int | None) -> int:
    """Return the number of threads asked for, or that of the cores this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise RecipeError(f"`threads` must be at least 1. Got {threads}")
    return threads


def ordered_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], threads: int, *, ahead: int = 2
) -> Iterator[Result]:
    """Yield `function(task)` for each task, in order, with at most `ahead` tasks a thread under way or waiting.

    Tasks are drawn in the caller's thread, while the others work.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="lookalike") as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) >= ahead * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
