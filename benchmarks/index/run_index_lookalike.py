"""lookalike: an index on disk, from texts to exact scores; 1,000 single questions; durable adds of ten at a time."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

import shutil
import statistics
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
from questions import THRESHOLD, WORDS, base, questions, show, timed

import lookalike
from lookalike import Index

PACKAGE = "lookalike"
SINGLE = 1000
TEN = 10


def build(path: Path) -> None:
    """Put all documents in an index."""
    with Index.create(path, threshold=THRESHOLD, shingle=f"words:{WORDS}") as index:
        index.add(None, documents)


def answers(index: Index) -> list[list[int]]:
    """Return what each question resembles."""
    found = index.query_many(asked_for, top=None)
    table = found.to_arrow()
    lists: list[list[int]] = [[] for _ in questions]
    for query, document in zip(table["query"].to_pylist(), table["id"].to_pylist(), strict=True):
        lists[query].append(document)
    return lists


def add_ten(index: Index) -> None:
    """Add documents, ten at a time, each time durably."""
    for first in range(0, SINGLE, TEN):
        ids = range(len(base) + first, len(base) + first + TEN)
        index.add(list(ids), questions[first : first + TEN])


documents, asked_for = pa.array(base, pa.large_string()), pa.array(questions, pa.large_string())
with tempfile.TemporaryDirectory(dir=".") as folder:
    warm = Path(folder) / "warm"
    lookalike.deduplicate(documents.slice(0, 3000), threshold=THRESHOLD, shingle=f"words:{WORDS}")
    with Index.create(warm, threshold=THRESHOLD, shingle=f"words:{WORDS}") as index:
        index.add(None, documents.slice(0, 3000))
        index.query_many(documents.slice(0, 3000))
    path = Path(folder) / "index"
    seconds, _ = timed(lambda: build(path))
    size = sum(file.stat().st_size for file in path.iterdir())
    opened, index = timed(lambda: Index.open(path))
    opened += timed(lambda: len(index))[0]
    single = [timed(partial(index.query, text))[0] for text in questions[:SINGLE]]
    sign = lookalike.deduplicate(documents, threshold=THRESHOLD, shingle=f"words:{WORDS}").summary.seconds
    with Index.open(shutil.copytree(path, Path(folder) / "copy")) as copy:
        copy.query(questions[0])
        added = timed(partial(add_ten, copy))[0]
    with index:
        show(
            "on disk, exact scores",
            seconds,
            lambda: answers(index),
            size,
            sign=round(sign["read"] + sign["sign"], 3),
            open_milliseconds=round(1000 * opened, 2),
            single_milliseconds=round(1000 * statistics.median(single), 3),
            adds_a_second=round(SINGLE / added),
        )
