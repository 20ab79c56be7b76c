"""Reading input that is damaged, missing or mislabelled: one clear sentence."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.read_tables import (
    TABLE,
    TEXTS,
    compress,
    jsonl,
    names_of,
    parquet_bytes,
    put,
    refused,
    rows_of,
    texts_of,
)

from lookalike.errors import InputError
from lookalike.read import Batch, open_paths


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
            f"{name}, {place}: the text is not valid UTF-8; name the `encoding` of the file if it has another one, or "
            "use `encoding_errors` replace to insert U+FFFD instead"
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
    put(here / "c.json", b'{\n  "splits": {"train": 7}\n}\n')
    assert refused("c.json").startswith("c.json is JSON over several lines; make it JSON Lines first")
    put(here / "b.json", b'{"text": "a"}\n')
    assert texts_of(open_paths(["b.json"])) == ["a"]


def test_parquet_by_another_name(here: Path) -> None:
    put(here / "data.bin", parquet_bytes())
    assert texts_of(open_paths(["data.bin"])) == ["a", "b"]
    assert "`lines`" in refused("data.bin", lines=True)


def test_parquet_without_rows() -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), "a.parquet")
    source = open_paths(["a.parquet"])
    assert list(source.batches()) == []
    assert source.default_ids(np.array([], dtype=np.int64)).to_pylist() == []


def test_a_batch_has_a_length() -> None:
    assert len(Batch(0, pa.array(["a", "b"]), None, None)) == 2


def test_a_file_name_that_is_not_utf8() -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    put(Path(name), jsonl({"text": "x"}))
    assert names_of(open_paths([name])) == ["caf\ufffd.jsonl:1"]
    pq.write_table(TABLE, "a.parquet")
    Path("a.parquet").rename(os.fsdecode(b"caf\xe9.parquet"))
    assert texts_of(open_paths([os.fsdecode(b"caf\xe9.parquet")])) == TEXTS


def test_a_key_that_is_not_utf8(here: Path) -> None:
    put(here / "a.jsonl", b'{"text":"x"}\n\n{"text":"y","k\xff":1,"m":{"\xfe":[2]}}\n')
    source = open_paths(["a.jsonl"])
    assert texts_of(source) == ["x", "y"]
    with pytest.raises(InputError, match=r"a\.jsonl, line 3: the key 'k.' is not valid UTF-8; name the `encoding`"):
        rows_of(source)
    replaced = open_paths(["a.jsonl"], encoding_errors="replace")
    assert rows_of(replaced)[1] == {"text": "y", "k\ufffd": 1, "m": {"\ufffd": [2]}}


def test_a_key_in_a_key_that_is_not_utf8(here: Path) -> None:
    put(here / "a.jsonl", b'{"text":"y","m":{"\xfe":[2]}}\n')
    assert rows_of(open_paths(["a.jsonl"], encoding_errors="replace")) == [{"text": "y", "m": {"\ufffd": [2]}}]
    with pytest.raises(InputError, match=r"a\.jsonl, line 1: the column 'm' is not valid UTF-8"):
        rows_of(open_paths(["a.jsonl"]))


HEADER = b"\x93NUMPY\x01\x00\x40\x00"


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"[:-3],
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}\\",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': ((((((((((",
        b"{'descr': lambda: 0, 'fortran_order': False, 'shape': (3, 2)",
        b"{'descr': 'bogus', 'fortran_order': False, 'shape': (3, 2)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (9**9**9,)}",
        b"{'descr': '<f8', 'fortran_order': 0, 'shape': (99999999, 9999)}",
        b"\xff\xfe\0\0\0",
        b"'''",
    ],
)
def test_a_damaged_header_of_an_array(here: Path, header: bytes) -> None:
    put(here / "a.npy", HEADER + header.ljust(63)[:63] + b"\n" + np.arange(6.0).tobytes())
    assert refused("a.npy").startswith("a.npy cannot be read")


def test_a_parquet_file_that_promises_more_rows(here: Path) -> None:
    written = pq.ParquetWriter(here / "a.parquet", pa.schema([("text", pa.string())]))
    written.write_table(pa.table({"text": ["x"] * 777}))
    written.close()
    whole = (here / "a.parquet").read_bytes()
    count, more = b"\x92\x0c", b"\x94\x0c"  # 777 and 778, as Thrift writes them
    damaged = [whole[:i] + more + whole[i + 2 :] for i in range(len(whole)) if whole.startswith(count, i)]
    footers = [pq.ParquetFile(pa.BufferReader(data)).metadata.num_rows for data in damaged]
    put(here / "b.parquet", damaged[footers.index(778)])
    assert refused("b.parquet") == "b.parquet holds 777 rows, but its footer says 778; it is damaged"


def test_a_damaged_record_of_a_column(here: Path) -> None:
    """pyarrow ends the process when it is asked for such a record."""
    pq.write_table(pa.table({"text": ["x"] * 60}), here / "a.parquet", row_group_size=20)
    whole = (here / "a.parquet").read_bytes()
    optional, required = b"\x25\x02\x18\x04text", b"\x25\x00\x18\x04text"
    assert whole.count(optional) == 1
    put(here / "b.parquet", whole.replace(optional, required))
    assert refused("b.parquet").startswith("b.parquet (as parquet) cannot be read: Definition level histogram size")


# Compressed files of several streams, and of none


STREAMS = [lzma.compress(jsonl({"text": text})) for text in ("a", "b")]


@pytest.mark.parametrize("padding", [0, 4, 4 << 16])
def test_several_streams_of_xz(here: Path, padding: int) -> None:
    put(here / "a.jsonl.xz", b"".join(stream + b"\0" * padding for stream in STREAMS))
    assert texts_of(open_paths(["a.jsonl.xz"])) == ["a", "b"]


@pytest.mark.parametrize(
    "rest",
    [STREAMS[1][:-9], STREAMS[1][:3], b"junk", b"\0" * 3, b"\0\0" + STREAMS[1], STREAMS[1][:20] + b"?" * 40],
)
def test_what_follows_a_stream_of_xz_is_not_dropped(here: Path, rest: bytes) -> None:
    put(here / "a.jsonl.xz", STREAMS[0] + rest)
    message = refused("a.jsonl.xz")
    assert message.startswith("a.jsonl.xz cannot be read: ")
    assert message.endswith("; it may be truncated or damaged")


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".zst", ".lz4", ".xz"])
@pytest.mark.parametrize("inner", ["jsonl", "csv", "txt"])
def test_a_compressed_file_of_no_bytes(here: Path, ending: str, inner: str) -> None:
    put(here / f"a.{inner}{ending}", b"")
    assert refused(f"a.{inner}{ending}") == (
        f"a.{inner}{ending} cannot be read: it is compressed, but empty; it may be truncated or damaged"
    )


@pytest.mark.parametrize("data", [b"hello\n", b"", b"\x93NUM"])
def test_what_is_not_an_array(here: Path, data: bytes) -> None:
    put(here / "a.npy", data)
    put(here / "a.txt", data)
    for name, options in (("a.npy", {}), ("a.txt", {"format": "npy"})):
        assert refused(name, **options).startswith(f"{name} is not a NumPy array file; ")
