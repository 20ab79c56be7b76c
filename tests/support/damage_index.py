"""Damages files of an index, one byte at a time, and reports damage that goes undetected."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lookalike import Index, LookalikeError

Answers = dict[str, Any]
WORDS = [f"w{i}" for i in range(40)]


def made_items(kind: str, count: int = 60) -> Any:
    """Return items of which a third resemble the one before, some of them exactly."""
    rng = np.random.default_rng(7)
    if kind == "vectors":
        rows = rng.standard_normal((count, 12)).astype(np.float32)
        rows[1::3] = rows[::3] + np.float32(0.1) * (np.arange(0, count, 3) % 2)[:, None]
        return rows
    items = [list(rng.choice(WORDS, rng.integers(3, 30), replace=False)) for _ in range(count)]
    for i in range(0, count - 1, 3):
        items[i + 1] = items[i][:-1] if i % 2 else items[i]
    return [" ".join(map(str, one)) for one in items] if kind == "texts" else [list(map(str, one)) for one in items]


def make(folder: Path, kind: str) -> None:
    """Create a closed index with a part in a file and two in the database, and items deleted from both."""
    items = made_items(kind)
    ids = [f"id {i}" for i in range(len(items))]
    how: dict[str, Any] = {
        "texts": {"shingle": "words:1", "threshold": 0.6},
        "elements": {"shingle": "elements", "threshold": 0.6, "recall": 1},
        "vectors": {"shingle": "vectors", "measure": "cosine", "threshold": 0.8, "bands": 8, "rows": 4},
    }
    with Index.create(folder, fields=["n"], **how[kind]) as index:
        index.add(ids[:40], items[:40], {"n": range(40)})
        index.compact()
        index.add(ids[40:50], items[40:50], {"n": range(10)})
        index.add(ids[50:], items[50:])
        index.delete(["id 4", "id 45"])


def ask(folder: Path, kind: str) -> Answers:
    """Return the results of all kinds of queries; an error where one is raised."""
    answers: Answers = {}
    items = made_items(kind)

    def note(name: str, function: Callable[[], Any]) -> None:
        try:
            answers[name] = function()
        except Exception as error:  # noqa: BLE001 - callers decide which are expected
            answers[name] = error

    try:
        index = Index.open(folder)
    except LookalikeError:
        return answers
    with index:
        note("length", lambda: len(index))
        note("query", lambda: [list(found) for found in index.query_many(items, top=None)])
        note("best", lambda: index.query(items[31], top=1, threshold=0.2))
        for i in (0, 3, 4, 17, 45, 47, 59):
            note(f"{i} in", lambda i=i: f"id {i}" in index)  # type: ignore[misc]
            note(f"get {i}", lambda i=i: index.get(f"id {i}") if f"id {i}" in index else None)  # type: ignore[misc]
        note("rows", lambda: [row for batch in index.rows() for row in batch.to_pylist()])
    return answers


def join(folder: Path, kind: str) -> Answers:
    """Compact a copy; return the results of its queries, or nothing if an error is raised."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(shutil.copytree(folder, Path(name) / "i"))
        try:
            with Index.open(copy) as index:
                index.compact()
        except LookalikeError:
            return {}
        return ask(copy, kind)


def wrong_with(folder: Path, kind: str, truth: Answers, *, joining: bool) -> list[str]:
    """Return the names of wrong results of a damaged index, and "check" if a check finds nothing."""
    found = [] if Index.check(folder) else ["check"]
    answers = [("", ask(folder, kind))] + ([("joined ", join(folder, kind))] if joining else [])
    for when, some in answers:
        found += [
            f"{when}{name}" for name, one in some.items() if not isinstance(one, LookalikeError) and one != truth[name]
        ]
    return found


def surprises(folder: Path, kind: str) -> list[str]:
    """Return unexpected errors raised by queries and changes."""
    answers = ask(folder, kind)
    found = [
        repr(one) for one in answers.values() if isinstance(one, Exception) and not isinstance(one, LookalikeError)
    ]
    try:
        Index.check(folder)
        with Index.open(folder) as index:
            index.delete(["id 3"])
            index.add(["new"], made_items(kind)[:1])
            index.compact()
    except LookalikeError:
        pass
    except Exception as error:  # noqa: BLE001 - any of these is unexpected
        found.append(repr(error))
    return found


def abandon(folder: Path, kind: str) -> None:
    """Create an index whose writer is killed before closing it, so that some commits are only in the log."""
    make(folder, kind)
    child = os.fork()
    if not child:
        index = Index.open(folder)
        index.add(["late"], made_items(kind)[:1])
        index.delete(["id 7", "id 52"])
        index.add(["later"], made_items(kind)[1:2])
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def try_open(whole: Path, kind: str, name: str, places: list[tuple[int, int]]) -> list[str]:
    """Change bytes of an index that was not closed, one at a time; return unexpected errors and wrong results.

    A byte may have no meaning there, but a change that affects results must be found by a check.
    """
    problems = []
    with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
        truth = ask(Path(shutil.copytree(whole, Path(folder) / "i")), kind)
    for place, bits in places:
        with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
            copy = Path(shutil.copytree(whole, Path(folder) / "i"))
            data = (copy / name).read_bytes()
            (copy / name).write_bytes(data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :])
            checked = Index.check(copy)
            answers = ask(copy, kind)
            found = [] if checked or answers == truth else ["check"]
            found += [
                one for one in answers if not isinstance(answers[one], LookalikeError) and answers[one] != truth[one]
            ]
            problems += [f"{name}, byte {place} ^ {bits}: {one}" for one in found + surprises(copy, kind)]
    return problems


def try_places(whole: Path, kind: str, name: str, places: list[tuple[int, int]], *, joining: bool) -> list[str]:
    """Change one byte of a file at a time, by some bits; return what went undetected."""
    problems = []
    with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
        copy = Path(shutil.copytree(whole, Path(folder) / "i"))
        truth = ask(copy, kind)
        file = copy / name
        data = file.read_bytes()
        for place, bits in places:
            file.write_bytes(data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :])
            found = wrong_with(copy, kind, truth, joining=joining)
            problems += [f"{name}, byte {place} ^ {bits}: {one}" for one in found]
        file.write_bytes(data)
    return problems


def try_lengths(whole: Path, kind: str, name: str, lengths: list[int]) -> list[str]:
    """Truncate or extend a file to some lengths; return what went undetected."""
    problems = []
    for length in lengths:
        with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
            copy = Path(shutil.copytree(whole, Path(folder) / "i"))
            truth = ask(copy, kind)
            data = (copy / name).read_bytes()
            (copy / name).unlink()
            if length >= 0:
                (copy / name).write_bytes((data + data)[:length])
            found = wrong_with(copy, kind, truth, joining=True)
            problems += [f"{name}, {length} of {len(data)} bytes: {one}" for one in found]
    return problems
