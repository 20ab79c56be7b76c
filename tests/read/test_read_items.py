"""Strings that name files, lists that hold texts, and the items of both for Python callers."""

from __future__ import annotations

import doctest
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.read_tables import TABLE, TEXTS, jsonl, put, texts_of

import lookalike
from lookalike import InputError, compare, find_pairs, read_items
from lookalike.read import items as items_module
from lookalike.read import open_source


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "corpus.parquet")
    put(tmp_path / "more" / "a.jsonl", jsonl({"text": "a"}))
    put(tmp_path / "more" / "b.jsonl", jsonl({"text": "b"}))
    return tmp_path


# Strings


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("corpus.parquet", TEXTS),
        ("more", ["a", "b"]),
        ("more/*.jsonl", ["a", "b"]),
        (["corpus.parquet"], TEXTS),
        (("more/b.jsonl", "more/a.jsonl"), ["a", "b"]),
        (["more/*.jsonl"], ["a", "b"]),
        (["more/a.jsonl", Path("more/b.jsonl")], ["a", "b"]),
    ],
)
def test_strings_that_name_files(given: Any, texts: list[str]) -> None:
    assert texts_of(open_source(given)) == texts
    assert texts_of(open_source(given, kind="texts")) == texts


@pytest.mark.parametrize(
    "given",
    [
        ["a.parquet", "b.parquet"],  # none exists
        ["corpus.parquet", "a text"],
        ["corpus.parquet", None],
        ["corpus.parquet\nis a file"],
        ["more"],
        ["corpus.parquet", "\0.csv", "x"],
    ],
)
def test_lists_of_texts_are_never_files(given: list[str]) -> None:
    assert texts_of(open_source(given)) == given


def test_other_collections_of_strings_are_texts() -> None:
    name = "corpus.parquet"
    for given in (iter([name]), {0: name}, pa.array([name]), np.array([name], dtype=object)):
        assert texts_of(open_source(given)) == [name]


def test_two_texts_are_compared_even_if_they_name_files(here: Path) -> None:
    put(here / "a.csv", b"text\nx\n")
    put(here / "b.csv", b"text\nx\n")
    assert compare("a.csv", "b.csv", shingle="chars:2").similarity < 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("nowhere.parquet", "nowhere.parquet: no such file or directory; check the path"),
        (["corpus.parquet", "nowhere.parquet"], "nowhere.parquet: no such file or directory; check the path"),
        ("nowhere/*.csv", "nowhere/*.csv matches no file; check the pattern"),
        ("s3://bucket/a.parquet", "s3://bucket/a.parquet: URLs cannot be read; download the file first"),
        (Path("https://example.org/a.csv"), "https://example.org/a.csv: URLs cannot be read"),
        ("a text", "a text: no such file or directory; check the path, or pass a list if it is a text"),
        ("what is\nthis?", "what is this? matches no file; check the pattern, or pass a list if it is a text"),
        ("word " * 100, "..."),
        ("\ud800", "no such file"),
        ("\0", "no such file"),
        ("\0*", "no such file"),
        ("", "the path of an input is empty"),
    ],
)
def test_what_names_no_file_is_named(given: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        find_pairs(given)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert len(message) < 200


def test_find_pairs_of_a_file() -> None:
    put(Path("twice.csv"), b"id,text\n1,the cat sat on the mat\n2,The cat sat on the mat!\n")
    assert [(left, right) for left, right, _ in find_pairs("twice.csv", id="id")] == [("1", "2")]
    assert len(find_pairs(["the cat sat on the mat"], against="twice.csv")) == 2


def test_a_long_table_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.TextIOWrapper(io.BytesIO(b"who,what\nann,tea\nbob,tea\nann,milk\n"))
    monkeypatch.setattr(sys, "stdin", data)
    with read_items("-", item="who", element="what") as items:
        assert items.to_arrow().to_pydict() == {"id": ["ann", "bob"], "item": [["tea", "milk"], ["tea"]]}


# Items


def test_items_of_files() -> None:
    items = read_items("corpus.parquet", id="id", batch_bytes=1)
    assert (items.kind, items.column, items.paths) == ("texts", "text", (Path("corpus.parquet"),))
    assert items.schema.names == TABLE.schema.names
    assert items.estimated_rows == items.count() == 5
    assert items.to_arrow().to_pydict() == {"id": [10, 11, 12, 13, 14], "item": TEXTS}
    assert pa.Table.from_batches(items.rows()).equals(TABLE)
    assert repr(items) == "Items(kind='texts', column='text', estimated_rows=5)"
    assert [batch.num_rows for batch in items] == [batch.num_rows for batch in items]


def test_default_ids_are_known_in_the_first_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not cost a pass each: batches are read once."""
    items = read_items("more")
    passes = 0
    batches = type(items._source).batches

    def counted(self: Any) -> Any:
        nonlocal passes
        passes += 1
        return batches(self)

    monkeypatch.setattr(type(items._source), "batches", counted)
    assert items.to_arrow()["id"].to_pylist() == ["more/a.jsonl:1", "more/b.jsonl:1"]
    assert passes == 1
    assert items.count() == 2
    assert passes == 1


def test_estimates() -> None:
    put(Path("a.jsonl.gz"), __import__("gzip").compress(jsonl({"text": "a"}, {"text": "b"})))
    items = read_items("a.jsonl.gz")
    assert items.estimated_rows is None
    assert repr(items) == "Items(kind='texts', column='text')"
    assert items.count() == items.estimated_rows == 2
    items = read_items("a.jsonl.gz")
    list(items)
    assert items.estimated_rows == 2


def test_batches_of_several_types_make_one_table(here: Path) -> None:
    np.save(here / "a.npy", np.ones((2, 3), np.float32))
    np.save(here / "b.npy", np.ones((1, 3), np.float64))
    table = read_items("*.npy").to_arrow()
    assert table["item"].to_pylist() == [[1.0, 1.0, 1.0]] * 3
    assert table["id"].to_pylist() == ["a.npy:1", "a.npy:2", "b.npy:1"]


def test_no_items() -> None:
    assert read_items([]).to_arrow().num_rows == 0
    assert read_items([]).count() == 0


def test_a_stream_is_copied_and_removed(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with read_items(TABLE.to_reader(), scratch=scratch) as items:
        assert items.to_arrow()["item"].to_pylist() == items.to_arrow()["item"].to_pylist() == TEXTS
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (["a"], "texts"),
        ([{1, 2}], "elements"),
        ([{"a": 1}], "weights"),
        ([[0.5, 1]], "vectors"),
        (np.ones((2, 2)), "vectors"),
    ],
)
def test_kinds_are_recognised(given: Any, kind: str) -> None:
    assert read_items(given).kind == kind


def test_an_unknown_kind() -> None:
    with pytest.raises(lookalike.RecipeError, match=r"`kind` must be one of texts, .*, bits\. Got 'pictures'"):
        read_items(["a"], kind="pictures")


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(items_module, extraglobs={"read_items": read_items}).failed == 0
