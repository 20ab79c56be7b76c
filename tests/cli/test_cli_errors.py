"""Commands that fail: one sentence, exit code 2, nothing written, inputs untouched."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import done, process, run, state

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = pa.table({"text": ["a b c", "a b c", "d"], "id": [1, 1, 2], "key": ["x", "y", "z"], "list": [[1], [2], [3]]})
LINE = b'{"text": "a b c", "n": 1}\n'
NOBODY = 65534


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "good.parquet")
    Path("good.jsonl").write_bytes(LINE)
    return tmp_path


def refused(*arguments: object, stdin: bytes = b"") -> str:
    """Run a command that must fail: return its one sentence. Everything on disk stays as it was."""
    before = state()
    outcome = run(*arguments, stdin=stdin)
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("lookalike: ")
    assert outcome.err.count("\n") == 1
    assert state() == before
    return outcome.err


# What is read


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope.parquet"], ["nope.parquet", "no such file"]),
        (["*.nope"], ["*.nope", "matches no file"]),
        ([""], ["empty"]),
        (["good.parquet", "./good.parquet"], ["good.parquet", "twice"]),
        (["good.parquet", "--text", "body"], ["good.parquet", "no column 'body'", "text (string), id (int64), key"]),
        (["good.parquet", "--id", "name"], ["no column 'name' (--id)", "key (string)"]),
        (["good.parquet", "--keep", "max:score"], ["no column 'score' (--keep)", "id (int64)"]),
        (["good.parquet", "--text", "id"], ["good.parquet", "'id' is int64", "string"]),
        (["good.parquet", "--id", "list"], ["'list' is list", "strings or numbers"]),
        (["good.parquet", "--keep", "max:list"], ["'list' is list", "has no order"]),
        (["good.parquet", "--id", "id"], ["id 1 occurs twice", "row 1", "row 2"]),
        (["good.parquet", "--shingle", "tokens:2", "--text", "key"], ["'key' is string", "lists of integers"]),
    ],
)
def test_files_and_columns(arguments: list[str], says: list[str]) -> None:
    message = refused("dedup", *arguments, "-o", "o.parquet", "--clusters", "c.csv")
    assert all(words in message for words in says)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.jsonl", LINE + b'{"text": "a"\n' + LINE, ["a.jsonl, line 2", "not valid JSON"]),
        ("a.jsonl", b"\n\n" + LINE + b"[1]\n", ["a.jsonl, line 4", "found a list"]),
        ("a.jsonl", LINE + b'{"text": 5}\n', ["a.jsonl, line 2", "holds a number, not a string"]),
        ("a.jsonl", b'{"n": 5}\n', ["a.jsonl has no column of strings", "n (int64)"]),
        ("a.jsonl", b"{}\n{}\n", ["a.jsonl", "no line has a key"]),
        ("a.jsonl", LINE + b'{"text": "\xff"}\n', ["a.jsonl, line 2", "not valid UTF-8", "--encoding-errors replace"]),
        ("a.jsonl", LINE + b'{"text": "a\\ud800b"}\n', ["a.jsonl, line 2", "unpaired surrogate"]),
        ("a.jsonl.gz", gzip.compress(LINE * 999, mtime=0)[:-9], ["a.jsonl.gz", "truncated"]),
        ("a.jsonl.gz", LINE, ["a.jsonl.gz", "cannot be read"]),
        ("a.jsonl.zst", b"(\xb5/\xfd?", ["a.jsonl.zst", "truncated"]),
        ("a.json", b'[{"text": "a"}]', ["a.json", "one JSON array", "jq"]),
        ("a.csv", b"text,n\nx,1\ny\n", ["a.csv, row 2", "expected 2 columns, found 1"]),
        ("a.csv", b'text,n\nx,1\n"y,2\n', ["a.csv, row 2"]),
        ("a.csv", b"text,n\nx,1\ny\xff,2\n", ["a.csv, row 2", "not valid UTF-8", "--encoding-errors replace"]),
        ("a.csv", b"te\xff,n\nx,1\n", ["a.csv", "header is not valid UTF-8"]),
        ("a.csv", b"text,text\nx,1\n", ["a.csv has 2 columns named 'text'"]),
        ("a.txt", b"caf\xe9", ["a.txt", "not valid UTF-8"]),
        ("a.parquet", b"", ["a.parquet", "0 bytes"]),
        ("a.parquet", b"PAR1 and then nothing", ["a.parquet", "truncated or damaged"]),
        ("a.parquet", LINE, ["a.parquet (as parquet) cannot be read"]),
        ("a.parquet.gz", b"x", ["a.parquet.gz", "decompress it first"]),
    ],
)
def test_broken_files(name: str, data: bytes, says: list[str]) -> None:
    Path(name).write_bytes(data)
    message = refused("dedup", name, "-o", "o.parquet", "--removed", "r.csv")
    assert all(words in message for words in says)


def test_truncated_parquet_anywhere() -> None:
    pq.write_table(pa.table({"text": [f"text number {i}" * 9 for i in range(500)]}), "whole.parquet")
    data = Path("whole.parquet").read_bytes()
    for size in (1, 8, len(data) // 2, len(data) - 1):
        Path("cut.parquet").write_bytes(data[:size])
        assert "cut.parquet" in refused("pairs", "cut.parquet")
    Path("cut.parquet").write_bytes(b"\0" * 200 + data[200:])
    assert "cut.parquet" in refused("pairs", "cut.parquet", "-o", "o.csv")


@pytest.mark.slow
def test_a_file_that_breaks_off_late() -> None:
    """The first blocks are fine and already worked on when the fault is met."""
    Path("late.jsonl").write_bytes(LINE * 400_000 + b"{")
    assert "late.jsonl, line 400001" in refused("dedup", "late.jsonl", "-o", "o.jsonl", "--clusters", "c.csv")


def test_replacing_what_is_not_utf8() -> None:
    Path("a.jsonl").write_bytes(LINE + b'{"text": "a\xffb"}\n{"text": "\\ud800"}\n')
    done("dedup", "a.jsonl", "--encoding-errors", "replace", "-o", "o.parquet")
    assert pq.read_table("o.parquet").column("text").to_pylist() == ["a b c", "a\ufffdb", "\ufffd"]


def test_two_files_that_do_not_fit() -> None:
    pq.write_table(pa.table({"body": ["x"]}), "other.parquet")
    assert "other.parquet has no column 'text'" in refused("dedup", "good.parquet", "other.parquet")
    pq.write_table(pa.table({"text": ["x"], "key": [{"a": 1}]}), "other.parquet")
    message = refused("dedup", "good.parquet", "other.parquet", "-o", "o.parquet")
    assert "other.parquet: column 'key' is struct" in message


@pytest.mark.parametrize("data", [b"just some words\n", bytes(range(256)), gzip.compress(LINE, mtime=0)[:20]])
def test_standard_input_that_says_nothing(data: bytes) -> None:
    assert "stdin" in refused("dedup", "-", "-o", "o.jsonl", stdin=data)


def test_compare() -> None:
    Path("bad.txt").write_bytes(b"\xff")
    assert "nope.txt cannot be read: no such file" in refused("compare", "nope.txt", "good.jsonl")
    assert "bad.txt is not valid UTF-8 at byte 0" in refused("compare", "good.jsonl", "bad.txt")
    assert "is a directory" in refused("compare", ".", "bad.txt")


# Settings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--threshold", "80"], "--threshold must be in (0, 1]. Got 80; did you mean 0.80?"),
        (["--threshold", "nan"], "Got nan"),
        (["--threshold", "0"], "Got 0"),
        (["--recall", "99"], "did you mean 0.99?"),
        (["--shingle", "words"], "such as words:5. Got 'words'"),
        (["--shingle", "words:0"], "1..1000. Got words:0"),
        (["--shingle", "bytes:4", "--lower"], "compares items as they are"),
        (["--bands", "3"], "--bands and --rows go together"),
        (["--bands", "99999", "--rows", "9"], "at most 65536"),
        (["--threads", "0"], "--threads must be a whole number, at least 1. Got 0"),
        (["--seed", "-1"], "--seed must be a whole number in"),
        (["--scratch", "nowhere"], "The scratch folder nowhere cannot be written"),
        (["--scratch", "good.jsonl"], "not a directory"),
    ],
)
def test_settings(arguments: list[str], says: str) -> None:
    for command in ("dedup", "pairs"):
        assert says in refused(command, "good.parquet", *arguments, "-o", "o.parquet")
    assert "--keep must be first" in refused("dedup", "good.parquet", "--keep", "best")


@pytest.mark.parametrize(
    "arguments",
    [[], ["dedup"], ["dedup", "x", "--nope"], ["nope"], ["pairs", "x", "-t", "much"], ["dedup", "x", "--form", "nfc"]],
)
def test_usage(arguments: list[str]) -> None:
    """Typer explains these itself."""
    outcome = run(*arguments)
    assert outcome.code == 2
    assert "Usage: " in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


# What is written


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("good.parquet", "is an input"),
        ("./x/../good.parquet", "is an input"),
        ("link.parquet", "is an input"),
        ("hard.parquet", "is an input"),
        ("other.parquet", "exists already; --force replaces it"),
        ("dangling.parquet", "there is no directory"),
        ("x", "suffix"),
        ("o.txt", "choose .parquet, .jsonl"),
        ("o.parquet.gz", "suffix"),
        ("x.parquet", "is a directory"),
        ("nowhere/o.parquet", "there is no directory"),
        ("good.jsonl/o.parquet", "there is no directory"),
        ("o" * 300 + ".parquet", "File name too long"),
    ],
)
def test_outputs(output: str, says: str) -> None:
    for folder in ("x", "x.parquet"):
        Path(folder).mkdir()
    shutil.copy("good.parquet", "other.parquet")
    Path("link.parquet").symlink_to("good.parquet")
    Path("hard.parquet").hardlink_to("good.parquet")
    Path("dangling.parquet").symlink_to("gone/o.parquet")
    assert says in refused("dedup", "good.parquet", "-o", output)
    assert says in refused("dedup", "good.parquet", "--clusters", output)
    if says == "is an input":
        assert says in refused("pairs", "good.jsonl", "--against", "good.parquet", "-o", output, "--force")
        assert says in refused("dedup", "good.parquet", "-o", output, "--force")


def test_one_file_for_two_outputs() -> None:
    message = refused("dedup", "good.parquet", "-o", "o.csv", "--removed", "./o.csv")
    assert "--removed and --output are both o.csv" in message


def test_columns_of_one_name_do_not_fit_in_json() -> None:
    pq.write_table(pa.Table.from_arrays([["a"], [1], [2]], names=["text", "n", "n"]), "twice.parquet")
    assert "two keys 'n'" in refused("dedup", "twice.parquet", "-o", "o.jsonl")
    done("dedup", "twice.parquet", "-o", "o.parquet")
    assert pq.ParquetFile("o.parquet").read().column_names == ["text", "n", "n"]


def test_a_failure_leaves_what_was_there(here: Path) -> None:
    Path("bad.jsonl").write_bytes(LINE + b"{")
    Path("o.jsonl").write_text("precious")
    refused("dedup", "bad.jsonl", "-o", "o.jsonl", "--force")
    assert Path("o.jsonl").read_text() == "precious"
    assert not [path for path in here.iterdir() if path.name.startswith(".")]


# What the system refuses


@pytest.fixture
def small_disk(here: Path) -> Iterator[Path]:
    """Return a folder with room for 64 kB."""
    folder = here / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv", "jsonl.gz"])
def test_disk_full(small_disk: Path, ending: str) -> None:
    Path("big.jsonl").write_text("".join(json.dumps({"text": os.urandom(50).hex()}) + "\n" for _ in range(4000)))
    message = refused("dedup", "big.jsonl", "-o", small_disk / f"o.{ending}")
    assert "disk is full; free some space" in message
    assert not list(small_disk.iterdir())
    assert "small is full. Choose another one with --scratch" in refused("dedup", "big.jsonl", "--scratch", small_disk)


def test_all_outputs_appear_or_none(small_disk: Path) -> None:
    """The rows can be written, the clusters cannot."""
    Path("a.jsonl").write_bytes(LINE * 3000)
    assert "disk is full" in refused("dedup", "a.jsonl", "-o", "o.jsonl", "--clusters", small_disk / "c.csv")
    done("dedup", "a.jsonl", "-o", "o.jsonl", "--clusters", "c.csv")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["pairs good.parquet -q", "dedup good.parquet --json -q", "--help"])
def test_standard_output_full(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = process(*command.split(), stdout=full)
    assert ended.returncode == 2
    assert ended.stderr.startswith("lookalike: standard output cannot be written: No space left on device;")
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_standard_output_is_closed() -> None:
    """As with `| head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = process("pairs", "good.parquet", "-q", stdout=writer)
    os.close(writer)
    assert ended.returncode != 0
    assert ended.stderr == ""


@pytest.fixture
def ordinary_user(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give up the rights of root for a while, in a folder that everybody may see."""
    done("dedup", "good.parquet", "-o", "warm.parquet")  # what is imported and compiled now needs no rights later
    done("pairs", "good.jsonl", "-o", "warm.csv")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for path in ("good.parquet", "good.jsonl"):
            shutil.copy(path, folder)
        (folder / "closed").mkdir()
        shutil.copy("good.jsonl", folder / "closed")
        (folder / "closed").chmod(0o000)
        (folder / "good.jsonl").chmod(0o000)
        monkeypatch.chdir(folder)
        if (root := os.geteuid() == 0) and hasattr(os, "seteuid"):
            os.seteuid(NOBODY)
        yield folder
        if root:
            os.seteuid(0)
        (folder / "closed").chmod(0o755)


@pytest.mark.slow
def test_no_permission(ordinary_user: Path) -> None:
    def says(*arguments: object) -> str:
        outcome = run(*arguments)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        return outcome.err

    assert "good.jsonl: no permission to read it" in says("dedup", "good.jsonl")
    assert "permission" in says("dedup", "closed")
    assert "permission" in says("compare", "good.jsonl", "good.jsonl")
    assert "no permission" in says("dedup", "good.parquet", "-o", "closed/o.parquet")
    assert "cannot be written" in says("dedup", "good.parquet", "--scratch", "closed")
    if os.getuid() == 0:  # the folder is root's
        assert "no permission" in says("dedup", "good.parquet", "-o", ordinary_user / "o.parquet")
