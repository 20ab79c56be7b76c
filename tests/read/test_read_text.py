"""Reading JSON Lines, CSV, text files, lines and standard input: layouts and errors."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.read_tables import AS_IS, compress, ids_of, jsonl, names_of, parquet_bytes, put, refused, rows_of, texts_of
from support.run_cli import run

from lookalike.read import open_paths


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
    lines = [run.data[s:e] for run in source.raw_lines() or () for s, e in zip(run.starts, run.ends, strict=True)]
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
        (b'{"text": "\\ud800"}', "unpaired surrogate"),
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


@pytest.mark.slow
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
    assert source.locate(1) == "docs/b.txt"


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
    assert source.locate(2) == f"a.txt{ending}, line 3"
    assert len(texts_of(open_paths([f"a.txt{ending}"]))) == 1


@pytest.mark.slow
@AS_IS
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r")), min_size=1), st.integers(1, 40))
def test_lines_round_trip(here: Path, texts: list[str], batch_bytes: int) -> None:
    put(here / "a.txt", "".join(text + "\n" for text in texts).encode())
    expected = [texts[0].removeprefix("\ufeff"), *texts[1:]]
    assert texts_of(open_paths(["a.txt"], lines=True, batch_bytes=batch_bytes)) == expected


def stdin_of(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (jsonl({"text": "a"}, {"text": "b"}), {}),
        (gzip.compress(jsonl({"text": "a"}, {"text": "b"}), mtime=0), {}),
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
    assert "`lines`" in refused("-", scratch=here / "scratch")
    assert not list((here / "scratch").iterdir())


def test_a_named_pipe() -> None:
    os.mkfifo("pipe")
    thread = threading.Thread(target=lambda: Path("pipe").write_bytes(jsonl({"text": "a"})))
    thread.start()
    source = open_paths(["pipe"])
    thread.join()
    assert texts_of(source) == texts_of(source) == ["a"]
    source.close()


@pytest.mark.parametrize("command", ["pairs", "nearest"])
@pytest.mark.parametrize("names", [("-", "-"), ("/dev/stdin", "/dev/stdin"), ("-", "/dev/stdin")])
def test_standard_input_on_both_sides(command: str, names: tuple[str, str]) -> None:
    outcome = run(command, names[0], "--against", names[1], "--lines", stdin=b"a\nb\n")
    by = "" if names[0] == names[1] else ", as - and as /dev/stdin"
    assert f"{names[0]} is given twice{by}, but standard input can be read only once" in outcome.err


def test_standard_input_by_two_names() -> None:
    outcome = run("dedup", "-", "/dev/stdin", "--lines", stdin=b"a\nb\n")
    assert "is given twice, as - and as /dev/stdin" in outcome.err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_not_a_file(here: Path) -> None:
    (here / "link.txt").symlink_to("/dev/zero")
    for name in ("/dev/zero", "link.txt"):
        assert refused(name) == (f"{name} is a device, which may never end; copy what is to be read to a file")


def test_the_null_device_is_an_empty_file() -> None:
    assert len(texts_of(open_paths(["/dev/null"], format="csv"))) == 0
