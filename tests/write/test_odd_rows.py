"""Odd names and types: written with nothing lost, or refused with a sentence, before the run where possible."""

from __future__ import annotations

import csv
import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import run

from lookalike.errors import InputError, OutputError
from lookalike.read import open_paths, open_source
from lookalike.write.checks import check_rows
from lookalike.write.outputs import write_rows

TEXTS = ["the cat sat", "a dog", "a bird"]
MASK = np.ones(3, np.bool_)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(column: Any, name: str = "o.jsonl") -> list[Any]:
    """Return what a column becomes in a file."""
    source = open_source(pa.table({"text": TEXTS, "c": column}), text="text")
    check_rows(source, {"output": Path(name)})
    write_rows(source, {Path(name): MASK})
    if name.endswith(".csv"):
        with Path(name).open(newline="") as file:
            return [row[-1] for row in list(csv.reader(file))[1:]]
    return [json.loads(line)["c"] for line in Path(name).read_text().splitlines()]


def refused(column: Any, name: str) -> str:
    """Return why a column is refused before the run."""
    source = open_source(pa.table({"text": TEXTS, "c": column}), text="text")
    with pytest.raises(OutputError) as error:
        check_rows(source, {"output": Path(name)})
    return str(error.value)


# Types


def test_far_dates_and_times() -> None:
    assert written(pa.array([0, None, 10**7], pa.date32())) == ["1970-01-01", None, "29349-01-26"]
    far = pa.array([0, None, 10**13], pa.timestamp("s"))
    assert written(far) == ["1970-01-01T00:00:00", None, "318857-05-20T17:46:40"]
    with pytest.raises(OutputError, match=r"o\.csv cannot be written: a time is more than 30,000 years away"):
        written(far, "o.csv")
    zoned = pa.array([0, None, -(10**13)], pa.timestamp("s", "Europe/Berlin"))
    assert written(zoned) == ["1970-01-01T00:00:00Z", None, "-314918-08-13T06:13:20Z"]


@pytest.mark.parametrize("name", ["o.jsonl", "o.csv"])
@pytest.mark.parametrize(
    ("unit", "count", "expected"),
    [("s", 90, "PT90S"), ("ms", -1500, "-PT1.5S"), ("ns", 1, "PT0.000000001S"), ("s", 2**62, f"PT{2**62}S")],
)
def test_durations_keep_their_unit(name: str, unit: str, count: int, expected: str) -> None:
    assert written(pa.array([count] * 3, pa.duration(unit)), name)[0] == expected


def test_times_inside_of_lists_and_objects() -> None:
    nano = pa.timestamp("ns", "UTC")
    assert written(pa.array([[0], None, []], pa.list_(nano))) == [["1970-01-01T00:00:00.000000000Z"], None, []]
    day = pa.struct([("day", pa.date32()), ("for", pa.duration("s"))])
    rows = [{"day": dt.date(2020, 1, 2), "for": 5}, None, {"day": None, "for": None}]
    assert written(pa.array(rows, day)) == [
        {"day": "2020-01-02", "for": "PT5S"}, None, {"day": None, "for": None},
    ]  # fmt: skip


def test_slices_of_nested_columns() -> None:
    table = pa.table({"text": ["x", *TEXTS], "c": [[{"a": [9]}], [{"a": [1, 2]}], None, [{"a": None}, None]]})
    source = open_source(table.slice(1), text="text")
    write_rows(source, {Path("o.jsonl"): MASK})
    rows = [json.loads(line)["c"] for line in Path("o.jsonl").read_text().splitlines()]
    assert rows == [[{"a": [1, 2]}], None, [{"a": None}, None]]


def test_fixed_lists_and_views() -> None:
    assert written(pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)).slice(0)) == [[1, 2], None, [3, 4]]
    assert written(pa.array([[1], None, []], pa.list_view(pa.int64()))) == [[1], None, []]


def test_maps_lose_nothing() -> None:
    twice = pa.array([[("k", 1), ("k", 2)], None, [("a", 3)]], pa.map_(pa.string(), pa.int64()))
    assert written(twice) == [[["k", 1], ["k", 2]], None, {"a": 3}]
    numbers = pa.array([[(1, 1.5)], None, []], pa.map_(pa.int64(), pa.float64()))
    assert written(numbers) == [{"1": 1.5}, None, {}]
    objects = pa.array([[({"a": 1}, 1.5)], None, []], pa.map_(pa.struct([("a", pa.int64())]), pa.float64()))
    assert written(objects) == [[[{"a": 1}, 1.5]], None, []]
    assert written(objects, "o.csv") == ['[[{"a": 1}, 1.5]]', "", "[]"]


def test_layouts_that_say_the_same() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int32()), pa.array(["x", "y"]))
    assert written(runs) == ["x", "y", "y"]
    entries = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
    source = open_source(pa.table({"text": TEXTS, "c": entries}), text="text")
    write_rows(source, {Path("o.parquet"): MASK})
    assert pq.read_table("o.parquet")["c"].to_pylist() == ["a", None, "a"]
    interval = pa.array([None, None, pa.MonthDayNano([1, 2, 3])], pa.month_day_nano_interval())
    assert written(interval, "o.csv") == ["", "", "[1, 2, 3]"]


def test_what_a_format_cannot_hold_is_refused_before_the_run() -> None:
    mars = pa.array([0] * 3, pa.timestamp("us", "Mars/Phobos"))
    for name in ("o.jsonl", "o.csv"):
        says = "cannot be written: the time zone 'Mars/Phobos' of column 'c' is unknown; convert it, or write parquet"
        assert refused(mars, name) == f"{name} {says}"
    twins = pa.StructArray.from_arrays([pa.array([1, 2, 3])] * 2, names=["a", "a"])
    assert "an object of column 'c' would have two keys 'a'" in refused(twins, "o.jsonl")
    interval = pa.array([None] * 3, pa.month_day_nano_interval())
    assert refused(interval, "o.parquet").startswith("o.parquet cannot be written: Unhandled type")
    deep = pa.int64()
    for _ in range(60):
        deep = pa.list_(deep)
    assert "is nested 121 levels deep, and parquet readers stop at 99" in refused(pa.nulls(3, deep), "o.parquet")


def test_the_deepest_that_is_written_can_be_read() -> None:
    deep = pa.int64()
    for _ in range(49):
        deep = pa.list_(deep)
    source = open_source(pa.table({"text": TEXTS, "c": pa.nulls(3, deep)}), text="text")
    write_rows(source, {Path("o.parquet"): MASK})
    assert pq.ParquetFile("o.parquet").metadata.num_rows == 3


def test_the_command_refuses_before_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table([TEXTS, [1, 2, 3], [4, 5, 6]], names=["text", "x", "x"]), "in.parquet")

    def read(*_: object) -> None:
        pytest.fail("the run has begun")

    monkeypatch.setattr("lookalike.pipeline.collect", read)
    ended = run("dedup", "in.parquet", "-o", "o.jsonl", "--text", "text")
    assert (ended.code, ended.err) == (
        2,
        "lookalike: o.jsonl cannot be written: an object cannot have two keys 'x'; rename a column, or write parquet\n",
    )


@pytest.mark.parametrize("name", ["", " ", "a,b", 'q"q', "new\nline", "\t", "é", "TEXT", "nul\0", "=cmd", "x" * 5000])
@pytest.mark.parametrize("output", ["o.parquet", "o.jsonl", "o.csv"])
def test_odd_names(name: str, output: str) -> None:
    pq.write_table(pa.table([TEXTS, [1, 2, 3]], names=["text", name]), "in.parquet")
    write_rows(open_paths(["in.parquet"], text="text"), {Path(output): MASK})
    if output == "o.parquet":
        names = pq.read_schema(output).names
    elif output == "o.jsonl":
        names = list(json.loads(Path(output).read_text().split("\n")[0]))
    else:
        with Path(output).open(newline="") as file:
            names = next(csv.reader(file))
    assert names == ["text", name]


# Keys and values that are not UTF-8


@pytest.mark.parametrize("output", ["o.parquet", "o.csv"])
@pytest.mark.parametrize(
    ("key", "says"),
    [
        (b"k\xff", "is not valid UTF-8; name the --encoding of the file if it has another one, or"),
        (b"k\\ud800", "has an unpaired surrogate (\\ud800), which is not a character; fix it, or"),
    ],
    ids=["byte", "surrogate"],
)
def test_keys_that_are_no_utf8(output: str, key: bytes, says: str) -> None:
    Path("in.jsonl").write_bytes(b'{"text": "a", "%s": 1}\n{"text": "b"}\n{"text": "c"}\n' % key)
    refused = run("dedup", "in.jsonl", "-o", output)
    assert refused.code == 2
    assert refused.err == (
        f"lookalike: in.jsonl, line 1: the key 'k\ufffd' {says} use --encoding-errors replace to insert U+FFFD "
        "instead\n"
    )
    source = open_paths(["in.jsonl"], text="text", encoding_errors="replace")
    write_rows(source, {Path(output): MASK})
    (rows,) = list(open_paths([output], text="text").rows())
    assert rows.schema.names == ["text", "k\ufffd"]
    assert str(rows.column(1)[0]) == "1"


@pytest.mark.parametrize("output", ["o.parquet", "o.csv"])
@pytest.mark.parametrize("held", [b'{"z\xff": 1}', b'{"z\\ud800": 1}', b'{"z": ["x\xff"]}', b'["\\ud800", "\xff"]'])
def test_objects_and_lists_that_are_no_utf8(output: str, held: bytes) -> None:
    Path("in.jsonl").write_bytes(b'{"text": "a", "k": %s}\n{"text": "b"}\n{"text": "c"}\n' % held)
    with pytest.raises(InputError, match="unpaired surrogate" if b"ud800" in held else "not valid UTF-8"):
        write_rows(open_paths(["in.jsonl"], text="text"), {Path(output): MASK})
    assert not Path(output).exists()
    write_rows(open_paths(["in.jsonl"], text="text", encoding_errors="replace"), {Path(output): MASK})
    (rows,) = list(open_paths([output], text="text").rows())
    found = rows.column(1)[0].as_py()
    expected = json.loads(held.replace(b"\\ud800", b"\xff").decode("utf-8", "replace"))
    assert (json.loads(found) if isinstance(found, str) else found) == expected


def test_keys_that_become_one() -> None:
    Path("in.jsonl").write_bytes(b'{"text": "a", "k\xff": 1, "k\xfe": 2}\n')
    source = open_paths(["in.jsonl"], text="text", encoding_errors="replace")
    with pytest.raises(InputError, match=r"in\.jsonl, line 1: two keys that are not valid UTF-8 become one"):
        check_rows(source, {"output": Path("o.csv")})
