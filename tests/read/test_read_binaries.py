"""Files that are neither text nor a table: named, with what to do instead."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import py_compile
import random
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pytest
from support.read_tables import jsonl, parquet_bytes, put, refused, texts_of

from lookalike.read import open_paths
from lookalike.read.binaries import is_unlike_text, recognise


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def zipped(*names: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name in names:
            archive.writestr(name, b"application/epub+zip" if name == "mimetype" else b"x" * 100)
    return sink.getvalue()


def tarred() -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return sink.getvalue()


def saved_arrays() -> bytes:
    sink = io.BytesIO()
    np.savez(sink, a=np.ones(3))
    return sink.getvalue()


def compiled() -> bytes:
    Path("m.py").write_text("a = 1\n")
    py_compile.compile("m.py", cfile="m.pyc", doraise=True)
    return Path("m.pyc").read_bytes()


def database() -> bytes:
    with closing(sqlite3.connect("made.db")) as connection:
        connection.execute("create table t (a)")
    return Path("made.db").read_bytes()


def arrow_file() -> bytes:
    pyarrow.feather.write_feather(pa.table({"text": ["a"]}), "made.feather")
    return Path("made.feather").read_bytes()


def orc_file() -> bytes:
    pyarrow.orc.write_table(pa.table({"text": ["a"]}), "made.orc")
    return Path("made.orc").read_bytes()


OFFICE = ("[Content_Types].xml", "_rels/.rels")
MADE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a.xlsx": (lambda: zipped(*OFFICE, "xl/workbook.xml"), "an Excel workbook; save the sheet as CSV"),
    "export": (lambda: zipped(*OFFICE, "xl/workbook.xml"), "an Excel workbook; save the sheet as CSV"),
    "old.xls": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an Excel workbook"),
    "a.docx": (lambda: zipped(*OFFICE, "word/document.xml"), "a Word document; extract its text first"),
    "a.epub": (lambda: zipped("mimetype", "a.xhtml"), "an e-book"),
    "a.zip": (lambda: zipped("a.csv"), "a zip archive; unpack it, and pass the files in it"),
    "a.csv": (lambda: zipped("a.csv"), "a zip archive; unpack it"),
    "a.npz": (saved_arrays, "an archive, as numpy.savez makes; save one of its arrays with numpy.save"),
    "b": (saved_arrays, "an archive, as numpy.savez makes"),
    "a.tar": (tarred, "a tar archive"),
    "a.tar.gz": (lambda: gzip.compress(tarred()), "a tar archive"),
    "a.tgz": (lambda: gzip.compress(tarred()), "a tar archive"),
    "a.tar.bz2": (lambda: bz2.compress(tarred()), "a tar archive"),
    "a.txz": (lambda: lzma.compress(tarred()), "a tar archive"),
    "a.pdf": (lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document; extract its text first"),
    "a.db": (database, "a SQLite database; export a table"),
    "a.jsonl": (database, "a SQLite database"),
    "a.parquet": (database, "a SQLite database"),
    "a.feather": (arrow_file, "an Arrow file; read it with pyarrow.feather.read_table and pass the table"),
    "a.orc": (orc_file, "an ORC file"),
    "a.pkl": (lambda: pickle.dumps({"a": 1}), "a pickle; load it with pandas.read_pickle"),
    "a.pyc": (compiled, "a compiled Python module; pass the .py file"),
    "a.png": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(20), "a picture; only texts, tables and arrays are read"),
    "photo": (lambda: b"\xff\xd8\xff\xe0\0\x10JFIF", "a picture"),
    "a.mp3": (lambda: b"ID3\x03" + bytes(20), "a sound or a film"),
    "prog": (lambda: b"\x7fELF\x02\x01\x01" + bytes(60), "a program or library"),
    "a.dat": (lambda: random.Random(1).randbytes(3000), "binary data; only texts, tables and arrays are read"),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_it_is_named(here: Path, name: str, errors: str) -> None:
    make, says = MADE[name]
    put(here / name, make())
    assert refused(name, encoding_errors=errors).startswith(f"{name} is {says}")


def test_standard_input_and_lines_are_checked_too(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(here / "a.txt", zipped("a.csv"))
    assert refused("a.txt", lines=True).startswith("a.txt is a zip archive")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(zipped("a.csv"))))
    assert refused("-").startswith("stdin is a zip archive")


@pytest.mark.parametrize(
    "text",
    [
        "PK was here",
        "BM of a text",
        "MZ",
        "BZh of a text that is not compressed",
        "ID3 tags are nice",
        "OTTO was a king",
        "GIF8 is no picture",
        "ORC and elf",
        "a\r\nb\r\n",
        "\0 and \x01 are characters, too \x02\x03\x04\x05",
        "é" * 40_000,
    ],
)
def test_texts_that_begin_like_something_else(here: Path, text: str) -> None:
    put(here / "a.txt", text.encode())
    assert texts_of(open_paths(["a.txt"])) == [text]


@pytest.mark.parametrize("suffix", [".pt", ".doc", ".db", ".o", ".bmp"])
def test_a_name_alone_makes_no_binary_file(here: Path, suffix: str) -> None:
    put(here / f"a{suffix}", b"plain words")
    assert texts_of(open_paths([f"a{suffix}"])) == ["plain words"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32"])
def test_text_in_another_encoding_is_no_binary_data(encoding: str) -> None:
    head = ("Süße Grüße und schöne Wörter, in einem Satz.\n" * 50).encode(encoding)
    assert not is_unlike_text(head)
    assert recognise(head, ".txt") is None


# The format that is asked for


@pytest.mark.parametrize(
    ("data", "name", "texts"),
    [
        (parquet_bytes(), "parquet", ["a", "b"]),
        (jsonl({"text": "a"}, {"text": "b"}), "jsonl", ["a", "b"]),
        (gzip.compress(jsonl({"text": "a"}, {"text": "b"}), mtime=0), "jsonl", ["a", "b"]),
        (b"text\na\nb\n", "csv", ["a", "b"]),
        (b"n\ttext\n1\ta\n2\tb\n", "tsv", ["a", "b"]),
        (b"a\nb\n", "text", ["a\nb\n"]),
        (b"a\nb\n", "lines", ["a", "b"]),
    ],
)
def test_a_format_for_names_that_do_not_tell(
    here: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, name: str, texts: list[str]
) -> None:
    put(here / "part-0", data)
    put(here / "part.dat", data)
    assert texts_of(open_paths(["part-0"], format=name, text="text")) == texts
    assert texts_of(open_paths(["part.dat"], format=name, text="text")) == texts
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert texts_of(open_paths(["-"], format=name, text="text")) == texts


def test_an_array_without_a_suffix(here: Path) -> None:
    np.save(here / "a.npy", np.eye(3))
    (here / "a.npy").rename(here / "a")
    assert open_paths(["a"]).kind == open_paths(["a"], format="npy").kind == "vectors"


def test_a_format_that_must_not_be_compressed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(parquet_bytes())
    for name in ("a.parquet", "a.parquet.gz", "a.gz", "a"):
        put(here / name, data)
        assert refused(name) == f"{name}: a parquet file must not be compressed as a whole; decompress it first"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert "decompress it first" in refused("-")


def test_a_format_that_the_file_does_not_have(here: Path) -> None:
    put(here / "a.dat", parquet_bytes())
    assert refused("a.dat", format="csv") == "a.dat is a parquet file, not csv; read it with `format='parquet'`"
    put(here / "a.csv", parquet_bytes())
    assert refused("a.csv") == "a.csv is a parquet file, not csv; read it with `format='parquet'`"
    assert texts_of(open_paths(["a.csv"], format="parquet")) == ["a", "b"]
    put(here / "a.jsonl", jsonl({"text": "x"}))
    assert "cannot be read" in refused("a.jsonl", format="parquet")
