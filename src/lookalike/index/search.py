"""Searches for many queries, batch by batch, in threads."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from lookalike.index.hits import concat_hits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from lookalike.index.hits import Hits
    from lookalike.index.snapshot import Snapshot
    from lookalike.resources.threads import Threads

Task = TypeVar("Task")
Result = TypeVar("Result")

BATCH_BYTES = 1 << 19
"""Bytes of queries that are searched for at a time."""


def search_many(
    snapshot: Snapshot, batches: Iterable[pa.Array], min_score: float, top: int | None, threads: Threads
) -> tuple[Hits, int]:
    """Search for the items of batches; return the hits and the number of queries."""
    found, count = [], 0

    def search(task: tuple[int, pa.Array]) -> tuple[Hits, int]:
        first, items = task
        return snapshot.search(snapshot.operations.sign(items), min_score, first=first, top=top), first + len(items)

    for hits, count in map_in_threads(threads, search, numbered(batches)):  # noqa: B007 - the last one is the total
        found.append(hits)
    return concat_hits(found), count


def map_in_threads(threads: Threads, function: Callable[[Task], Result], tasks: Iterator[Task]) -> Iterator[Result]:
    """Yield `function(task)` for each task, in threads. A single task runs in this thread, which is faster."""
    first = list(islice(tasks, 2))
    return map(function, first) if len(first) < 2 else threads.map(function, chain(first, tasks))  # noqa: PLR2004


def numbered(batches: Iterable[pa.Array]) -> Iterator[tuple[int, pa.Array]]:
    """Yield batches, each with the number of its first item."""
    count = 0
    for items in batches:
        yield count, items
        count += len(items)


def split_batch(items: pa.Array) -> Iterator[pa.Array]:
    """Split items into batches to search for at a time."""
    step = max(len(items) * BATCH_BYTES // max(items.nbytes, 1), 1)
    return (items.slice(begin, step) for begin in range(0, len(items), step))
