"""How explained matches are shown."""

from __future__ import annotations

import datetime as dt
import os
import pty
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.index_commands import said, write_lines
from support.run_cli import LOOKALIKE, done, quiet_environment, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(items: str, *options: object) -> None:
    done("index", "build", "i", items, "--quiet", *options)


def test_queries_may_be_named_by_days() -> None:
    table = pa.table({"day": pa.array([dt.date(2026, 1, 2)]), "text": ["a b c"]})
    pq.write_table(table, "days.parquet")
    write_lines("texts.jsonl", [{"id": "x", "text": "a b c"}])
    build("texts.jsonl", "--id", "id", "--shingle", "words:1")
    (found,) = said("query", "i", "days.parquet", "--id", "day", "--text", "text", "--explain")["explanations"]
    assert (found["query"], found["id"], found["similarity"]) == ("2026-01-02", "x", 1)


def test_vectors_are_shown_by_name() -> None:
    np.save("v.npy", np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]))
    build("v.npy", "--measure", "cosine", "--threshold", "0.9")
    told = done("index", "query", "i", "v.npy", "--explain", "--top", "1").out
    assert "v.npy:1 and 0 " in told
    assert "v.npy:3 and 2 " in told


def test_names_are_shown_as_they_are() -> None:
    """No part of an id stands for a picture, and none changes the terminal."""
    write_lines("texts.jsonl", [{"id": "urn:key:5\x1b[31m\n[bold]x", "text": "a b c"}])
    build("texts.jsonl", "--id", "id", "--shingle", "words:1")
    out = done("index", "query", "i", "--text", "a b c", "--explain").out
    told = out[out.index("the text and") :]
    assert "urn:key:5\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}[bold]x" in told
    assert "\x1b" not in told


def test_a_long_element_is_cut() -> None:
    write_lines("sets.jsonl", [{"e": ["x" * 500_000, "y"]}])
    build("sets.jsonl", "--text", "e")
    asked = ("index", "query", "i", "sets.jsonl", "--text", "e", "--explain", "-q")
    short, long = (done(*asked, *how).out for how in ((), ("--full",)))
    assert "… (500,000 characters; use --full to show them)" in short
    assert len(short) < 5000
    assert len(long) > 500_000


@pytest.mark.slow
def test_bars_do_not_come_between() -> None:
    write_lines("texts.jsonl", [{"id": i, "text": f"a b {i}"} for i in range(200)])
    build("texts.jsonl", "--id", "id", "--shingle", "words:1", "--threshold", "0.5")
    asked = ("index", "query", "i", "texts.jsonl", "--id", "id", "-o", "m.csv", "--explain", "--top", "1")
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*LOOKALIKE, *asked], stdin=slave, stdout=slave, stderr=slave, env=quiet_environment(TERM="xterm")
    ) as process:
        os.close(slave)
        told = b""
        try:
            while some := os.read(master, 1 << 16):
                told += some
        except OSError:  # all is read
            pass
    os.close(master)
    assert process.returncode == 0
    assert b"\x1b[2K" not in told[told.index("═".encode()) : told.rindex(b"A pair")]


@pytest.mark.parametrize("shingle", ["tokens:2", "elements", "weights", "vectors"])
def test_files_of_text_are_no_sets(shingle: str) -> None:
    Path("one.txt").write_text("1 2 3")
    outcome = run("compare", "one.txt", "one.txt", "--shingle", shingle)
    assert (outcome.code, outcome.out) == (2, "")
    assert "by words, characters or bytes" in outcome.err
