"""An index that may only be read, and folders that are not an index."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lookalike import Index, InputError, LookalikeError, OutputError
from lookalike.index.storage.files import DATABASE, SEAL
from lookalike.index.storage.schema import FORMAT

NOBODY = 65534


# Users without rights


@pytest.fixture
def readable(folder: Path) -> Iterator[Path]:
    """Become a user that may read an index but not write it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        copy = Path(shutil.copytree(folder, Path(name) / "i"))
        for path in copy.iterdir():
            path.chmod(0o444)
        copy.chmod(0o555)
        with Index.open(folder) as index:
            index.query("common words")  # what is loaded now needs no rights later
        root = os.geteuid() == 0
        if root:
            os.seteuid(NOBODY)
        yield copy
        if root:
            os.seteuid(0)
        copy.chmod(0o755)


def test_an_index_that_may_only_be_read(readable: Path) -> None:
    with Index.open(readable) as index:
        assert len(index.query("common words", top=None)) == 8
        assert len(index) == 9
        with pytest.raises(OutputError, match="cannot be changed"):
            index.add([20], ["no"])
        with pytest.raises(OutputError, match="cannot be created"):
            Index.create(readable / "j")
    assert Index.check(readable) == []
    assert sorted(path.suffix for path in readable.iterdir()) == ["", ".columns", ".json", ".sqlite"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes two users")
def test_an_index_that_may_only_be_read_and_is_changed_by_another(readable: Path) -> None:
    with Index.open(readable) as reader:
        assert len(reader) == 9
        os.seteuid(0)
        writer = Index.open(readable)
        writer.add([20], ["by another"])
        os.seteuid(NOBODY)
        assert len(reader) == 10
        os.seteuid(0)
        writer.add(range(30, 2000), [f"text {i}" for i in range(30, 2000)])
        writer.close()
        os.seteuid(NOBODY)
        assert len(reader) == 10 + 1970
        with Index.open(readable) as again:
            assert len(again) == 10 + 1970


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes two users")
def test_an_index_that_may_not_be_seen(readable: Path) -> None:
    os.seteuid(0)
    readable.chmod(0o000)
    os.seteuid(NOBODY)
    with pytest.raises(InputError, match="permission denied"):
        Index.open(readable)
    assert "permission denied" in Index.check(readable)[0]


# What is no index


@pytest.mark.parametrize("what", ["nothing", "file", "empty folder", "text", "empty", "foreign", "newer", "no recipe"])
def test_what_is_no_index(tmp_path: Path, folder: Path, what: str) -> None:
    path = tmp_path / "other"
    if what == "file":
        path.write_text("x")
    elif what == "empty folder":
        path.mkdir()
    elif what != "nothing":
        shutil.copytree(folder, path)
        database = path / DATABASE
        if what in ("text", "empty"):
            database.write_text("no database at all " * 1000 if what == "text" else "")
        elif what == "foreign":
            database.unlink()
            with sqlite3.connect(database) as connection:
                connection.execute("CREATE TABLE t (a)")
            connection.close()
        else:
            (path / SEAL).unlink()
            wanted = f"PRAGMA user_version = {FORMAT + 1}" if what == "newer" else "DELETE FROM about"
            with sqlite3.connect(database) as connection:
                connection.execute(wanted)
            connection.close()
    with pytest.raises(LookalikeError, match={"newer": "newer", "no recipe": "recipe"}.get(what, "index")):
        Index.open(path)
    assert Index.check(path)
    if what != "nothing":
        with pytest.raises(OutputError, match="already exists"):
            Index.create(path)


def test_a_copy_of_a_closed_index(folder: Path, tmp_path: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [*(p.name for p in folder.glob("*.columns")), DATABASE, "lock", SEAL]  # fmt: skip  # noqa: E501
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert Index.check(copy) == []
    with Index.open(copy) as index, Index.open(folder) as other:
        index.add([50], ["only here"])
        other.add([50], ["another there"])
        assert (index.get(50), other.get(50)) == ("only here", "another there")


def test_two_make_the_same_index(tmp_path: Path) -> None:
    """One of them does."""

    def make(_: int) -> str:
        try:
            Index.create(tmp_path / "i").close()
        except OutputError as error:
            return str(error)
        return "made"

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(8)))
    assert made.count("made") == 1
    assert sum("already exists" in one for one in made) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["i"]
    assert Index.check(tmp_path / "i") == []
