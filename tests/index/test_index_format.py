"""The format of an index: what was written once stays readable, and is written in the same way."""

from __future__ import annotations

import io
import sqlite3
import tarfile
from pathlib import Path

import numpy as np
import pytest
from support import golden_index

from lookalike import Index, InputError
from lookalike.index.storage.container import Container, ContainerWriter
from lookalike.index.storage.files import DATABASE

FREE = ("items", "offsets", "rows", "sums")
"""Columns of which the bytes are up to libraries: compressed items, and ids as Arrow writes them."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(golden_index.ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=golden_index.KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_old_index_answers_as_a_new_one(kept: Path, tmp_path: Path, kind: str) -> None:
    golden_index.make(tmp_path / "new", kind)
    asked = golden_index.KINDS[kind][1]
    assert Index.check(kept / kind) == []
    with Index.open(kept / kind) as old, Index.open(tmp_path / "new") as new:
        assert [*old.query_many(asked, top=None)] == [*new.query_many(asked, top=None)]
        assert any(old.query_many(asked))
        assert [*old.rows()] == [*new.rows()]
        assert old.recipe == new.recipe
        assert {**old.info(), "path": "", "bytes": 0} == {**new.info(), "path": "", "bytes": 0}


def test_columns_are_written_as_they_were(kept: Path, tmp_path: Path, kind: str) -> None:
    golden_index.make(tmp_path / "new", kind)
    (old,), (new,) = (
        [Container.open(path) for path in folder.glob("*.columns")] for folder in (kept / kind, tmp_path / "new")
    )
    assert old.metadata["columns"].keys() == new.metadata["columns"].keys()
    for name in old.metadata["columns"].keys() - FREE:
        assert old.column(name).dtype == new.column(name).dtype
        assert old.column(name).tolist() == new.column(name).tolist(), name


def test_the_database_is_written_as_it_was(kept: Path, tmp_path: Path, kind: str) -> None:
    golden_index.make(tmp_path / "new", kind)
    found = []
    for folder in (kept / kind, tmp_path / "new"):
        with sqlite3.connect(folder / DATABASE) as connection:
            tables = connection.execute("SELECT sql FROM sqlite_master").fetchall()
            about = connection.execute("SELECT name FROM about").fetchall()
            pragmas = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")]
            deleted = connection.execute("SELECT * FROM deleted").fetchall()
            prints = connection.execute("SELECT number, age, items, gone, gone_print FROM parts").fetchall()
            found.append((tables, about, pragmas, deleted, prints))
        connection.close()
    assert found[0] == found[1]


def test_an_old_index_goes_on(kept: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "i").mkdir()
    for path in (kept / kind).iterdir():
        (tmp_path / "i" / path.name).write_bytes(path.read_bytes())
    items = golden_index.KINDS[kind][1]
    with Index.open(tmp_path / "i") as index:
        before = [*index.query_many(items, top=None)]
        index.add(["more"], [items[3]])
        index.delete(["more"])
        index.compact(rebuild=True)
        assert [*index.query_many(items, top=None)] == before
    assert Index.check(tmp_path / "i") == []


def test_what_is_cut_off_is_said_to_be_damaged(tmp_path: Path) -> None:
    """At whatever length: a file, or the bytes that a database has of it."""
    buffer = io.BytesIO()
    writer = ContainerWriter(buffer)
    writer.column("numbers", np.arange(100))
    writer.finish({})
    data = buffer.getvalue()
    for length in (*range(200), len(data) - 1):
        with pytest.raises(InputError, match="is damaged"):
            Container.read("part 1", np.frombuffer(data[:length], np.uint8))
        (tmp_path / "part").write_bytes(data[:length])
        with pytest.raises(InputError, match="is damaged"):
            Container.open(tmp_path / "part")
    assert Container.read("part 1", np.frombuffer(data, np.uint8)).column("numbers").tolist() == list(range(100))
