"""Kinds of items and file formats that are added from outside the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.read_tables import jsonl, put, texts_of

from lookalike.errors import InputError
from lookalike.read import ItemType, formats, item_type, item_types, open_paths, open_source, register
from lookalike.read.formats.base import Entry, FileFormat, SingleFile
from lookalike.read.item_types import unregister
from lookalike.read.options import Options


class Colours(ItemType):
    """Colours, written as #rrggbb; read as their three bytes."""

    name = "colours"
    columns = ("colour", "color")
    noun = "colours"
    rule = "colours must be strings"
    example = "a string such as #ff0000"

    def fits(self, column: pa.DataType) -> bool:
        return bool(pa.types.is_string(column) or pa.types.is_large_string(column))

    def decode(self, column: pa.Array, locate: Any, errors: str) -> pa.Array:
        assert errors in ("strict", "replace")
        rows = []
        for i, value in enumerate(column.to_pylist()):
            if value is not None and len(value) != 7:
                raise InputError(f"{locate(i)}: {value!r} is not a colour")
            rows.append(None if value is None else list(bytes.fromhex(value[1:])))
        return pa.array(rows, pa.list_(pa.uint8(), 3))


@pytest.fixture(autouse=True)
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ItemType]:
    monkeypatch.chdir(tmp_path)
    added = Colours()
    register(added)
    yield added
    unregister(added.name)


VALUES = ["#ff0000", None, "#0000ff"]
BYTES = [[255, 0, 0], None, [0, 0, 255]]


def test_the_registry(colours: ItemType) -> None:
    assert item_type("colours") is colours
    names = [one.name for one in item_types()]
    assert names == ["texts", "vectors", "elements", "weights", "tokens", "bits", "colours"]
    with pytest.raises(ValueError, match="'colours' is registered already"):
        register(Colours())


@pytest.mark.parametrize(
    "given",
    [
        VALUES,
        iter(VALUES),
        dict(enumerate(VALUES)),
        pa.array(VALUES),
        pa.table({"name": ["r", "x", "b"], "color": VALUES}),
        np.array(VALUES, dtype=object),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_new_kind_in_memory(given: Any) -> None:
    source = open_source(given, kind="colours")
    assert source.kind == "colours"
    assert texts_of(source) == BYTES


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.csv"])
def test_a_new_kind_in_files(name: str) -> None:
    table = pa.table({"n": [1, 2, 3], "colour": VALUES})
    if name == "a.parquet":
        pq.write_table(table, name)
    elif name == "a.jsonl":
        put(Path(name), jsonl(*table.to_pylist()))
    else:
        put(Path(name), b"n,colour\n1,#ff0000\n3,#0000ff\n")
    source = open_source(name, kind="colours")
    assert source.text_column == "colour"
    assert texts_of(source) == (BYTES[::2] if name == "a.csv" else BYTES)


def test_a_new_kind_is_never_guessed() -> None:
    assert open_source(pa.table({"colour": VALUES})).kind == "texts"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["#ff0000", 7], "item 1 is int, but must be a string such as #ff0000 or None"),
        (["red"], "item 0: 'red' is not a colour"),
        (pa.table({"colour": [1]}), "the input has no column of colours, and none is named colour or color"),
        (pa.array([1]), "the input holds values of type int64, but colours must be strings"),
    ],
)
def test_what_is_wrong_with_a_new_kind(given: Any, says: str) -> None:
    options: Any = {"text": "colour"} if isinstance(given, pa.Array) else {}
    with pytest.raises(InputError, match=says):
        texts_of(open_source(given, kind="colours", **options))


class ReversedReader(SingleFile):
    """Lines of text, written backwards."""

    format = "reversed"
    columns = schema = pa.schema([("text", pa.string())])

    def estimated_rows(self) -> int | None:
        return None

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        return (batch.select(wanted.names) for batch in self.rows())

    def rows(self) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([[line[::-1] for line in self._path.read_text().splitlines()]], schema=self.schema)


def open_reversed(entries: Sequence[Entry], options: Options) -> ReversedReader:
    return ReversedReader(entries[0], options)


def test_a_new_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_FORMATS", list(formats.formats()))
    formats.register(FileFormat("reversed", open_reversed, suffixes=(".rev",)))
    put(Path("d/a.rev"), b"eno\nowt\n")
    put(Path("d/README.txt"), b"not a data file")
    for given in ("d/a.rev", "d", ["d/a.rev"]):
        source = open_source(given)
        assert texts_of(source) == ["one", "two"]
        assert source.format == "reversed"
        assert source.locate(1) == "d/a.rev, row 2"
    assert texts_of(open_paths(["d/*.rev"])) == ["one", "two"]
    with pytest.raises(ValueError, match=r"the suffix \.rev is that of another format"):
        formats.register(FileFormat("other", open_reversed, suffixes=(".rev",)))
