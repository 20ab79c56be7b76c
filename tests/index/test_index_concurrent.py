"""An index in concurrent use: writers, readers, threads, child processes; and changes that fail."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.index_queries import RECIPE, in_another_process

from lookalike import Index, IndexLockedError, InputError, LookalikeError
from lookalike.index import limits
from lookalike.index.storage.database import Database

TOGETHER = 5
"""Items per commit that other processes read."""


@pytest.fixture
def memory() -> Iterator[Path]:
    """Return a folder where what is said to be on disk need not be, if there is one."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        yield Path(name)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have parts joined all the time, and most of them in files."""
    for name, value in (("MAX_SMALL_PARTS", 3), ("MERGE_FACTOR", 2), ("MAX_SMALL_ITEMS", 8)):
        monkeypatch.setattr(limits, name, value)


# Writers


ADD = """
with Index.open(sys.argv[1]) as index:
    try:
        index.add([100], ["the second writer"])
        print("added")
    except LookalikeError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.slow
def test_there_is_one_writer(folder: Path) -> None:
    with Index.open(folder) as index, Index.open(folder) as other:
        index.add([20], ["the first writer"])
        with pytest.raises(IndexLockedError, match="is locked by another writer"):
            other.add([21], ["another in this process"])
        assert "IndexLockedError" in in_another_process(ADD, folder)
        assert (20 in other, 21 in other) == (True, False)
    assert in_another_process(ADD, folder) == "added\n"
    assert Index.check(folder) == []


def test_a_writer_waits_for_another(folder: Path) -> None:
    """It sees what the other one committed while it waited, and other threads can read meanwhile."""
    first, second = Index.open(folder), Index.open(folder, timeout=60)
    first.add([20], ["the first writer"])
    with first, second, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.add_new, [21, 22], ["the first writer", "nothing of the kind"])
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        assert (len(second), 20 in second) == (10, True)
        first.add([30], ["the first writer, once more"])
        first.close()
        assert waiting.result(60).skipped.to_pylist()[0]["match"] == 20
        assert list(second)[-3:] == [20, 30, 22]
    assert Index.check(folder) == []


def test_waiting_for_a_writer_ends(folder: Path) -> None:
    with Index.open(folder) as index, Index.open(folder, timeout=0.1) as other:
        index.add([20], ["the first writer"])
        with pytest.raises(IndexLockedError, match=r"is still locked by another writer after 0\.1 s"):
            other.add([21], ["another"])
        with (
            pytest.raises(IndexLockedError, match=r"after 0\.1 s"),
            Index.build(folder, force=True, timeout=0.1),
        ):
            pass
        index.close()
        assert other.add([21], ["another"]) == 1


@pytest.mark.parametrize("timeout", [-1, "soon", float("nan"), None])
def test_a_timeout_is_a_number_of_seconds(folder: Path, timeout: Any) -> None:
    with pytest.raises(LookalikeError, match="`timeout` must be a number"):
        Index.open(folder, timeout=timeout)


@pytest.mark.slow
def test_a_check_of_an_open_index_takes_no_lock_away(folder: Path) -> None:
    """Closing a file gives back all locks of the process on it: the log of a writer could be removed under it."""
    with Index.open(folder) as index:
        index.add([20], ["before"])
        assert Index.check(folder) == []
        with Index.open(folder) as reader:
            assert 20 in reader
        in_another_process("with Index.open(sys.argv[1]) as index: len(index)", folder)
        index.add([21], ["after"])
        assert in_another_process("print(21 in Index.open(sys.argv[1]))", folder) == "True\n"


def test_threads_that_write_take_turns(folder: Path) -> None:
    with Index.open(folder) as index, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: index.add([100 + i], [f"text of thread {i}"]), range(40)))
        assert len(index) == 9 + 40
    assert Index.check(folder) == []


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_threads_that_read_see_whole_commits(tmp_path: Path) -> None:
    done = threading.Event()

    def read(index: Index) -> int:
        least, last = 0, False
        while not last:
            last = done.is_set()
            found = len(index.query("common words", top=None))
            assert found % TOGETHER == 0
            assert found >= least
            least = found
        return least

    with Index.create(tmp_path / "i", **RECIPE) as index, ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read, index) for _ in range(3)]
        for i in range(0, 40 * TOGETHER, TOGETHER):
            index.add(range(i, i + TOGETHER), ["common words"] * TOGETHER)
        done.set()
        assert [reader.result() for reader in readers] == [40 * TOGETHER] * 3


# Readers


READ = """
with Index.open(sys.argv[1]) as index:
    least, looks = 0, 0
    print("ready", flush=True)
    while "last" not in index:
        found = len(index.query("common words", top=None))
        assert found % int(sys.argv[2]) == 0 and found >= least, (found, least)
        least = found
        looks += 1
    print(looks)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_other_processes_see_whole_commits(tmp_path: Path) -> None:
    """While parts are joined under them, and the files they read are removed."""
    with Index.create(tmp_path / "i", **RECIPE) as index:
        head = "import sys\nfrom lookalike import Index\n"
        command = [sys.executable, "-c", head + READ, str(tmp_path / "i"), str(TOGETHER)]
        readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for i in range(60):
            index.add([f"{i} {j}" for j in range(TOGETHER)], ["common words"] * TOGETHER)
            if i % 20 == 19:
                index.compact()
        index.add(["last"], ["something else"])
        for reader in readers:
            said, _ = reader.communicate(timeout=60)
            assert reader.returncode == 0
            assert int(said) > 0


@pytest.mark.usefixtures("small_parts")
def test_a_reader_holds_what_it_has(folder: Path) -> None:
    with Index.open(folder) as reader, Index.open(folder) as writer:
        rows = reader.rows()
        first = next(rows)
        writer.delete(range(9))
        writer.compact(rebuild=True)
        assert len([row for batch in (first, *rows) for row in batch.to_pylist()]) == 9
        assert len(reader) == 1


def test_a_check_while_parts_are_joined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is gone by the time it is looked at is not missing."""
    with Index.open(folder) as writer:
        real = Database.path

        def path(self: Database, number: int) -> Path:
            monkeypatch.setattr(Database, "path", real)
            writer.compact()
            return real(self, number)

        monkeypatch.setattr(Database, "path", path)
        assert Index.check(folder) == []


@pytest.mark.slow
def test_many_small_commits(memory: Path) -> None:
    """Neither parts nor files nor the log grow without end."""
    count = 500 * int(os.environ.get("LOOKALIKE_CRASH", "1"))
    with Index.create(memory / "i", **RECIPE) as index:
        most_parts = most_bytes = 0
        for i in range(count):
            index.update([i % 200], [f"text number{i} of many"])
            if i % 100 == 0:
                most_parts = max(most_parts, index.info()["parts"])
                most_bytes = max(most_bytes, index.info()["bytes"])
        assert len(index) == 200
        assert index.get((count - 1) % 200) == f"text number{count - 1} of many"
        assert most_parts <= limits.MAX_SMALL_PARTS + 3 * limits.MERGE_FACTOR
        assert most_bytes < 40e6
    assert Index.check(memory / "i") == []


# Changes that fail


def test_what_was_undone_is_forgotten(tmp_path: Path) -> None:
    """A number of a part, or of deleted items, that comes again does not bring back what had it before."""
    with Index.create(tmp_path / "i", **RECIPE) as index:
        with pytest.raises(ZeroDivisionError), index.transaction():  # noqa: PT012 - it is all of it
            index.add([1, 2], ["never was", "nor this"])
            assert 1 in index
            raise ZeroDivisionError
        index.add([3, 4], ["this is", "and that"])
        assert [one in index for one in (1, 2, 3, 4)] == [False, False, True, True]
        with pytest.raises(ZeroDivisionError), index.transaction():  # noqa: PT012 - it is all of it
            index.delete([3])
            assert 3 not in index
            raise ZeroDivisionError
        index.delete([4])
        assert [one in index for one in (3, 4)] == [True, False]


def test_a_step_that_fails_is_undone_alone(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", **RECIPE) as index:
        index.add([1, 2], ["one", "two"])
        with index.transaction():
            index.add([3], ["three"])
            with pytest.raises(InputError):
                index.update([1, 1], ["changed", "twice"])
            assert (index.get(1), 3 in index) == ("one", True)
            index.add([4], ["four"])
        assert [index.get(i) for i in (1, 2, 3, 4)] == ["one", "two", "three", "four"]
    assert Index.check(tmp_path / "i") == []


def test_an_interrupt_after_the_commit_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when control-C comes just then: it is committed, files and all."""

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            done = super().execute(sql, *arguments)
            if sql == "COMMIT":
                raise KeyboardInterrupt
            return done

    Index.create(tmp_path / "i", **RECIPE).close()
    with monkeypatch.context() as patch:
        connect = sqlite3.connect
        patch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Connection, **k))
        index = Index.open(tmp_path / "i")
    with pytest.raises(KeyboardInterrupt):
        index.add(range(3000), [f"text number {i}" for i in range(3000)])
    assert len(index) == 3000
    index.close()
    with Index.open(tmp_path / "i") as index:
        assert index.get(2999) == "text number 2999"
    assert Index.check(tmp_path / "i") == []


@pytest.mark.parametrize("method", ["add_source", "add_new_source"])
def test_an_id_that_comes_again_much_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """In another batch, read before the first part is written."""
    monkeypatch.setattr(limits, "MAX_PART_ITEMS", 4)
    monkeypatch.setattr(limits, "MAX_SMALL_ITEMS", 2)
    ids = [*range(30), 5, *range(30, 50)]
    rows = pa.table({"id": ids, "text": [f"text{i} number{i} other{i}" for i in range(len(ids))]})
    with Index.create(tmp_path / "i", shingle="words:1") as index:
        source = index.source(rows, id="id", batch_bytes=200)
        assert len(list(source.batches())) > 2
        with pytest.raises(InputError, match="The id 5 "):
            getattr(index, method)(source)
        assert len(index) == 0


def test_a_folder_that_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is relative means the same folder when the process goes to another one."""
    monkeypatch.chdir(folder.parent)
    with Index.open(folder.name) as index:
        monkeypatch.chdir("/")
        index.compact()
        index.add([20], ["added from afar"])
        assert 20 in index
    with Index.open(folder) as index:
        assert 20 in index


def test_others_need_not_wait_for_a_change(folder: Path) -> None:
    """While one thread changes something, others see what was before."""
    with Index.open(folder) as index, ThreadPoolExecutor(1) as pool:
        with index.transaction():
            index.add([100], ["common number100 words"])
            assert (len(index), 100 in index) == (10, True)
            assert pool.submit(lambda: (len(index), 100 in index)).result(10) == (9, False)
            assert len(pool.submit(index.query, "common words", None).result(10)) == 8
        assert pool.submit(lambda: (len(index), 100 in index)).result(10) == (10, True)
