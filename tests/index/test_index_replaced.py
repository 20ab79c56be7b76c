"""An index that is deleted or replaced while open, and processes forked meanwhile."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.index_queries import RECIPE, in_another_process
from support.run_cli import done

from lookalike import Index, InputError, OutputError
from lookalike.index.storage import opening
from lookalike.index.storage.connection import DatabaseConnection, connect
from lookalike.index.storage.files import DATABASE, LATEST

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="what is tested is how other systems do it")


# Replaced


def rebuild(folder: Path, count: int = 2000, **recipe: Any) -> None:
    """Replace an index by another, as the command line does."""
    texts = folder.with_name("texts.jsonl")
    texts.write_text("".join(json.dumps({"text": f"common number{i} again"}) + "\n" for i in range(count)))
    settings = [f"--{name}={value}" for name, value in ({**RECIPE, **recipe}).items()]
    done("index", "build", folder, texts, "--force", "--quiet", *settings)


def test_a_reader_continues_with_the_new_index(folder: Path) -> None:
    with Index.open(folder) as reader:
        assert len(reader) == 9
        view = reader._handle.snapshot()
        rebuild(folder)
        assert (len(view), len(reader)) == (9, 2000)
        assert reader.query("common number7 again")[0].id == 7
        assert reader.add([5000], ["one more"]) == 1
        assert len(reader) == 2001
    assert Index.check(folder) == []
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []


def test_a_writer_does_not_touch_the_files_of_another_index(folder: Path) -> None:
    with Index.open(folder) as writer:
        rebuild(folder)
        with pytest.raises(OutputError, match="removed, or replaced"):
            writer._handle.database.acquire_lock()
    with Index.open(folder) as writer:
        writer._handle.database.acquire_lock()
        folder.rename(folder.with_name("away"))
        Index.create(folder, **RECIPE).close()
        with pytest.raises(OutputError, match="removed, or replaced"), writer._handle.database.transaction():
            pytest.fail("it must not come to this")
    assert (Index.check(folder), Index.check(folder.with_name("away"))) == ([], [])
    assert (folder / "seal.json").exists()


def test_a_writer_learns_that_its_index_was_deleted(folder: Path) -> None:
    with Index.open(folder) as writer:
        writer.add([100], ["the writer is at work"])
        folder.rename(folder.with_name("away"))
        with pytest.raises(OutputError, match="removed, or replaced"):
            writer.add([101], ["where would that be"])
        with Index.create(folder, **RECIPE) as other:
            other.add([7], ["what is there now"])
        assert (writer.delete([100, 7]), len(writer)) == (1, 0)
    assert Index.check(folder) == []
    with Index.open(folder.with_name("away")) as index:
        assert (100 in index, 101 in index) == (True, False)


def test_a_reader_does_not_continue_with_another_recipe(folder: Path) -> None:
    with Index.open(folder) as reader:
        assert len(reader) == 9
        rebuild(folder, threshold=0.7)
        with pytest.raises(InputError, match="another recipe"):
            len(reader)


def test_an_index_that_is_removed_can_be_read_on(folder: Path) -> None:
    with Index.open(folder) as reader:
        assert len(reader.query("common words", top=None)) == 8
        shutil.rmtree(folder)
        assert len(reader.query("common words", top=None)) == 8
        with pytest.raises(OutputError, match="cannot be changed"):
            reader.add([1000], ["no"])


def test_a_drive_without_locks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with Index.open(folder) as index, pytest.raises(OutputError, match="cannot be changed: no locks available"):
        index.add([1000], ["no"])


def test_errors_of_others_pass_through_a_transaction(folder: Path) -> None:
    with Index.open(folder) as index:
        with pytest.raises(ConnectionError, match="the site is down"):
            add_and_fail(index)
        assert 1000 not in index


def add_and_fail(index: Index) -> None:
    with index.transaction():
        index.add([1000], ["gone again"])
        raise ConnectionError("the site is down")


@pytest.mark.slow
def test_closed_while_another_thread_asks(folder: Path) -> None:
    texts = [f"common number{i} words" for i in range(3000)]
    index = Index.open(folder)
    index.query_many(texts)
    assert repr(index) == f"Index({str(folder)!r}, 9 items)"
    raised: list[Exception] = []

    def ask() -> None:
        try:
            while True:
                index.query_many(texts * 10)
        except Exception as error:  # noqa: BLE001 - which one it is, is the question
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    threading.Event().wait(0.3)
    index.close()
    thread.join(60)
    assert isinstance(raised[0], InputError)
    assert "was closed" in str(raised[0])
    assert repr(index) == f"Index({str(folder)!r}, closed)"


# Forked


@pytest.mark.slow
def test_a_child_must_reopen_the_index(folder: Path) -> None:
    code = """
import os
index = Index.open(sys.argv[1])
index.add([100], ["by the parent"])
index.query_many(["common"] * 10)
if not os.fork():
    for ask in (lambda: index.query("common"), lambda: index.add([101], ["by the child"]), lambda: len(index)):
        try:
            ask()
        except LookalikeError as error:
            print("forked" in str(error))
    index.close()
    print(100 in Index.open(sys.argv[1]), flush=True)
    os._exit(0)
os.wait()
index.add([102], ["by the parent"])
print(len(index))
"""
    assert in_another_process(code, folder).split() == ["True"] * 4 + ["11"]
    assert Index.check(folder) == []


@pytest.mark.slow
def test_a_child_that_lives_on_keeps_no_lock(folder: Path) -> None:
    code = """
import os, time
index = Index.open(sys.argv[1])
index.add([100], ["by the parent"])
if not os.fork():
    time.sleep(60)
index.close()
again = Index.open(sys.argv[1])
again.add([101], ["while the child sleeps"])
import signal
os.killpg(0, signal.SIGTERM) if len(sys.argv) > 2 else None
print(len(again), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    head = "import sys\nfrom lookalike import Index, LookalikeError\n"
    with subprocess.Popen(
        [sys.executable, "-c", head + code, folder], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "11\n"
        process.wait()
        with Index.open(folder) as index:  # the parent is dead, its child is not
            index.add([102], ["after the parent"])
        os.killpg(process.pid, 9)


@pytest.mark.slow
def test_a_child_that_opens_it_again_loses_nothing(folder: Path) -> None:
    """Were the locks of the parent taken for its own, the log would go when the parent closes."""
    code = """
import os, signal, time
parent = Index.open(sys.argv[1])
len(parent)
said, heard = os.pipe()[::-1], os.pipe()[::-1]
child = os.fork()
if not child:
    index = Index.open(sys.argv[1])
    index.add([200], ["before"])
    os.write(said[0], b"x")
    os.read(heard[1], 1)
    index.add([201], ["after"])
    os.write(said[0], b"x")
    time.sleep(60)
os.read(said[1], 1)
parent.close()
os.write(heard[0], b"x")
os.read(said[1], 1)
print(201 in Index.open(sys.argv[1]))
os.kill(child, signal.SIGKILL)
os.wait()
print(201 in Index.open(sys.argv[1]))
"""
    assert in_another_process(code, folder).split() == ["True", "True"]
    assert Index.check(folder) == []


@pytest.mark.slow
def test_forked_in_the_middle_of_something(folder: Path) -> None:
    """A child can neither undo nor go on with what its parent is doing."""
    code = """
import os
index = Index.open(sys.argv[1])
with index.transaction():
    index.add([200], ["by the parent"])
    if not os.fork():
        try:
            Index.open(sys.argv[1])
        except LookalikeError as error:
            print("was in use" in str(error), flush=True)
        sys.exit()
    os.wait()
    index.add([201], ["by the parent"])
print(len(index))
"""
    assert in_another_process(code, folder).split() == ["True", "11"]
    with Index.open(folder) as index:
        assert {200, 201} <= {row["id"] for batch in index.rows() for row in batch.to_pylist()}
    assert Index.check(folder) == []


@pytest.mark.slow
def test_forked_while_another_thread_works(folder: Path) -> None:
    """It is waited for; if it takes too long, the child cannot open the index, and the parent is not disturbed."""
    code = """
import os, threading
from lookalike.index.storage import fork_safety
fork_safety.MAX_WAIT = 0.2
index = Index.open(sys.argv[1])
held = threading.Event()
def work():
    with index.transaction():
        index.add([200], ["by another thread"])
        held.set()
        threading.Event().wait(1)
        index.add([201], ["by another thread"])
thread = threading.Thread(target=work)
thread.start()
held.wait()
if not os.fork():
    try:
        Index.open(sys.argv[1])
    except LookalikeError as error:
        print("was in use" in str(error), flush=True)
    os._exit(0)
os.wait()
thread.join()
print(len(index))
"""
    assert in_another_process(code, folder).split() == ["True", "11"]
    assert Index.check(folder) == []


def test_a_copy_over_an_index_whose_writer_died(tmp_path: Path) -> None:
    """What the dead one has noted says nothing about the copy, which was closed."""
    with Index.create(tmp_path / "copy", shingle="words:1") as index:
        index.add(["a"], ["one"])
    shutil.copytree(tmp_path / "copy", tmp_path / "i")
    child = os.fork()
    if not child:
        index = Index.open(tmp_path / "i")
        index.add(["b"], ["two"])
        index.add(["c"], ["three"])
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    for name in ("-wal", "-shm"):
        (tmp_path / "i" / f"{DATABASE}{name}").unlink()
    shutil.copytree(tmp_path / "copy", tmp_path / "i", dirs_exist_ok=True)
    assert Index.check(tmp_path / "i") == []
    with Index.open(tmp_path / "i") as index:
        assert len(index) == 1
        index.add(["d"], ["four"])
        with Index.open(tmp_path / "i") as other:
            assert len(other) == 2
    assert Index.check(tmp_path / "i") == []
    assert not (tmp_path / "i" / LATEST).exists()


@pytest.mark.parametrize("writing", [False, True])
def test_replaced_while_it_is_opened(folder: Path, monkeypatch: pytest.MonkeyPatch, writing: bool) -> None:
    """The connection is to the old one, and what stands beside the database is of the new one: it is opened again."""
    other = folder.with_name("other")
    with Index.create(other, shingle="words:1") as index:
        for i in range(9):
            index.add([i], [f"text {i}"])
    writer = Index.open(other)
    if writing:
        writer.add([9], ["text 9"])

    def swapped(path: Path) -> DatabaseConnection:
        found = connect(path)
        if other.exists():
            folder.rename(folder.with_name("old"))
            other.rename(folder)
        return found

    monkeypatch.setattr(opening, "connect", swapped)
    with Index.open(folder) as index:
        assert len(index) == (10 if writing else 9)
    writer.close()


def test_forked_with_an_index_that_was_closed(folder: Path, tmp_path: Path) -> None:
    """It is not let go of twice, and the others are."""
    closed = [Index.open(folder) for _ in range(5)]
    for one in closed:
        one.close()
    with Index.create(tmp_path / "j", shingle="words:1") as index:
        index.add([1], ["one"])
        child = os.fork()
        if not child:
            with Index.open(tmp_path / "j") as again:
                os._exit(len(again))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
        index.add([2], ["two"])
    assert Index.check(tmp_path / "j") == []
