"""Writing: the selected rows unchanged, or nothing at all."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import errno
import gzip
import io
import json
import os
import uuid
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike.errors import InputError, OutputError
from lookalike.read import open_paths, open_source
from lookalike.write import formats, places
from lookalike.write.checks import check_outputs
from lookalike.write.outputs import write_rows, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

AS_IS = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
OUTPUTS = ["o.parquet", "o.jsonl", "o.ndjson.gz", "o.jsonl.zst", "o.csv", "o.tsv", "o.csv.gz"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mask(*picked: int) -> Any:
    return np.array(picked, dtype=np.bool_)


def listing() -> list[str]:
    return [path.name for path in Path().iterdir()]


def rows_of(path: str) -> list[dict[str, Any]]:
    source = open_paths([path], text="text")
    return [row for batch in source.rows() for row in batch.to_pylist()]


# Checks before any work


@pytest.mark.parametrize("name", ["o", "o.doc", "o.parquet.gz", "o.xlsx", "o.gz", ".parquet"])
def test_unknown_endings(name: str) -> None:
    with pytest.raises(OutputError, match="suffix"):
        check_outputs({"output": Path(name)}, [], force=False)


@pytest.mark.parametrize("name", OUTPUTS)
def test_known_endings(name: str) -> None:
    check_outputs({"output": Path(name)}, [], force=False)


def test_existing_output() -> None:
    Path("o.csv").touch()
    with pytest.raises(OutputError, match="`force` replaces it"):
        check_outputs({"output": Path("o.csv")}, [], force=False)
    check_outputs({"output": Path("o.csv")}, [], force=True)


def test_output_that_is_an_input() -> None:
    Path("in.csv").touch()
    Path("link.csv").symlink_to("in.csv")
    os.link("in.csv", "hard.csv")
    Path("sub").mkdir()
    for name in ("in.csv", "link.csv", "hard.csv", "sub/../in.csv"):
        with pytest.raises(OutputError, match="is an input"):
            check_outputs({"output": Path(name)}, [Path("in.csv")], force=True)


def test_two_outputs_that_are_one(here: Path) -> None:
    outputs = {"output": Path("o.csv"), "removed": here / "o.csv"}
    with pytest.raises(OutputError, match="`removed` and `output` are both"):
        check_outputs(outputs, [], force=True)


def test_places_that_cannot_be() -> None:
    Path("d.csv").mkdir()
    for name, says in {"no/o.csv": "no directory", "d.csv": "is a directory"}.items():
        with pytest.raises(OutputError, match=says):
            check_outputs({"output": Path(name)}, [], force=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission() -> None:
    Path("closed").mkdir(mode=0o500)
    with pytest.raises(OutputError, match="no permission"):
        check_outputs({"output": Path("closed/o.csv")}, [], force=True)


# Tables


@pytest.mark.parametrize("name", OUTPUTS)
def test_tables_in_every_format(name: str) -> None:
    table = pa.table({"text": ["a", 'b,"c"\nd'], "right": ["é", "\U0001f600\t"], "similarity": [0.5, 1.0]})
    write_table(table, Path(name))
    rows = [{key: str(value) for key, value in row.items()} for row in rows_of(name)]
    assert [(row["text"], row["right"], float(row["similarity"])) for row in rows] == list(
        zip(*table.to_pydict().values(), strict=True)
    )
    assert listing() == [name]


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_table_without_rows(name: str) -> None:
    write_table(pa.table({"text": pa.array([], pa.string())}), Path(name))
    assert rows_of(name) == []


EVERYTHING = pa.table(
    {
        "text": ["a"],
        "date": [dt.date(2020, 1, 2)],
        "when": [dt.datetime(2020, 1, 2, 3, 4, 5)],  # noqa: DTZ001
        "nano": pa.array([1], pa.timestamp("ns")),
        "zone": pa.array([0], pa.timestamp("s", "UTC")),
        "time": [dt.time(1, 2)],
        "span": [dt.timedelta(days=1)],
        "money": [decimal.Decimal("1.10")],
        "bytes": [b"\xff\x00"],
        "list": [[1, None]],
        "struct": [{"a": [dt.date(2020, 1, 2)], "b": float("nan"), "t": dt.datetime(2020, 1, 2)}],  # noqa: DTZ001
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "dict": pa.array(["d e f"]).dictionary_encode(),
        "view": pa.array(["v"], pa.string_view()),
        "large": pa.array(["l"], pa.large_string()),
        "nan": [float("nan")],
        "inf": [float("inf")],
        "half": pa.array([1.5], pa.float16()),
        "yes": [True],
        "none": pa.nulls(1),
        "uuid": pa.array([uuid.UUID(int=1).bytes], pa.uuid()),
        "big": pa.array([2**64 - 1], pa.uint64()),
    }
)


def test_every_type_as_json() -> None:
    write_table(EVERYTHING, Path("o.jsonl"))
    row = json.loads(Path("o.jsonl").read_text(), parse_constant=pytest.fail)
    assert row["date"] == "2020-01-02"
    assert row["when"].startswith("2020-01-02T03:04:05")
    assert row["nano"] == "1970-01-01T00:00:00.000000001"
    assert row["zone"].startswith("1970-01-01T00:00:00")
    assert row["money"] == "1.10"
    assert row["bytes"] == "/wA="
    assert row["list"] == [1, None]
    assert row["struct"]["a"] == ["2020-01-02"]
    assert row["struct"]["b"] is row["nan"] is row["inf"] is row["none"] is None
    assert row["map"] == {"k": 1}
    assert (row["dict"], row["view"], row["large"], row["half"], row["yes"]) == ("d e f", "v", "l", 1.5, True)
    assert row["uuid"] == str(uuid.UUID(int=1))
    assert row["big"] == 2**64 - 1


def test_every_type_as_csv() -> None:
    write_table(EVERYTHING, Path("o.csv"))
    (row,) = csv.DictReader(io.StringIO(Path("o.csv").read_text()))
    assert row["list"] == "[1, null]"
    assert json.loads(row["map"]) == {"k": 1}
    assert json.loads(row["struct"])["a"] == ["2020-01-02"]
    assert (row["money"], row["bytes"], row["dict"], row["view"]) == ("1.10", "/wA=", "d e f", "v")
    assert row["uuid"] == str(uuid.UUID(int=1))


def test_speed_of_json() -> None:
    write_table(pa.table({"text": ["word " * 600] * 2000, "n": range(2000)}), Path("o.jsonl"))
    assert len(Path("o.jsonl").read_bytes().splitlines()) == 2000


# Rows


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_json_lines_are_copied_byte_for_byte(batch_bytes: int) -> None:
    lines = [
        b'{"text": "a",   "n": 1.50}\n',
        b'{"n": 1e3, "text":"\\u00e9"}\r\n',
        b' {"text": "c", "x": [{}, "2020-01-01", 123456789012345678901234567890]} \n',
        b'{"text": "\xff", "n": NaN}\n',
        b'{"text": "\\ud800"}',
    ]
    Path("in.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines))
    source = open_paths(["in.jsonl"], batch_bytes=batch_bytes)
    picks = {Path("o.jsonl"): mask(1, 1, 0, 1, 1), Path("r.jsonl.gz"): mask(0, 0, 1, 0, 0)}
    write_rows(source, picks)
    assert Path("o.jsonl").read_bytes() == b"".join([*lines[:2], *lines[3:], b"\n"])
    assert gzip.decompress(Path("r.jsonl.gz").read_bytes()) == lines[2]


def test_last_line_without_newline_before_another_file() -> None:
    Path("a.jsonl").write_bytes(b'{"text": "a"}')
    Path("b.jsonl").write_bytes(b'{"text": "b"}')
    write_rows(open_paths(["a.jsonl", "b.jsonl"]), {Path("o.jsonl"): mask(1, 1)})
    assert Path("o.jsonl").read_bytes() == b'{"text": "a"}\n{"text": "b"}\n'


@pytest.mark.slow
@AS_IS
@given(data=st.data(), batch_bytes=st.integers(1, 80))
def test_picked_lines(data: st.DataObject, batch_bytes: int) -> None:
    texts = data.draw(st.lists(st.text(max_size=9), min_size=1, max_size=9))
    picked = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    Path("in.jsonl").write_text("\n\n".join(json.dumps({"text": text}) for text in texts))
    write_rows(open_paths(["in.jsonl"], batch_bytes=batch_bytes), {Path("o.jsonl"): mask(*picked)})
    kept = [json.loads(line)["text"] for line in Path("o.jsonl").read_text().splitlines()]
    assert kept == [text for text, pick in zip(texts, picked, strict=True) if pick]


def test_parquet_stays_as_it_was() -> None:
    frame = pd.DataFrame({"text": ["a", "b", "c"], "n": [1, 2, 3]}, index=pd.Index(["x", "y", "z"], name="key"))
    table = pa.Table.from_pandas(frame)
    more = {
        "tag": pa.array(["t", "u", "t"]).dictionary_encode(),
        "deep": pa.array([[{"x": 1}], None, []]),
        "when": pa.array([1, 2, 3], pa.timestamp("ns", "Europe/Berlin")),
    }
    for name, column in more.items():
        table = table.append_column(pa.field(name, column.type, metadata={"unit": "m"}), column)
    pq.write_table(table, "in.parquet")
    before = pq.read_table("in.parquet")
    source = open_paths(["in.parquet"], text="text")
    write_rows(source, {Path("o.parquet"): mask(1, 0, 1), Path("r.parquet"): mask(0, 1, 0)})
    after = pq.read_table("o.parquet")
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after.equals(before.take([0, 2]))
    assert pq.read_table("r.parquet").equals(before.take([1]))
    assert pd.read_parquet("o.parquet").index.tolist() == ["x", "z"]


def test_parquet_row_groups_are_not_tiny() -> None:
    pq.write_table(pa.table({"text": [f"text {i}" for i in range(2000)]}), "in.parquet")
    source = open_paths(["in.parquet"], batch_bytes=1)
    write_rows(source, {Path("o.parquet"): np.arange(2000) % 16 == 0})
    assert pq.ParquetFile("o.parquet").num_row_groups == 1
    assert pq.read_table("o.parquet").column("text")[1].as_py() == "text 16"


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("given_as", ["in.parquet", "in.jsonl", "in.csv", "memory"])
def test_every_format_to_every_format(given_as: str, name: str) -> None:
    table = pa.table({"text": ["a", 'b "q", r\ns', "é"], "code": ["007", "", "x"]})
    if given_as == "memory":
        source = open_source(pl.from_arrow(table), text="text")
    else:
        write_table(table, Path(given_as))
        source = open_paths([given_as], text="text")
    write_rows(source, {Path(name): mask(0, 1, 1)})
    assert rows_of(name) == [{"text": 'b "q", r\ns', "code": ""}, {"text": "é", "code": "x"}]


@pytest.mark.parametrize("name", ["o.parquet", "o.jsonl", "o.csv"])
def test_frames_with_views_inside(name: str) -> None:
    tags = pl.Series(["u", "v"], dtype=pl.Categorical)
    frame = pl.DataFrame({"text": ["a", "b"], "list": [["x"], None], "struct": [{"q": "z"}, None], "tag": tags})
    source = open_source(frame, text="text", id="tag")
    assert [batch.ids.to_pylist() for batch in source.batches() if batch.ids] == [["u", "v"]]
    write_rows(source, {Path(name): mask(0, 1)})
    assert rows_of(name)[0]["tag"] == "v"


def test_dictionaries_that_differ_between_row_groups() -> None:
    tags = [f"tag {i % 40}" for i in range(100)]
    table = pa.table({"text": [f"text {i}" for i in range(100)], "tag": pa.array(tags).dictionary_encode()})
    pq.write_table(table, "in.parquet", row_group_size=20)
    write_rows(open_paths(["in.parquet"], text="text", batch_bytes=1), {Path("o.parquet"): np.arange(100) % 3 == 0})
    after = pq.read_table("o.parquet")
    assert after.column("tag").to_pylist() == tags[::3]
    assert after.schema.equals(table.schema)


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("empty", ["in.jsonl", "in.csv"])
def test_an_empty_input(empty: str, name: str) -> None:
    Path(empty).touch()
    write_rows(open_paths([empty]), {Path(name): mask()})
    assert Path(name).exists()


def test_csv_with_a_header_that_repeats() -> None:
    Path("in.csv").write_bytes(b"text,x,x\na,1,2\nb,3,4\n")
    write_rows(open_paths(["in.csv"], text="text"), {Path("o.csv"): mask(0, 1)})
    assert list(csv.reader(Path("o.csv").read_text().splitlines())) == [["text", "x", "x"], ["b", "3", "4"]]


def test_bytes_that_are_no_utf8() -> None:
    """They are replaced if that was asked for; otherwise they stay within one format, and are refused by others."""
    bad = pa.array([b"ok", b"b\xffd"]).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"text": bad, "tag": bad.dictionary_encode()}), "in.parquet")
    Path("in.csv").write_bytes(b"text,n\nok,1\nb\xffd,2\n")
    for name in ("in.parquet", "in.csv"):
        source = open_paths([name], text="text", encoding_errors="replace")
        same, other = Path(f"o{Path(name).suffix}"), Path("o.jsonl")
        write_rows(source, {same: mask(1, 1), other: mask(1, 1)})
        assert json.loads(other.read_text().splitlines()[1])["text"] == "b\ufffdd"
    assert pq.read_table("o.parquet").column("text").to_pylist() == ["ok", "b\ufffdd"]
    assert "b\ufffdd" in Path("o.csv").read_text()
    Path("in.jsonl").write_bytes(b'{"text": "b\xffd"}\n')
    write_rows(open_paths(["in.jsonl"], encoding_errors="replace"), {Path("p.jsonl"): mask(1)})
    assert Path("p.jsonl").read_text() == '{"text": "b\ufffdd"}\n'
    for name, row in {"in.parquet": 1, "in.csv": 1, "in.jsonl": 0}.items():
        kept = Path(name).with_stem("q")
        write_rows(open_paths([name], text="text"), {kept: np.arange(row + 1) == row})
        assert b"b\xffd" in kept.read_bytes()
    Path("other.csv").write_bytes(b"text,n\nok,1\nb,\xff\n")
    with pytest.raises(InputError, match=r"other\.csv, row 2: the column 'n' is not valid UTF-8"):
        write_rows(open_paths(["other.csv"], text="text"), {Path("p.parquet"): mask(0, 1)})
    assert not Path("p.parquet").exists()


# Failures leave nothing


class Broken:
    """A source that fails after its first batch."""

    format = delimiter = None
    paths = ()
    encoding_errors = "strict"
    schema = pa.schema([("text", pa.string())])

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def rows(self) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([["a"]], schema=self.schema)
        raise self.error


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError("bad"), MemoryError()], ids=repr)
def test_nothing_is_left_behind(name: str, error: BaseException) -> None:
    Path(name).write_text("old")
    with pytest.raises(type(error)):
        write_rows(Broken(error), {Path(name): mask(1, 1), Path(f"2{name}"): mask(1, 1)})  # type: ignore[arg-type]
    assert listing() == [name]
    assert Path(name).read_text() == "old"


@pytest.mark.parametrize("name", OUTPUTS)
def test_disk_full(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(places, "_create", lambda *_: Full())
    with pytest.raises(OutputError, match=f"{name} cannot be written: the disk is full"):
        write_table(pa.table({"text": ["a" * 100_000]}), Path(name))
    assert listing() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", OUTPUTS)
def test_disk_full_for_real(name: str) -> None:
    Path(name).symlink_to("/dev/full")
    for length in (1, 1_000_000):
        with pytest.raises(OutputError, match=f"{name} cannot be written: the disk is full"):
            write_table(pa.table({"text": ["a" * length]}), Path(name))
    assert listing() == [name]
    assert Path("/dev/full").is_char_device()


def test_an_input_that_changed() -> None:
    Path("in.jsonl").write_text('{"text": "a"}\n')
    for picks in (mask(1, 1), mask()):
        for name in ("o.jsonl", "o.csv"):
            with pytest.raises(InputError, match="changed while it was read"):
                write_rows(open_paths(["in.jsonl"]), {Path(name): picks})
    assert listing() == ["in.jsonl"]


def test_a_link_is_written_through() -> None:
    Path("sub").mkdir()
    Path("o.csv").symlink_to("sub/real.csv")
    write_table(pa.table({"a": [1]}), Path("o.csv"))
    assert Path("o.csv").is_symlink()
    assert Path("sub/real.csv").read_text() == '"a"\n1\n'


# A format from outside the package


class CountWriter:
    """Writes how many rows there are."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        assert path.suffix == ".count"
        assert schema.names == ["text"]
        self._file = file
        self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self._rows += batch.num_rows

    def close(self) -> None:
        self._file.write(str(self._rows).encode())

    def discard(self) -> None:
        pass


def test_a_new_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_FORMATS", list(formats._FORMATS))
    formats.register(formats.OutputFormat("count", (".count",), CountWriter))
    table = pa.table({"text": ["a", "b"]})
    check_outputs({"output": Path("rows.count")}, [], force=False)
    write_table(table, Path("rows.count"))
    assert Path("rows.count").read_text() == "2"
    with pytest.raises(ValueError, match=r"the suffix \.count is that of another format"):
        formats.register(formats.OutputFormat("other", (".count",), CountWriter))
    with pytest.raises(OutputError, match=r"choose \.parquet, .*\.tsv or \.count \(all but parquet also with \.gz or"):
        check_outputs({"output": Path("rows.doc")}, [], force=False)
