"""Reading: every kind of input gives the same items twice, and bad input gives one clear sentence."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike.errors import InputError
from lookalike.read import Batch, Source, open_paths, open_source

TEXTS = ["one", "zwei é", "", None, "x\ny \U0001f600"]
TABLE = pa.table({"id": [10, 11, 12, 13, 14], "text": TEXTS, "score": [1.5, 2.0, None, 4.0, 5.0]})
AS_IS = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts_of(source: Source) -> list[Any]:
    return [text for batch in source.batches() for text in batch.texts.to_pylist()]


def ids_of(source: Source) -> list[Any]:
    return [one for batch in source.batches() if batch.ids is not None for one in batch.ids.to_pylist()]


def ranks_of(source: Source) -> list[Any]:
    return [one for batch in source.batches() if batch.ranks is not None for one in batch.ranks.to_pylist()]


def rows_of(source: Source) -> list[dict[str, Any]]:
    batches = list(source.rows())
    assert all(batch.schema.equals(source.schema, check_metadata=True) for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


def names_of(source: Source) -> list[Any]:
    count = sum(len(batch) for batch in source.batches())
    names: list[Any] = source.names(np.arange(count)).to_pylist()
    backwards = source.names(np.arange(count)[::-1].copy()).to_pylist()
    assert backwards == names[::-1]
    return names


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def refused(path: object, **options: Any) -> str:
    """Read everything; return the message of the InputError there must be."""
    paths: list[Any] = path if isinstance(path, list) else [path]
    with pytest.raises(InputError) as caught:
        texts_of(open_paths(paths, **options))
    message = str(caught.value)
    assert "\n" not in message
    return message


def compress(data: bytes, ending: str) -> bytes:
    if ending == ".zst":
        packed: bytes = pa.Codec("zstd").compress(data, asbytes=True)
        return packed
    return gzip.compress(data) if ending == ".gz" else data


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
            assert batch.texts.type in (pa.string(), pa.large_string())
            assert batch.texts.to_pylist() == ["a", None, "é"]
            batch.texts.validate(full=True)


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


# JSON Lines


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b'{"text":"a"}\n{"text":"b"}', ["a", "b"]),
        (b'{"text":"a"}\r\n{"text":"b"}\r\n', ["a", "b"]),
        (b'\xef\xbb\xbf{"text":"a"}\n', ["a"]),
        (b'\n\n{"text":"a"}\n  \n\r\n{"text":"b"}\n\n', ["a", "b"]),
        (b' {"text":"a"} \n', ["a"]),
        (b'{"text":"a"}\n{"text":null}\n{"other":1}\n{}\n', ["a", None, None, None]),
        (b'{"text":"2020-01-01"}\n{"text":"b"}\n', ["2020-01-01", "b"]),
        (b'{"text":"a","x":1}\n{"text":"b","x":"y"}\n{"text":"c","x":[1,{}]}\n', ["a", "b", "c"]),
        (b'{"text":"a","text":"b"}\n', ["b"]),
        (b'{"text":"\\ud83d\\ude00\\u0000"}\n', ["\U0001f600\0"]),
        (b'{"text":"a","x":NaN,"y":123456789012345678901234567890}\n', ["a"]),
        (b"", []),
        (b"\n \n", []),
    ],
)
@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_jsonl_shapes(here: Path, data: bytes, texts: list[str | None], batch_bytes: int) -> None:
    put(here / "a.jsonl", data)
    source = open_paths(["a.jsonl"], batch_bytes=batch_bytes)
    assert texts_of(source) == texts
    assert [row.get("text") for row in rows_of(source)] == texts
    lines = [run.data[s:e] for run in source.raw_rows() or () for s, e in zip(run.starts, run.ends, strict=True)]
    assert [json.loads(line).get("text") for line in lines] == texts


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b'{"text": "a"', "not valid JSON"),
        (b'{"text": "a"},', "not valid JSON"),
        (b'{"text":"a"}{"text":"b"}', "not valid JSON"),
        (b'{"text":\n"b"}', "not valid JSON"),
        (b"null", "expected a JSON object, found null"),
        (b"[1]", "expected a JSON object, found a list"),
        (b'"text"', "expected a JSON object, found a string"),
        (b'{"text": 5}', "column 'text' holds a number, not a string"),
        (b'{"text": {"a": 1}}', "column 'text' holds an object, not a string"),
        (b'{"text": "\xff"}', "not valid UTF-8"),
        (b'{"text": "\\ud800"}', "not valid UTF-8"),
        (b'{"text": "a", "x": ' + b"[" * 99_999 + b"]" * 99_999, "JSON"),
    ],
)
@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_jsonl_names_the_bad_line(here: Path, bad: bytes, says: str, batch_bytes: int) -> None:
    put(here / "a.jsonl", b'{"text": "ok"}\n\n{"text": "ok"}\n' + bad + b'\n{"text": "ok"}\n')
    message = refused("a.jsonl", batch_bytes=batch_bytes)
    assert message.startswith("a.jsonl, line 4: ")
    assert says in message


def test_jsonl_null_first_line_does_not_crash_arrow(here: Path) -> None:
    put(here / "a.jsonl", b'null\n{"text": "a"}\n')
    assert "line 1" in refused("a.jsonl")


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_jsonl_id_conflict(here: Path, batch_bytes: int) -> None:
    put(here / "a.jsonl", jsonl({"text": "a", "id": 1}, {"text": "b", "id": "x"}))
    assert "line 2: column 'id' holds a string, not an integer" in refused("a.jsonl", id="id", batch_bytes=batch_bytes)


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_null_id_is_refused(here: Path, batch_bytes: int) -> None:
    put(here / "a.jsonl", b"\n" + jsonl({"text": "a", "id": 1}, {"text": "b"}))
    assert "a.jsonl, line 3: the id is null" in refused("a.jsonl", id="id", batch_bytes=batch_bytes)


def test_jsonl_column_that_comes_late(here: Path) -> None:
    put(here / "a.jsonl", jsonl(*[{"other": "x" * 1000}] * 1100, {"words": "late"}))
    assert texts_of(open_paths(["a.jsonl"], text="words"))[-1] == "late"
    assert "no column 'nowhere'" in refused("a.jsonl", text="nowhere")


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_jsonl_rows_of_mixed_types_become_json_text(here: Path, batch_bytes: int) -> None:
    records = [{"text": "a", "x": 1, "e": {}}, {"text": "b", "x": "y"}, {"text": "c", "x": [1, "z"], "n": 1.5}]
    put(here / "a.jsonl", jsonl(*records))
    rows = rows_of(open_paths(["a.jsonl"], batch_bytes=batch_bytes))
    assert [row["x"] for row in rows] == ["1", "y", '[1, "z"]']
    assert [row["e"] for row in rows] == ["{}", None, None]
    assert [row["n"] for row in rows] == [None, None, 1.5]


def test_jsonl_rows_keep_dates_as_written(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"text": "a", "when": "2020-01-01", "deep": {"t": ["2020-01-01 10:00:00"]}}))
    row = rows_of(open_paths(["a.jsonl"]))[0]
    assert row == {"text": "a", "when": "2020-01-01", "deep": {"t": ["2020-01-01 10:00:00"]}}


@AS_IS
@given(
    texts=st.lists(st.none() | st.text(), max_size=8),
    batch_bytes=st.integers(1, 60),
    ascii_only=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_jsonl_round_trip(
    here: Path, texts: list[str | None], batch_bytes: int, ascii_only: bool, newline: str
) -> None:
    lines = [json.dumps({"text": text, "n": i}, ensure_ascii=ascii_only) for i, text in enumerate(texts)]
    put(here / "a.jsonl", newline.join(lines).encode())
    source = open_paths(["a.jsonl"], text="text", id="n", batch_bytes=batch_bytes) if texts else open_paths(["a.jsonl"])
    assert texts_of(source) == texts
    assert ids_of(source) == list(range(len(texts)))
    assert [row["text"] for row in rows_of(source)] == texts


@AS_IS
@given(data=st.lists(st.sampled_from([b'"', b"\\ud800", b"\xff", b"\xe2\x82", b"a", b"\xc3\xa9"]), max_size=6))
def test_replacing_does_not_depend_on_batches(here: Path, data: list[bytes]) -> None:
    """A line that Arrow cannot parse sends its whole block the slow way; the texts must not show it."""
    body = b"".join(data).replace(b'"', b"")
    put(here / "a.jsonl", b'{"text":"' + body + b'"}\n{"text":"\\ud800"}\n')
    apart, together = (texts_of(open_paths(["a.jsonl"], encoding_errors="replace", batch_bytes=n)) for n in (1, 999))
    assert apart == together
    assert apart[0] == body.replace(b"\\ud800", b"\xff").decode("utf-8", "replace") or b"\xe2\x82\\ud800" in body


def test_a_line_longer_than_many_blocks(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"text": "a"}, {"text": "y" * 3_000_000}, {"text": "b"}))
    assert [len(text) for text in texts_of(open_paths(["a.jsonl"], batch_bytes=1000))] == [1, 3_000_000, 1]


# CSV


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b'id,text\n007,"a\nb"\n8,\n9,"q""q"\n', ["a\nb", "", 'q"q']),
        (b"id,text\r\n1,a\r\n", ["a"]),
        (b"\xef\xbb\xbftext,id\na,1\n", ["a"]),
        (b"id,text\n1,a", ["a"]),
        (b'id,text\n1,5" pipe\n', ['5" pipe']),
        (b"id,text\n", []),
        (b"id,text", []),
        (b"", []),
        (b"id,text\n1,NULL\n2,nan\n", ["NULL", "nan"]),
    ],
)
def test_csv_shapes(here: Path, data: bytes, texts: list[str]) -> None:
    put(here / "a.csv", data)
    source = open_paths(["a.csv"])
    assert texts_of(source) == texts
    assert [row["text"] for row in rows_of(source)] == texts


def test_csv_in_another_encoding(here: Path) -> None:
    put(here / "a.csv", "tëxt,n\nx,y\n".encode("latin-1"))
    assert "a.csv: the header is not valid UTF-8" in refused("a.csv")


def test_a_directory_read_by_lines(here: Path) -> None:
    put(here / "d" / "a.csv", b"x,y\n")
    put(here / "d" / "b.txt", b"z\n")
    assert texts_of(open_paths(["d"], lines=True)) == ["x,y", "z"]


def test_csv_ids_stay_as_written(here: Path) -> None:
    put(here / "a.csv", b"id,text\n007,a\n1e5,b\n")
    assert ids_of(open_paths(["a.csv"], id="id")) == ["007", "1e5"]


@pytest.mark.parametrize("at", [0, 1, 5000])
def test_csv_rows_longer_than_a_block(here: Path, at: int) -> None:
    texts = ["short"] * 6000
    texts[at] = "word " * 200_000
    put(here / "a.csv", b"text,n\n" + b"".join(f"{text},{i}\n".encode() for i, text in enumerate(texts)))
    source = open_paths(["a.csv"], text="text", id="n", batch_bytes=1)
    assert texts_of(source) == texts
    assert ids_of(source) == [str(i) for i in range(6000)]


def test_csv_names_the_bad_row(here: Path) -> None:
    put(here / "a.csv", b"id,text\n1,a\n2\n3,c\n")
    assert "a.csv, row 2: expected 2 columns, found 1" in refused("a.csv")
    put(here / "b.csv", b"id,text\n" + b"1,a\n" * 50_000 + b"2,b,c\n")
    assert "b.csv, row 50001: expected 2 columns, found 3" in refused("b.csv", batch_bytes=1)


def test_csv_quote_never_closed(here: Path) -> None:
    put(here / "a.csv", b'id,text\n1,a\n2,"b\n3,c\n4,d\n')
    assert "quote" in refused("a.csv")


def test_csv_rank_that_stops_being_a_number(here: Path) -> None:
    put(here / "a.csv", b"text,score\n" + b"aaaaaaaaaa,9\n" * 120_000 + b"b,many\n")
    assert "row 120001: column 'score' holds 'many'" in refused("a.csv", text="text", rank="score")


# Text files, lines, stdin


def test_a_directory_of_text_files(here: Path) -> None:
    for name, text in {"b.txt": "bee", "a/z.md": "zed", "a/.hidden": "no", ".git/x": "no", "c": "sea"}.items():
        put(here / "docs" / name, text.encode())
    source = open_paths(["docs"], batch_bytes=1)
    assert texts_of(source) == ["zed", "bee", "sea"]
    assert names_of(source) == ["docs/a/z.md", "docs/b.txt", "docs/c"]
    assert rows_of(source)[1] == {"path": "docs/b.txt", "text": "bee"}
    assert source.where(1) == "docs/b.txt"


def test_a_directory_of_data_files(here: Path) -> None:
    put(here / "data" / "README.md", b"about")
    put(here / "data" / "sub" / "b.jsonl", jsonl({"text": "b"}))
    pq.write_table(pa.table({"text": ["a"]}), here / "data" / "a.parquet")
    assert texts_of(open_paths(["data"])) == ["a", "b"]


@pytest.mark.parametrize("batch_bytes", [1, 100])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_lines(here: Path, batch_bytes: int, ending: str) -> None:
    put(here / f"a.txt{ending}", compress(b"\xef\xbb\xbfone\r\n\ntwo\rx\nlast", ending))
    source = open_paths([f"a.txt{ending}"], lines=True, batch_bytes=batch_bytes)
    assert texts_of(source) == ["one", "", "two\rx", "last"]
    assert names_of(source)[3] == f"a.txt{ending}:4"
    assert source.where(2) == f"a.txt{ending}, line 3"
    assert len(texts_of(open_paths([f"a.txt{ending}"]))) == 1


@AS_IS
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r")), min_size=1), st.integers(1, 40))
def test_lines_round_trip(here: Path, texts: list[str], batch_bytes: int) -> None:
    put(here / "a.txt", "".join(text + "\n" for text in texts).encode())
    expected = [texts[0].removeprefix("\ufeff"), *texts[1:]]
    assert texts_of(open_paths(["a.txt"], lines=True, batch_bytes=batch_bytes)) == expected


def stdin_of(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def parquet_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b"]}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (jsonl({"text": "a"}, {"text": "b"}), {}),
        (gzip.compress(jsonl({"text": "a"}, {"text": "b"})), {}),
        (parquet_bytes(), {}),
        (b"id,text\n1,a\n2,b\n", {}),
        (b"id\tstory\n1\ta\n2\tb\n", {"text": "story"}),
        (b"a\nb\n", {"lines": True}),
        (b"", {}),
    ],
)
def test_stdin(here: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, options: dict[str, Any]) -> None:
    stdin_of(monkeypatch, data)
    (here / "scratch").mkdir()
    source = open_paths(["-"], scratch=here / "scratch", **options)
    assert texts_of(source) == texts_of(source) == (["a", "b"] if data else [])
    assert len(list((here / "scratch").iterdir())) == (sys.platform != "linux")  # where the file needs no name
    assert not data or names_of(source) == ["stdin:1", "stdin:2"]
    source.close()
    assert not list((here / "scratch").iterdir())


def test_stdin_that_says_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin_of(monkeypatch, b"just some words\nand more\n")
    (here / "scratch").mkdir()
    assert "--lines" in refused("-", scratch=here / "scratch")
    assert not list((here / "scratch").iterdir())


def test_a_named_pipe() -> None:
    os.mkfifo("pipe")
    thread = threading.Thread(target=lambda: Path("pipe").write_bytes(jsonl({"text": "a"})))
    thread.start()
    source = open_paths(["pipe"])
    thread.join()
    assert texts_of(source) == texts_of(source) == ["a"]
    source.close()


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
    assert source.raw_rows() is None
    assert [source.where(i) for i in range(3)] == ["a.parquet, row 1", "b.jsonl, line 1", "c.csv, row 1"]


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
        ({}, "several string columns"),
        ({"text": "none"}, "has no column 'none' (--text); its columns are a (string), b (string), n (int64)"),
        ({"text": "n"}, "column 'n' is int64, but the text must be a string column"),
        ({"text": "a", "id": "none"}, "has no column 'none' (--id)"),
        ({"text": "a", "rank": "none"}, "has no column 'none'"),
        ({"tokens": True}, "no list of integers column"),
        ({"tokens": True, "text": "a"}, "tokens must be lists of integers"),
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
    source = open_source(table, tokens=True)
    assert source.text_column == "input_ids"
    assert texts_of(source) == [[1, 2], None, [3, 4]]
    assert {batch.texts.type for batch in source.batches()} == {pa.large_list(pa.int64())}


def test_tokens_of_jsonl_and_parquet(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"tokens": []}, {"tokens": [1, 2]}, {"tokens": None}))
    pq.write_table(pa.table({"tokens": [[5]]}), "b.parquet")
    assert texts_of(open_paths(["a.jsonl", "b.parquet"], tokens=True)) == [[], [1, 2], None, [5]]
    put(here / "c.jsonl", jsonl({"tokens": [1]}, {"tokens": [1, None]}))
    assert "c.jsonl, line 2: a token is null" in refused("c.jsonl", tokens=True)


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
    assert source.names(np.array([4, 0])).to_pylist() == [4, 0]
    assert source.where(3) == "item 3"
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
    assert source.names(np.array([1, 0])).to_pylist() == ["l", "k"]
    assert source.has_ids
    assert texts_of(open_source({})) == []
    assert ids_of(open_source({7: [1], 8: None}, tokens=True)) == [7, 8]


def test_paths_are_files_and_strings_are_texts(here: Path) -> None:
    put(here / "a.txt", b"inside")
    assert texts_of(open_source(Path("a.txt"))) == texts_of(open_source([Path("a.txt")])) == ["inside"]
    assert texts_of(open_source(["a.txt"])) == ["a.txt"]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ("text", "pass a list of texts, or a pathlib.Path"),
        (b"text", "pass a list of texts"),
        (["a", 5], "item 1 is int, but must be a string or None"),
        ([{"text": "a"}], "item 0 is dict"),
        (7, "int is nothing lookalike can read"),
        ({1: "a", "b": "c"}, "keys of a dict"),
        (["a", "\ud800"], "item 1: the text is not valid UTF-8"),
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


# Hostile files


def test_invalid_utf8_everywhere(here: Path) -> None:
    bad = pa.array([b"ok", b"b\xe2\x82d", None]).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"text": bad}), "a.parquet")
    put(here / "a.jsonl", b'{"text":"ok"}\n\n{"text":"b\xe2\x82d"}\n{"text":null}\n')
    put(here / "a.csv", b"n,text\n1,ok\n2,b\xe2\x82d\n")
    put(here / "a.txt", b"ok\nb\xe2\x82d\n")
    places = {"a.parquet": "row 2", "a.jsonl": "line 3", "a.csv": "row 2", "a.txt": "line 2"}
    for name, place in places.items():
        lines = name == "a.txt"
        message = refused(name, lines=lines, text="text")
        assert message == (
            f"{name}, {place}: the text is not valid UTF-8; --encoding-errors replace goes on with U+FFFD in its place"
        )
        source = open_paths([name], lines=lines, text="text", encoding_errors="replace")
        assert texts_of(source)[:2] == ["ok", "b\ufffdd"]


def test_unreadable_text_file_among_good_ones(here: Path) -> None:
    put(here / "d" / "a.txt", b"ok")
    put(here / "d" / "b.txt", b"\xff")
    assert refused("d").startswith("d/b.txt: the text is not valid UTF-8")


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("inner", ["jsonl", "csv", "txt"])
def test_damaged_compression(here: Path, ending: str, inner: str) -> None:
    rows = [{"text": os.urandom(30).hex()} for _ in range(5000)]
    whole = compress(
        jsonl(*rows) if inner != "csv" else b"text\n" + b"".join(r["text"].encode() + b"\n" for r in rows), ending
    )
    broken = {"cut": whole[:-100], "not": b"hello, this is no archive", "hit": whole[:999] + b"\0" * 99 + whole[1100:]}
    for name, data in broken.items():
        put(here / f"{name}.{inner}{ending}", data)
        assert f"{name}.{inner}{ending} cannot be read" in refused(f"{name}.{inner}{ending}", lines=inner == "txt")


def test_damaged_parquet(here: Path) -> None:
    pq.write_table(pa.table({"text": [os.urandom(20).hex() for _ in range(3000)]}), "good.parquet", compression="zstd")
    whole = (here / "good.parquet").read_bytes()
    broken = {"cut": whole[:-100], "head": whole[:500], "not": b"hello", "empty": b""}
    for name, data in broken.items():
        put(here / f"{name}.parquet", data)
        assert f"{name}.parquet (as parquet) cannot be read" in refused(f"{name}.parquet")
    put(here / "pages.parquet", whole[:50] + os.urandom(3000) + whole[3050:])
    assert "pages.parquet cannot be read" in refused("pages.parquet")


@pytest.mark.parametrize("name", ["none.parquet", "none.jsonl", "none/a.csv", "no*.csv"])
def test_missing(name: str) -> None:
    assert refused(name).startswith(name)


def test_empty_directory(here: Path) -> None:
    (here / "empty").mkdir()
    assert "empty is a directory without files" in refused("empty")


def test_dangling_link(here: Path) -> None:
    (here / "a.jsonl").symlink_to("nowhere")
    assert "no such file" in refused("a.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(here: Path) -> None:
    put(here / "a.jsonl", b"").chmod(0)
    assert "no permission" in refused("a.jsonl")


def test_json_array(here: Path) -> None:
    put(here / "a.json", b'[{"text": "a"}]')
    assert "jq" in refused("a.json")
    put(here / "b.json", b'{"text": "a"}\n')
    assert texts_of(open_paths(["b.json"])) == ["a"]


def test_parquet_by_another_name(here: Path) -> None:
    put(here / "data.bin", parquet_bytes())
    assert texts_of(open_paths(["data.bin"])) == ["a", "b"]
    assert "--lines" in refused("data.bin", lines=True)


def test_parquet_without_rows() -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), "a.parquet")
    source = open_paths(["a.parquet"])
    assert list(source.batches()) == []
    assert source.names(np.array([], dtype=np.int64)).to_pylist() == []


def test_a_batch_has_a_length() -> None:
    assert len(Batch(0, pa.array(["a", "b"]), None, None)) == 2


def test_a_file_name_that_is_not_utf8() -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    put(Path(name), jsonl({"text": "x"}))
    assert names_of(open_paths([name])) == ["caf\ufffd.jsonl:1"]
    pq.write_table(TABLE, "a.parquet")
    Path("a.parquet").rename(os.fsdecode(b"caf\xe9.parquet"))
    assert texts_of(open_paths([os.fsdecode(b"caf\xe9.parquet")])) == TEXTS
