"""Rows through pipes: standard input to standard output, in the format of the input or as asked."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import LOOKALIKE, done, process, quiet_environment, run

TEXTS = ["the cat sat on the mat", "a dog lay in the sun", "The cat sat on the mat!"]
LINES = [json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(TEXTS)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(LINES))
    table = pa.table({"id": range(3), "text": TEXTS})
    pq.write_table(table, "in.parquet")
    Path("in.csv").write_text("id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(TEXTS)))
    Path("in.tsv").write_text("id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(TEXTS)))
    Path("in.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    return tmp_path


def piped(*arguments: object, stdin: bytes = b"") -> bytes:
    """Return the standard output of a command in a process of its own, which must succeed."""
    command = [*LOOKALIKE, *map(str, arguments)]
    ended = subprocess.run(command, input=stdin, capture_output=True, check=False, env=quiet_environment())
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_standard_input_to_standard_output() -> None:
    ended = done("dedup", "-", "-o", "-", stdin="".join(LINES).encode())
    assert ended.out == "".join(LINES[:2])
    assert "removed    1 (33.3%) from 1 cluster" in ended.err
    assert "wrote      standard output" in ended.err


@pytest.mark.parametrize("name", ["in.jsonl", "in.csv", "in.tsv"])
def test_rows_keep_the_format_of_the_input(name: str) -> None:
    out = done("dedup", name, "-o", "-", "--quiet").out
    if name == "in.jsonl":
        assert out == "".join(LINES[:2])
    else:
        rows = list(csv.reader(io.StringIO(out), delimiter="\t" if name == "in.tsv" else ","))
        assert rows == [["id", "text"], ["0", TEXTS[0]], ["1", TEXTS[1]]]


@pytest.mark.slow
def test_parquet_goes_through_a_pipe() -> None:
    data = piped("dedup", "-", "-o", "-", stdin=Path("in.parquet").read_bytes())
    assert pq.read_table(pa.BufferReader(data)).equals(pq.read_table("in.parquet").slice(0, 2))


def test_lines_go_through_a_pipe() -> None:
    out = done("dedup", "-", "-o", "-", "--lines", stdin=Path("in.txt").read_bytes()).out
    assert out.splitlines() == TEXTS[:2]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["pairs", "nearest"])
def test_tables_go_through_a_pipe(command: str) -> None:
    rows = [json.loads(line) for line in done(command, "in.jsonl", "-o", "-", "--id", "id").out.splitlines()]
    assert {(row["left"], row["right"]) for row in rows} >= {(0, 2)}
    out = done(command, "in.jsonl", "-o", "-", "--output-format", "csv", "--id", "id").out
    assert out.startswith('"left","right",')


def test_clusters_may_go_there_instead() -> None:
    out = done("dedup", "in.jsonl", "-o", "kept.jsonl", "--clusters", "-").out
    assert [json.loads(line)["kept"] for line in out.splitlines()] == [True, False]
    assert Path("kept.jsonl").read_text() == "".join(LINES[:2])


def test_a_format_of_choice() -> None:
    out = done("dedup", "in.csv", "-o", "-", "--output-format", "jsonl").out
    assert [json.loads(line) for line in out.splitlines()] == [{"id": str(i), "text": TEXTS[i]} for i in range(2)]
    done("dedup", "in.csv", "-o", "clean", "--output-format", "tsv")
    assert Path("clean").read_text().startswith('"id"\t"text"\n')


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["-o", "-", "--output-format", "xlsx"],
            "--output-format must be one of parquet, jsonl, csv, tsv, txt (all but parquet also as .gz or .zst). Got",
        ),
        (["-o", "x.csv", "--output-format", "jsonl"], "--output-format is for outputs whose name does not tell their"),
        (["-o", "-", "--clusters", "-"], "--clusters and --output are both standard output; give each its own file"),
        (["-o", "-", "--json"], "--json prints the summary to standard output, which is an output here. Leave one out"),
        (["-o", "clean"], "clean has no suffix that lookalike can write; choose .parquet"),
        (
            ["-o", "clean.txt"],
            "clean.txt can only hold lines that are read with --lines, and --output has",
        ),
    ],
)
def test_what_is_refused(arguments: list[str], says: str) -> None:
    refused = run("dedup", "in.jsonl", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"lookalike: {says}")


def test_arrays_are_written_as_json() -> None:
    np.save("v.npy", np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.001]]))
    out = done("dedup", "v.npy", "-o", "-", "-t", "0.9").out
    assert [json.loads(line)["vector"] for line in out.splitlines()] == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.slow
def test_a_reader_that_has_seen_enough() -> None:
    Path("many.jsonl").write_text("".join(json.dumps({"text": f"text number {i}" * 9}) + "\n" for i in range(20_000)))
    command = [*LOOKALIKE, "dedup", "many.jsonl", "-o", "-", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quiet_environment()) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_a_full_standard_output(place: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = process("dedup", "in.jsonl", "-o", place, stdout=full)
    name = "standard output" if place == "-" else place
    assert (ended.returncode, ended.stderr) == (
        2,
        f"lookalike: {name} cannot be written: the disk is full; free some space, or choose another place\n",
    )


@pytest.mark.slow
def test_an_input_as_standard_output() -> None:
    with Path("in.jsonl").open("ab") as file:
        ended = process("dedup", "in.jsonl", "-o", "-", stdout=file)
    assert ended.returncode == 2
    assert ended.stderr.startswith("lookalike: standard output is an input, which is never written to")
    assert Path("in.jsonl").read_text() == "".join(LINES)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["pairs"], ["pairs", "-o", "-"], ["dedup", "-o", "-"]])
def test_bars_on_a_terminal_take_nothing_away(arguments: list[str]) -> None:
    """Results go to standard output even while progress is shown on the terminal that standard error is."""
    expected = piped(*arguments, "in.jsonl", "--quiet")
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [*LOOKALIKE, *arguments, "in.jsonl"], stdout=subprocess.PIPE, stderr=end, env=quiet_environment(TERM="xterm")
    ) as running:
        os.close(end)
        drain = threading.Thread(target=read_all, args=(terminal,), daemon=True)
        drain.start()
        assert running.stdout is not None
        assert running.stdout.read() == expected
    assert running.returncode == 0
    assert len(expected) > 20
    drain.join(timeout=30)
    os.close(terminal)


def read_all(terminal: int) -> None:
    """Read what a process prints to a terminal, until it ends."""
    with suppress(OSError):
        while os.read(terminal, 1 << 16):
            pass


@pytest.mark.slow
def test_an_index_is_exported_to_a_pipe() -> None:
    done("index", "build", "i", "in.jsonl", "--id", "id")
    rows = [json.loads(line) for line in done("index", "export", "i", "-o", "-").out.splitlines()]
    assert [row["text"] for row in rows] == TEXTS
    matches = done("index", "query", "i", "in.jsonl", "-o", "-", "--output-format", "tsv", "--id", "id").out
    assert matches.startswith('"query"\t"id"\t"similarity"\n')


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
def test_a_summary_and_rows_do_not_share_standard_output(output: str) -> None:
    assert "--json prints the summary to standard output" in run("dedup", "in.jsonl", "-o", output, "--json").err


def test_a_message_names_the_flag_that_turns_a_switch_off() -> None:
    outcome = run("dedup", "in.jsonl", "--shingle", "bytes:5", "--strip-accents")
    assert outcome.err.startswith("lookalike: --strip-accents normalises text, but bytes:5 compares items as they are")
