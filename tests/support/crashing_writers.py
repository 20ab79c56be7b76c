"""Processes that are killed while they change an index: this module runs one per line of standard input.

A line is FOLDER SEED SECONDS POINT COUNT. A child performs the `steps` of the seed until it is killed: after so many
seconds, or just before it reaches POINT for the COUNT-th time, or just after that if COUNT is negative. The answer is
the number of steps that had returned, or -1 if the index was not open yet. Children are forked, which is faster than
starting them.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lookalike import Index
from lookalike.index import limits
from lookalike.index.storage.part_writer import PartWriter

POINTS = ("fsync", "rename", "replace", "unlink", "write", "BEGIN", "SAVEPOINT", "COMMIT", "wal_checkpoint")
Held = dict[int, str]
Step = tuple[str, Held]
"""The kind of change, and the contents of the index afterwards."""


def small_parts() -> None:
    """Lower the limits so that parts are merged all the time, and most of them are files."""
    limits.MAX_SMALL_PARTS, limits.MERGE_FACTOR, limits.MAX_SMALL_ITEMS = 3, 2, 8


def text_of(rng: random.Random) -> str:
    return " ".join(rng.choice("abcdefghijklmnop") * 3 for _ in range(20))


def steps(seed: int, held: Held) -> Iterator[Step]:
    """Yield changes to an index with these contents, determined by the seed."""
    rng = random.Random(seed)
    held = dict(held)
    while True:
        kind = rng.choice(["add", "add", "add", "many", "update", "delete", "both", "compact", "rebuild", "open"])
        some = rng.sample(sorted(held), min(len(held), rng.randint(1, 6)))
        new = {max(held, default=0) + 1 + i: text_of(rng) for i in range(rng.randint(9, 60) if kind == "many" else 2)}
        if kind in ("delete", "both"):
            held = {key: text for key, text in held.items() if key not in some}
        if kind == "update":
            changed = {key: text_of(rng) for key in some} | new
            held = {key: text for key, text in held.items() if key not in changed} | changed
        if kind in ("add", "many", "both"):
            held |= new
        yield kind, dict(held)


def do(index: Index, kind: str, before: Held, after: Held) -> Index:
    """Perform one step; return the index, which is a new object if it was reopened."""
    gone = [key for key in before if key not in after]
    new = {key: text for key, text in after.items() if before.get(key) != text}
    if kind in ("add", "many"):
        index.add(list(new), list(new.values()))
    elif kind == "update":
        index.update(list(new), list(new.values()))
    elif kind == "delete":
        index.delete(gone)
    elif kind == "both":
        with index.transaction():
            index.delete(gone)
            index.add(list(new), list(new.values()))
    elif kind == "open":
        index.close()
        return Index.open(index.path)
    else:
        index.compact(rebuild=kind == "rebuild")
    return index


def contents(index: Index) -> Held:
    """Return the contents of an index."""
    return {row["id"]: row["text"] for batch in index.rows() for row in batch.to_pylist()}


def die_at(point: str, count: int) -> None:
    """Kill this process before it reaches a point for the `count`-th time, or after it if negative."""
    left = abs(count)

    def dying(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if not left and count > 0:
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*arguments, **more)
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            run: Callable[..., sqlite3.Cursor] = super().execute
            return (dying(run) if point in sql else run)(sql, *arguments)

    if point == "fsync":
        os.fsync = dying(os.fsync)
    elif point in ("rename", "replace", "unlink"):
        setattr(Path, point, dying(getattr(Path, point)))
    elif point == "write":
        PartWriter.finish = dying(PartWriter.finish)  # type: ignore[method-assign]
    elif point != "-":
        connect = sqlite3.connect
        sqlite3.connect = lambda *a, **k: connect(*a, factory=Connection, **k)  # type: ignore[assignment]


def work(folder: Path, seed: int, say: Callable[[int], object]) -> None:
    """Change an index until killed."""
    index = Index.open(folder) if folder.exists() else Index.create(folder, shingle="words:1", threshold=0.5)
    held = contents(index)
    say(0)
    for number, (kind, after) in enumerate(steps(seed, held), 1):
        index = do(index, kind, held, after)
        held = after
        say(number)


def killed(folder: Path, seed: int, seconds: float, point: str, count: int) -> int:
    """Fork a child that changes an index and is killed; return how many of its steps had returned."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        die_at(point, count)
        work(folder, seed, lambda number: os.write(writer, f"{number} ".encode()))
    os.close(writer)
    deadline = time.monotonic() + seconds
    said = b""
    while select.select([reader], [], [], max(deadline - time.monotonic(), 0))[0] and (
        some := os.read(reader, 1 << 16)
    ):
        said += some
    os.kill(child, signal.SIGKILL)
    while some := os.read(reader, 1 << 16):
        said += some
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        raise RuntimeError(f"seed {seed}: the child ended with {status}, not by being killed")
    return int(said.split()[-1]) if said else -1


def main() -> None:
    """Run a child per line of standard input."""
    small_parts()
    with tempfile.TemporaryDirectory() as name:  # compiles and loads everything once
        index = Index.create(Path(name) / "i", shingle="words:1", threshold=0.5)
        held: Held = {}
        for kind, after in islice(steps(1, held), 40):
            index = do(index, kind, held, after)
            held = after
        index.close()
    for line in sys.stdin:
        folder, seed, seconds, point, count = line.split()
        print(killed(Path(folder), int(seed), float(seconds), point, int(count)), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
