"""Helpers for tests of the index commands: a corpus to build an index of, and the output of commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike import Index
from support.run_cli import done, run, state

WORDS = [f"w{i}" for i in range(60)]
SETTINGS = ("--shingle", "words:2", "--threshold", "0.5")


def made_texts(count: int, seed: int) -> list[str]:
    """Return texts of which every third is the one before it with a word replaced."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 30)) for _ in range(count)]
    for i in range(2, count, 3):
        texts[i] = texts[i - 1].replace("w7", "new")
    return texts


OLD, NEW = made_texts(90, 1), made_texts(30, 2)
TITLES = [f"title {i}" for i in range(90)]


def write_corpus() -> None:
    """Write the files to build an index of, and to add later, to the current folder."""
    names = [f"o{i}" for i in range(90)]
    pq.write_table(
        pa.table({"name": names, "text": OLD, "title": TITLES, "day": pa.array(range(90), pa.date32())}), "old.parquet"
    )
    write_lines("new.jsonl", [{"name": f"n{i}", "text": text, "title": f"new {i}"} for i, text in enumerate(NEW)])


def write_lines(path: str, rows: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def build(*options: object, index: str = "i", source: str = "old.parquet") -> None:
    done("index", "build", index, source, *SETTINGS, *options, "--quiet")


def said(*arguments: object, stdin: bytes = b"") -> dict[str, Any]:
    """Run a command on an index; return its JSON."""
    found: dict[str, Any] = json.loads(done("index", *arguments, "--json", stdin=stdin).out)
    return found


def refused(*arguments: object, stdin: bytes = b"") -> str:
    """Run a command that must fail without changing anything on disk; return its message, which is one line."""
    before = {name: data for name, data in state().items() if not name.endswith(("-wal", "-shm"))}
    outcome = run("index", *arguments, stdin=stdin)
    assert (outcome.code, outcome.out) == (2, ""), outcome
    assert outcome.err.startswith("lookalike: ")
    assert outcome.err.count("\n") == 1
    assert {name: data for name, data in state().items() if not name.endswith(("-wal", "-shm"))} == before
    return outcome.err


def rows(index: str) -> list[dict[str, Any]]:
    with Index.open(index) as held:
        return [row for batch in held.rows() for row in batch.to_pylist()]
