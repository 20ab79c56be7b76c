"""Index commands that fail: what they refuse, and what they leave behind when interrupted."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from support.index_commands import build, refused, rows, said, write_corpus, write_lines
from support.run_cli import LOOKALIKE, done, quiet_environment, run, state

from lookalike import Index, OutputError
from lookalike.index.storage.replacement import atomic_folder
from lookalike.index.storage.schema import FORMAT


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["build", "i", "old.parquet"], ["already exists", "index add", "--force"]),
        (["build", "folder", "old.parquet", "--force"], ["exists and is not a readable index"]),
        (["build", "old.parquet", "new.jsonl", "--force"], ["exists and is not a readable index"]),
        (["build", "no/where", "old.parquet"], ["no directory"]),
        (["build", "j", "nope.parquet"], ["no such file"]),
        (["build", "j", "old.parquet", "--threshold", "80"], ["threshold", "0.80"]),
        (["build", "j", "old.parquet", "--id", "day"], ["strings or integers"]),
        (["build", "j", "old.parquet", "--fields", "url"], ["no column 'url' (--fields)", "title (string)"]),
        (["build", "j", "old.parquet", "--fields", "text"], ["other than id, text, query, similarity"]),
        (["build", "j", "old.parquet", "--measure", "euclidean", "-t", "1"], ["no column of lists of numbers"]),
        (["add", "i", "old.parquet", "--id", "name"], ["'o0' is already in the index"]),
        (["add", "i", "old.parquet"], ["has strings as ids", "--id"]),
        (["add", "i", "new.jsonl", "--id", "name", "-o", "x.csv"], ["--skip-duplicates"]),
        (["add", "i", "new.jsonl", "--id", "name", "--skip-duplicates", "-o", "x.txt"], ["x.txt", ".parquet"]),
        (["add", "i", "twice.jsonl", "--id", "name"], ["'t' occurs twice"]),
        (["update", "i", "twice.jsonl", "--id", "name"], ["'t' occurs twice"]),
        (["update", "i", "new.jsonl"], ["--id"]),
        (["query", "i"], ["--text"]),
        (["query", "i", "--text", "x", "--top", "0"], ["must be an integer of at least 1"]),
        (["query", "i", "new.jsonl", "--text", "nope"], ["no column 'nope'"]),
        (["delete", "i"], ["--from"]),
        (["delete", "i", "--from", "nope.txt"], ["nope.txt cannot be read"]),
        (["info", "nope"], ["nope does not exist", "index build"]),
        (["check", "folder"], ["folder is not an index"]),
        (["query", "foreign", "--text", "x"], ["belongs to another program"]),
        (["query", "newer", "--text", "x"], [f"format {FORMAT + 1}", "newer"]),
        (["check", "newer"], [f"format {FORMAT + 1}"]),
        (["export", "i", "-o", "all.txt"], ["all.txt", ".parquet"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(arguments: list[str], says: list[str]) -> None:
    build("--id", "name")
    Path("folder").mkdir()
    Path("folder/file").write_text("kept")
    write_lines("twice.jsonl", [{"name": "t", "text": "one"}, {"name": "t", "text": "two"}])
    Path("foreign").mkdir()
    sqlite3.connect("foreign/index.sqlite").execute("CREATE TABLE t (x)").connection.close()
    shutil.copytree("i", "newer")
    (newer := sqlite3.connect("newer/index.sqlite")).execute(f"PRAGMA user_version = {FORMAT + 1}")
    newer.close()
    message = refused(*arguments)
    assert all(words in message for words in says), message


def test_force_replaces_an_index_and_nothing_else() -> None:
    build()
    assert said("build", "i", "new.jsonl", "--force")["items"] == 30
    assert said("info", "i")["items"] == 30
    assert "no column 'x'" in refused("build", "i", "new.jsonl", "--force", "--text", "x")
    Path("i/notes.txt").write_text("mine")
    assert "also holds notes.txt" in refused("build", "i", "new.jsonl", "--force")
    assert not list(Path().glob(".lookalike*"))


def test_one_writer_at_a_time() -> None:
    build("--id", "name")
    with Index.open("i") as writer:
        writer.delete(["o1"])
        assert "is locked by another writer" in refused("delete", "i", "o2")
        assert "is locked by another writer" in refused("build", "i", "new.jsonl", "--force")
        assert "is still locked by another writer after 0.1 s" in refused("delete", "i", "o2", "--timeout", "0.1")
        assert "--timeout must be a number of seconds" in refused("delete", "i", "o2", "--timeout", "-1")
        assert said("info", "i")["items"] == 89
    assert said("delete", "i", "o2")["deleted"] == 1


def test_damage_is_found() -> None:
    write_lines("many.jsonl", [{"text": f"text number {i} of many others"} for i in range(1500)])
    build(source="many.jsonl")
    (part,) = Path("i").glob("*.columns")
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    outcome = run("index", "check", "i")
    assert (outcome.code, outcome.err) == (1, "")
    assert part.name in outcome.out
    assert len(json.loads(run("index", "check", "i", "--json").out)["problems"]) == 1
    part.write_bytes(data[:100])
    assert "damaged" in refused("query", "i", "--text", "text number 5 of many others")
    part.unlink()
    assert f"{part.name} is missing" in refused("info", "i")
    assert f"{part.name} is missing" in run("index", "check", "i").out


def test_damage_of_the_database_is_found() -> None:
    build()
    database = Path("i") / "index.sqlite"
    data = bytearray(database.read_bytes())
    data[-1] ^= 1
    database.write_bytes(data)
    outcome = run("index", "check", "i")
    assert (outcome.code, outcome.err) == (1, "")
    assert "index.sqlite has changed since it was closed" in outcome.out
    (Path("i") / "seal.json").unlink()
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE about SET checksum = checksum + 1 WHERE name = 'next'")
    connection.close()
    assert "index.sqlite: the checksum of its metadata 'next' does not match" in run("index", "check", "i").out


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["add", "i"], ["build", "j"]])
def test_ctrl_c_leaves_an_index_whole_or_nothing(arguments: list[str]) -> None:
    build()
    before = rows("i")
    rng = np.random.default_rng(1)
    write_lines("big.jsonl", [{"text": " ".join(map(str, rng.integers(0, 10**6, 200)))} for _ in range(20_000)])
    command = [*LOOKALIKE, "index", *arguments, "big.jsonl"]
    with subprocess.Popen(command, env=quiet_environment(), stderr=subprocess.PIPE, text=True) as child:
        while child.poll() is None and Path("i/seal.json").exists() and not list(Path().glob(".lookalike*/lock")):
            time.sleep(0.01)  # until it is the writer
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert "interrupted; nothing was written" in child.communicate()[1]
    assert child.returncode == 130
    assert rows("i") == before
    assert said("check", "i")["problems"] == []
    assert not [*Path().glob(".lookalike*"), *Path().glob("j")]


def test_a_build_that_fails_leaves_nothing_behind() -> None:
    Path("bad.jsonl").write_text('{"text": "fine"}\n{"text": 5}\n' * 3)
    assert "bad.jsonl" in refused("build", "j", "bad.jsonl")
    assert not list(Path().glob(".lookalike*"))


@pytest.mark.slow
def test_integers_as_ids_are_read_as_they_are_written() -> None:
    write_lines("numbers.jsonl", [{"n": n, "text": f"text number {n}"} for n in range(12)])
    build("--id", "n", source="numbers.jsonl")
    for wrong in ("1_0", "٣", "1.0", ""):
        assert "integers" in refused("delete", "i", wrong)
    assert said("delete", "i", "9" * 5000, str(2**63), "10")["deleted"] == 1


def test_nothing_is_written_into_an_index() -> None:
    build()
    before = state(Path("i"))
    assert "inside the folder of the index" in refused("export", "i", "-o", "i/all.parquet")
    assert state(Path("i")) == before


@pytest.mark.parametrize("what", ["a file", "a folder", "an index"])
def test_what_appeared_meanwhile_stays(what: str) -> None:
    """A build may take hours: whether its place is free is seen again at the end."""

    def make() -> None:
        with atomic_folder(Path("i"), force=False) as folder:
            Index.create(folder).close()
            if what == "a file":
                Path("i").write_text("precious")
            elif what == "a folder":
                Path("i").mkdir()
                Path("i", "thesis.txt").write_text("precious")
            else:
                build("--id", "name")
            before.update(state())

    before: dict[str, bytes] = {}
    with pytest.raises(OutputError, match="was created while the index was being built"):
        make()
    assert state() == {name: data for name, data in before.items() if not name.startswith(".")}
    assert not list(Path().glob(".lookalike*"))


@pytest.mark.parametrize("what", ["another file", "another index", "nothing"])
def test_force_replaces_only_what_was_there_when_it_began(what: str) -> None:
    def make() -> None:
        with atomic_folder(Path("i"), force=True) as folder:
            Index.create(folder).close()
            if what == "another file":
                Path("i", "thesis.txt").write_text("precious")
            else:
                shutil.rmtree("i")
            if what == "another index":
                build("--id", "name")

    build("--id", "name")
    if what == "nothing":
        make()
        assert said("info", "i")["items"] == 0
        return
    says = "also holds thesis.txt" if what == "another file" else "replaced by another index"
    with pytest.raises(OutputError, match=says):
        make()
    assert said("info", "i")["items"] == 90
    assert not list(Path().glob(".lookalike*"))


@pytest.mark.slow
def test_an_interrupt_after_the_change_says_so() -> None:
    """Here while a list is printed that nobody reads."""
    build("--id", "name")
    write_lines("many.jsonl", [{"name": f"m{i}", "text": "one two three"} for i in range(20_000)])
    command = [*LOOKALIKE, "index", "add", "i", "many.jsonl", "--id", "name", "--skip-duplicates"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quiet_environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)  # it is about to be printed
        process.send_signal(signal.SIGINT)
        told = process.stderr.read().decode()
    assert process.returncode == 130
    assert told.endswith("lookalike: interrupted; the index has been changed\n")
    assert said("info", "i")["items"] == 91


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="it takes a full device")
def test_a_full_device_after_the_change_says_so() -> None:
    build("--id", "name")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*LOOKALIKE, "index", "add", "i", "new.jsonl", "--id", "name", "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=quiet_environment(),
        )  # fmt: skip
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert done.stderr.endswith("; the index has been changed\n")


@pytest.mark.slow
def test_a_text_that_is_not_utf_8() -> None:
    build("--id", "name")
    command = [*map(os.fsencode, LOOKALIKE), b"index", b"query", b"i", b"--text", b"\xff abc"]
    for more, code in (([], 2), ([b"--encoding-errors", b"replace"], 0)):
        done = subprocess.run([*command, *more], capture_output=True, check=False, env=quiet_environment())
        assert done.returncode == code, done.stderr


def test_an_id_with_a_carriage_return_is_quoted() -> None:
    write_lines("odd.jsonl", [{"id": "a\rb", "text": "one two"}, {"id": "c\nd", "text": "three"}])
    done("index", "build", "odd", "odd.jsonl", "--id", "id", "--quiet")
    out = done("index", "query", "odd", "odd.jsonl", "--id", "id", "--quiet").out
    assert list(csv.reader(io.StringIO(out, newline=""), delimiter="\t"))[1][:2] == ["a\rb", "a\rb"]


def test_the_smallest_integer_can_be_deleted() -> None:
    write_lines("least.jsonl", [{"id": -(2**63), "text": "one two"}])
    done("index", "build", "least", "least.jsonl", "--id", "id", "--quiet")
    assert said("delete", "least", "--from", "-", stdin=b"-9223372036854775808")["deleted"] == 1


@pytest.mark.parametrize("flags", [["--lines"], ["--encoding", "latin-1"], ["--id", "name"], ["--include", "*.txt"]])
def test_options_of_files_are_refused_without_a_file(flags: list[str]) -> None:
    build()
    assert f"{flags[0]} says how files are read, but there is none" in refused("query", "i", "--text", "hello", *flags)
