"""Reading: every kind of input yields the same items on every pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.read_tables import (
    TABLE,
    TEXTS,
    compress,
    ids_of,
    jsonl,
    names_of,
    put,
    ranks_of,
    refused,
    rows_of,
    texts_of,
)

from lookalike.errors import InputError
from lookalike.read import open_paths, open_source


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The same items from every format


def make(path: Path) -> Path:
    """Write TABLE in the format of the name."""
    ending = path.suffix if path.suffix in (".gz", ".zst") else ""
    if ".parquet" in path.name:
        pq.write_table(TABLE, path, row_group_size=2)
    elif ".jsonl" in path.name or ".ndjson" in path.name:
        put(path, compress(jsonl(*TABLE.to_pylist()), ending))
    else:
        separator = "\t" if ".tsv" in path.name else ","
        put(path, compress(TABLE.to_pandas().to_csv(index=False, sep=separator).encode(), ending))
    return path


FILES = ["a.parquet", "a.jsonl", "a.ndjson", "a.jsonl.gz", "a.jsonl.zst", "a.csv", "a.tsv", "a.csv.gz", "a.tsv.zst"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("batch_bytes", [1, 8 << 20])
def test_every_format_gives_the_same_items(here: Path, name: str, batch_bytes: int) -> None:
    make(here / name)
    source = open_paths([name], id="id", rank="score", batch_bytes=batch_bytes)
    is_csv = "sv" in name
    assert texts_of(source) == [text or "" for text in TEXTS] if is_csv else TEXTS
    assert ids_of(source) == [str(i) if is_csv else i for i in range(10, 15)]
    assert ranks_of(source) == [1.5, 2.0, None, 4.0, 5.0]
    assert [row["text"] for row in rows_of(source)] == texts_of(source)
    assert source.schema.names == TABLE.schema.names
    assert names_of(source) == [f"{name}:{row}" for row in range(1, 6)]
    assert source.paths == (Path(name),)
    assert source.has_ids
    assert source.text_column == "text"
    firsts = [(batch.first, len(batch)) for batch in source.batches()]
    assert [first for first, _ in firsts] == np.cumsum([0] + [n for _, n in firsts])[:-1].tolist()


def test_arrays_are_what_kernels_take() -> None:
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()), pa.binary()):
        table = pa.table({"text": pa.array(["a", None, "é"]).cast(kind)})
        for batch in open_source(table).batches():
            assert batch.items.type in (pa.string(), pa.large_string())
            assert batch.items.to_pylist() == ["a", None, "é"]
            batch.items.validate(full=True)


@pytest.mark.parametrize("batch_bytes", [1, 1000, 8 << 20])
def test_parquet_batches_follow_the_size_of_the_text(batch_bytes: int) -> None:
    table = pa.table({"text": [f"{i:0100}" for i in range(1000)], "other": ["y" * 1000] * 1000})
    pq.write_table(table, "a.parquet")
    source = open_paths(["a.parquet"], text="text", batch_bytes=batch_bytes)
    sizes = [len(batch) for batch in source.batches()]
    assert sum(sizes) == 1000
    assert max(sizes) == {1: 16, 1000: 16, 8 << 20: 1000}[batch_bytes]


def test_parquet_dictionary_does_not_hide_the_size() -> None:
    pq.write_table(pa.table({"text": ["z" * 10_000] * 1000}), "a.parquet")
    sizes = [len(batch) for batch in open_paths(["a.parquet"], batch_bytes=1 << 20).batches()]
    assert max(sizes) <= 128


# Which files, in which order


def test_order_given_does_not_matter(here: Path) -> None:
    for name in "cab":
        put(here / f"{name}.jsonl", jsonl({"text": name}))
    wanted = (["a", "b", "c"], ["a.jsonl:1", "b.jsonl:1", "c.jsonl:1"])
    for order in (["c.jsonl", "a.jsonl", "b.jsonl"], ["*.jsonl"], ["b*", "[ac].jsonl"]):
        source = open_paths(order)
        assert (texts_of(source), names_of(source)) == wanted


def test_a_literal_name_is_no_pattern(here: Path) -> None:
    put(here / "a[1].jsonl", jsonl({"text": "x"}))
    assert texts_of(open_paths(["a[1].jsonl"])) == ["x"]


def test_given_twice(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"text": "x"}))
    for paths in (["a.jsonl", "a.jsonl"], ["a.jsonl", "./a.jsonl"], ["*.jsonl", here / "a.jsonl"], [".", "a.jsonl"]):
        assert "given twice" in refused(paths)


def test_mixed_formats_share_one_schema(here: Path) -> None:
    pq.write_table(pa.table({"text": ["a"], "n": pa.array([1], pa.int32()), "only": [True]}), "a.parquet")
    put(here / "b.jsonl", jsonl({"n": 2.5, "text": "b"}))
    put(here / "c.csv", b"text,more\nc,x\n")
    put(here / "d.csv", b"")
    source = open_paths(["a.parquet", "b.jsonl", "c.csv", "d.csv"])
    assert source.schema.names == ["text", "n", "only", "more"]
    assert rows_of(source) == [
        {"text": "a", "n": 1.0, "only": True, "more": None},
        {"text": "b", "n": 2.5, "only": None, "more": None},
        {"text": "c", "n": None, "only": None, "more": "x"},
    ]
    assert source.format is None
    assert source.raw_lines() is None
    assert [source.locate(i) for i in range(3)] == ["a.parquet, row 1", "b.jsonl, line 1", "c.csv, row 1"]


def test_ids_of_mixed_files_have_one_type(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"text": "a", "id": 1}))
    put(here / "b.csv", b"id,text\n007,b\n")
    assert ids_of(open_paths(["a.jsonl", "b.csv"], id="id")) == ["1", "007"]
    types = {batch.ids.type for batch in open_paths(["a.jsonl", "b.csv"], id="id").batches() if batch.ids}
    assert types == {pa.large_string()}


# Columns


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(["body", "text"], "text"), (["body", "content"], "content"), (["title", "body"], "body"), (["story"], "story")],
)
def test_the_text_column_is_guessed(names: list[str], chosen: str) -> None:
    table = pa.table({name: ["x"] for name in names} | {"number": [1]})
    assert open_source(table).text_column == chosen


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "several columns of strings"),
        ({"text": "none"}, "has no column 'none' (`text`); its columns are a (string), b (string), n (int64)"),
        ({"text": "n"}, "column 'n' is int64, but the text must be a string column"),
        ({"text": "a", "id": "none"}, "has no column 'none' (`id`)"),
        ({"text": "a", "rank": "none"}, "has no column 'none'"),
        ({"kind": "tokens"}, "no column of lists of integers"),
        ({"kind": "tokens", "text": "a"}, "tokens must be lists of integers"),
        ({"text": "twice"}, "2 columns named 'twice'"),
    ],
)
def test_columns_that_cannot_be(options: dict[str, Any], says: str) -> None:
    table = pa.table([["x"], ["y"], [1], [1], [2]], names=["a", "b", "n", "twice", "twice"])
    pq.write_table(table, "t.parquet")
    message = refused("t.parquet", **options)
    assert message.startswith("t.parquet")
    assert says in message


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.int32()), pa.large_list(pa.uint16()), pa.list_(pa.int64(), 2), pa.list_view(pa.int8())]
)
def test_tokens(kind: pa.DataType) -> None:
    table = pa.table({"input_ids": pa.array([[1, 2], None, [3, 4]], type=kind), "text": ["a", "b", "c"]})
    source = open_source(table, kind="tokens")
    assert source.text_column == "input_ids"
    assert texts_of(source) == [[1, 2], None, [3, 4]]
    assert {batch.items.type for batch in source.batches()} == {pa.large_list(pa.int64())}


def test_tokens_of_jsonl_and_parquet(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"tokens": []}, {"tokens": [1, 2]}, {"tokens": None}))
    pq.write_table(pa.table({"tokens": [[5]]}), "b.parquet")
    assert texts_of(open_paths(["a.jsonl", "b.parquet"], kind="tokens")) == [[], [1, 2], None, [5]]
    put(here / "c.jsonl", jsonl({"tokens": [1]}, {"tokens": [1, None]}))
    assert "c.jsonl, line 2: a token is null" in refused("c.jsonl", kind="tokens")


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        (pa.array([3, None], pa.int8()), [3.0, None]),
        (pa.array([True, False]), [1.0, 0.0]),
        (pa.array(["b", None]).dictionary_encode(), ["b", None]),
        (pa.array([0, 86_400], pa.timestamp("s")), [0.0, 86_400.0]),
        (pa.array([0, 1], pa.date32()), [0.0, 1.0]),
        (pa.array(["1.5", "2"]).cast(pa.decimal128(5, 2)), [1.5, 2.0]),
    ],
)
def test_ranks(values: pa.Array, ranks: list[Any]) -> None:
    table = pa.table({"text": ["a", "b"], "r": values})
    assert ranks_of(open_source(table, rank="r")) == ranks


def test_a_rank_without_order() -> None:
    table = pa.table({"text": ["a"], "r": [{"x": 1}]})
    with pytest.raises(InputError, match="no order"):
        ranks_of(open_source(table, rank="r"))


# In memory


FRAMES: list[Any] = [
    TABLE,
    pa.Table.from_batches(TABLE.to_batches(max_chunksize=2)),
    pa.table({"text": pa.chunked_array([TEXTS[:2], TEXTS[2:]])}),
    TABLE.to_batches()[0],
    TABLE.to_reader(max_chunksize=2),
    TABLE.to_pandas(),
    pl.from_arrow(TABLE),
    pa.array(TEXTS),
    pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
    pl.Series(TEXTS),
    pd.Series(TEXTS),
    TEXTS,
    tuple(TEXTS),
    iter(TEXTS),
    np.array(TEXTS, dtype=object),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__name__)
def test_everything_in_memory(tmp_path: Path, frame: Any) -> None:
    source = open_source(frame, scratch=tmp_path, batch_bytes=1)
    assert texts_of(source) == TEXTS
    assert [row["text"] for row in rows_of(source)] == TEXTS
    assert source.default_ids(np.array([4, 0])).to_pylist() == [4, 0]
    assert source.locate(3) == "item 3"
    assert source.paths == ()
    source.close()
    assert not list(tmp_path.iterdir())


def test_duckdb(tmp_path: Path) -> None:
    relation = duckdb.sql("select 'x' || i as text, i from range(5000) t(i)")
    source = open_source(relation, scratch=tmp_path)
    assert texts_of(source) == [row["text"] for row in rows_of(source)]
    assert len(texts_of(source)) == 5000


def test_a_dict_names_its_items() -> None:
    source = open_source({"k": "a", "l": None})
    assert (ids_of(source), texts_of(source)) == (["k", "l"], ["a", None])
    assert source.default_ids(np.array([1, 0])).to_pylist() == ["l", "k"]
    assert source.has_ids
    assert texts_of(open_source({})) == []
    assert ids_of(open_source({7: [1], 8: None}, kind="tokens")) == [7, 8]


def test_paths_are_files_and_strings_are_texts(here: Path) -> None:
    put(here / "a.txt", b"inside")
    assert texts_of(open_source(Path("a.txt"))) == texts_of(open_source([Path("a.txt")])) == ["inside"]
    assert texts_of(open_source(["a.txt"])) == ["a.txt"]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ("text", "text: no such file or directory; check the path, or pass a list if it is a text"),
        (b"text", "pass a list of texts"),
        (["a", 5], "item 1 is int, but must be a string or None"),
        ([{"text": "a"}], "item 0 is dict"),
        (7, "a value of type int cannot be read"),
        ({1: "a", "b": "c"}, "keys of a dict"),
        (["a", "\ud800"], "item 1: the text has an unpaired surrogate"),
        (pa.array([1, 2]), "int64"),
    ],
)
def test_python_objects_that_cannot_be(inputs: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        texts_of(open_source(inputs))


def test_surrogates_in_python_strings_are_replaced() -> None:
    assert texts_of(open_source(["a\ud800b", None], encoding_errors="replace")) == ["a\ufffdb", None]


@pytest.mark.parametrize("empty", [[], pa.table({"text": pa.array([], pa.string())}), iter(()), {}])
def test_nothing_at_all(empty: Any) -> None:
    source = open_source(empty)
    assert list(source.batches()) == []
    assert list(source.rows()) == []
