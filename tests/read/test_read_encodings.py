"""Reading files in other encodings than UTF-8."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.run_cli import done, run

from lookalike import InputError, RecipeError, deduplicate, read_items

TEXTS = ["Zoë: café", "naïve", "Ärger €5"]
FILES = {
    "a.csv": "id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(TEXTS)),
    "a.tsv": "id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(TEXTS)),
    "a.jsonl": "".join(f'{{"id": {i}, "text": "{text}"}}\n' for i, text in enumerate(TEXTS)),
    "a.txt": "\n".join(TEXTS),
}


def texts_of(path: Path, encoding: str | None = None) -> list[str]:
    with read_items(path, text=None if path.name == "a.txt" else "text", encoding=encoding) as items:
        return "\n".join(items.to_arrow()["item"].to_pylist()).split("\n")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("encoding", "given"),
    [
        ("utf-8-sig", None),
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-16", "utf-16"),
        ("cp1252", "cp1252"),
        ("utf-8", "utf8"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_encodings(name: str, encoding: str, given: str | None, compressed: bool, tmp_path: Path) -> None:
    data = FILES[name].encode(encoding)
    path = tmp_path / (f"{name}.gz" if compressed else name)
    path.write_bytes(gzip.compress(data) if compressed else data)
    assert texts_of(path, given) == TEXTS


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_lines_and_standard_input(encoding: str, tmp_path: Path) -> None:
    option = [] if encoding == "utf-16" else ["--encoding", encoding]
    path = tmp_path / "a.txt"
    path.write_bytes("café au lait\ncafé au lait\n".encode(encoding))
    assert done("pairs", path, "--lines", *option).out.splitlines()[1:] == [f"{path}:1\t{path}:2\t1.0"]
    table = "id,text\né,the cat sat\nb,the cat sat\n".encode(encoding)
    assert done("pairs", "-", "--id", "id", *option, stdin=table).out.splitlines()[1:] == ["é\tb\t1.0"]


def test_characters_on_the_edge_of_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i}: 😀" + "é" * (i % 97) for i in range(20_000)]
    path.write_text("text\n" + "\n".join(rows) + "\n", encoding="utf-16")
    assert read_items(path, batch_bytes=1 << 16).to_arrow()["item"].to_pylist() == rows


def test_invalid_bytes_are_named_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\ngood\nb\x81d\n")
    with pytest.raises(InputError, match=r"a\.csv, byte 11: not valid cp1252; check `encoding`"):
        read_items(path, encoding="cp1252").to_arrow()
    items = read_items(path, encoding="cp1252", encoding_errors="replace")
    assert items.to_arrow()["item"].to_pylist() == ["good", "b\N{REPLACEMENT CHARACTER}d"]
    path.write_bytes("text\ngood\n".encode("utf-16")[:-1])
    with pytest.raises(InputError, match="byte 20: not valid utf-16"):
        read_items(path).to_arrow()


@pytest.mark.parametrize("name", ["klingon", "rot13", "base64", "", 3])
def test_what_is_not_an_encoding(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\na\n")
    with pytest.raises(RecipeError, match="`encoding` must be an encoding such as"):
        read_items(tmp_path / "a.csv", encoding=name)


def test_an_encoding_that_cannot_be_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\na\n", encoding="utf-16")
    with pytest.raises(InputError, match="begins with the byte order mark of UTF-16-LE, but `encoding` is cp1252"):
        read_items(path, encoding="cp1252")


def test_an_encoding_is_only_for_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    with pytest.raises(RecipeError, match="`encoding` is for text files"):
        read_items(tmp_path / "a.parquet", encoding="cp1252")
    with pytest.raises(RecipeError, match="`encoding` is for files"):
        read_items(["a"], encoding="cp1252")


def test_the_message_for_invalid_utf8_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("text\ncafé\n".encode("latin-1"))
    outcome = run("dedup", tmp_path / "a.csv")
    assert "row 1: the text is not valid UTF-8; name the --encoding of the file if it has another one" in outcome.err


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_replaced_text_is_written_in_all_columns(suffix: str, tmp_path: Path) -> None:
    path, out = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    rows = b'{"name": "caf\xe9", "text": "\xffone"}\n{"name": "b", "text": "two"}\n'
    path.write_bytes(rows if suffix == ".jsonl" else b'name,text\n"caf\xe9","\xffone"\n"b","two"\n')
    deduplicate(path, text="text", encoding_errors="replace").write(out)
    written = out.read_text(encoding="utf-8")
    assert "caf\N{REPLACEMENT CHARACTER}" in written
    assert "\N{REPLACEMENT CHARACTER}one" in written
    assert written.endswith(
        rows.decode("utf-8", "replace").splitlines()[1] + "\n" if suffix == ".jsonl" else '"b","two"\n'
    )


def test_outputs_are_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "café"}\n', encoding="utf-16")
    deduplicate(path).write(tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == '{"text": "café"}\n'.encode()


def test_compare_reads_other_encodings(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("café au lait", encoding="utf-16")
    two.write_text("café au lait", encoding="cp1252")
    assert run("compare", one, two).code == 2
    two.write_text("café au lait", encoding="utf-8")
    assert done("compare", one, two).out.startswith("A pair")


@pytest.mark.parametrize(("encoding", "given"), [("utf-16-le", "utf-16-be"), ("utf-32-be", "utf-32-le")])
def test_an_encoding_in_the_other_byte_order(encoding: str, given: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\ufefftext\na\n".encode(encoding))
    assert texts_of(path, encoding) == ["a"]
    with pytest.raises(InputError, match=f"byte order mark of {encoding.upper()}, but `encoding` is {given}"):
        read_items(path, encoding=given)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_an_encoding_that_needs_a_byte_order_mark(encoding: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name].encode(f"{encoding}-le"))
    with pytest.raises(InputError, match=f"has no byte order mark.*; use {encoding}-le or {encoding}-be"):
        texts_of(path, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "cp037"])
def test_a_table_that_is_one_line_in_the_wrong_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,text\n1,café\n\n".encode("latin-1"))
    with pytest.raises(InputError, match=f"read as {encoding}, it is one line, but its bytes are several; check"):
        read_items(path, encoding=encoding)
