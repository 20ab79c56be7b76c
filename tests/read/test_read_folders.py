"""Reading folders and globs: all that is there, or a sentence about what is not read."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.read_tables import compress, jsonl, names_of, parquet_bytes, put, refused, texts_of

from lookalike.errors import InputError, RecipeError
from lookalike.read import open_paths, open_source, read_items

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(*names: str, folder: str = "d") -> None:
    """Write small files: texts, or tables if their names say so."""
    for name in names:
        data = {".csv": b"text\nt\n", ".jsonl": jsonl({"text": "j"}), ".png": PICTURE}
        put(Path(folder, name), data.get(Path(name).suffix, name.encode()))


def read(*paths: str, **options: Any) -> list[str]:
    """Return the names of the items."""
    return [name.removeprefix("d/") for name in names_of(open_paths(paths, **options))]


def passed_over(*paths: str, **options: Any) -> str:
    return open_paths(paths, **options).listing.passed_over.note()


# What a folder holds


@pytest.mark.parametrize("stray", ["x.csv", "sub/x.jsonl", "x.json"])
def test_texts_and_a_stray_table_are_refused(stray: str) -> None:
    fill("a.txt", "b.md", stray)
    ending = Path(stray).suffix
    assert refused("d") == (
        f"d holds 1 table (*{ending}) and 2 texts (*.txt, *.md), which are not read together; for the tables, use "
        f"`include='*{ending}'`; for the texts, `exclude='*{ending}'`"
    )
    if ending != ".json":
        assert len(read("d", include=f"*{ending}")) == 1
    assert read("d", exclude=f"*{ending}") == ["a.txt", "b.md"]


def test_tables_of_several_formats_are_read_together() -> None:
    fill("a.csv", "b.jsonl")
    put(Path("d/c"), parquet_bytes())
    assert texts_of(open_paths(["d"])) == ["t", "j", "a", "b"]


def test_what_describes_tables_is_passed_over_and_counted() -> None:
    fill("a.csv", "README.md", "LICENSE", "a.csv.sha256", "_SUCCESS", ".a.csv.crc", "_delta_log/0.json")
    assert read("d") == ["a.csv:1"]
    assert passed_over("d") == (
        "passed over 5 files and 1 folder: 1 LICENSE, 1 README.md, 1 a.csv.sha256, 1 hidden, 1 marker, 1 marker folder"
    )


def test_among_texts_a_description_is_a_text() -> None:
    fill("a.txt", "README.md")
    assert read("d") == ["README.md", "a.txt"]
    assert passed_over("d") == ""


def test_binary_files_and_hidden_ones_are_passed_over_and_counted() -> None:
    fill("a.txt", "b.png", "c.png", ".hidden", ".git/config", "sub/.cache/x")
    put(Path("d/__pycache__/a.cpython-311.pyc"), b"\xa7\r\r\n" + bytes(60))
    put(Path("d/blob"), bytes(range(256)) * 4)
    assert read("d") == ["a.txt"]
    assert passed_over("d") == "passed over 5 files and 2 folders: 2 .png, 2 hidden folders, 1 .pyc, 1 binary, 1 hidden"
    assert read_items("d").passed_over == {"hidden": 1, "hidden folder": 2, ".pyc": 1, ".png": 2, "binary": 1}


def test_a_folder_with_nothing_to_read() -> None:
    fill("b.png")
    assert refused("d").startswith("d holds nothing that can be read: d/b.png is a picture; only texts, tables and")
    fill(".hidden", folder="e")
    assert refused("e") == "e is a directory without files to read; passed over 1 file: 1 hidden"


def test_a_folder_in_one_format() -> None:
    fill("a.csv", "b.txt")
    put(Path("d/part-0"), jsonl({"text": "x"}))
    assert read("d", lines=True) == ["a.csv:1", "a.csv:2", "b.txt:1", "part-0:1"]
    assert read("d", format="text") == ["a.csv", "b.txt", "part-0"]
    fill("part-1.jsonl", folder="e")
    put(Path("e/part-0"), jsonl({"text": "x"}))
    assert texts_of(open_paths(["e"], format="jsonl")) == ["x", "j"]


# Patterns


TREE = ("a.txt", "a.md", "sub/b.txt", "sub/deep/c.txt", "sub/deep/c.md", ".h.txt", ".hide/d.txt")


@pytest.mark.parametrize(
    ("include", "names"),
    [
        ("*.txt", ["a.txt", "sub/b.txt", "sub/deep/c.txt"]),
        ("/*.txt", ["a.txt"]),
        ("./*.txt", ["a.txt"]),
        ("sub/*.txt", ["sub/b.txt"]),
        ("sub/**", ["sub/b.txt", "sub/deep/c.md", "sub/deep/c.txt"]),
        ("sub/**/*.txt", ["sub/b.txt", "sub/deep/c.txt"]),
        ("**/deep/*", ["sub/deep/c.md", "sub/deep/c.txt"]),
        ("deep", ["sub/deep/c.md", "sub/deep/c.txt"]),
        ("deep/", ["sub/deep/c.md", "sub/deep/c.txt"]),
        ("[bc].txt", ["sub/b.txt", "sub/deep/c.txt"]),
        ("?.md", ["a.md", "sub/deep/c.md"]),
        (["a.*", "c.md"], ["a.md", "a.txt", "sub/deep/c.md"]),
        (".*.txt", [".h.txt"]),
        (".hide/*", [".hide/d.txt"]),
        (".hide", [".hide/d.txt"]),
    ],
)
def test_include(include: Any, names: list[str]) -> None:
    fill(*TREE)
    assert read("d", include=include) == names


@pytest.mark.parametrize(
    ("exclude", "names"),
    [
        ("*.txt", ["a.md", "sub/deep/c.md"]),
        ("deep", ["a.md", "a.txt", "sub/b.txt"]),
        ("sub/", ["a.md", "a.txt"]),
        ("a.txt/", ["a.md", "a.txt", "sub/b.txt", "sub/deep/c.md", "sub/deep/c.txt"]),
        (["sub/**/*.md", "a.*"], ["sub/b.txt", "sub/deep/c.txt"]),
    ],
)
def test_exclude(exclude: Any, names: list[str]) -> None:
    fill(*TREE)
    assert read("d", exclude=exclude) == names


def test_exclude_wins_and_what_patterns_leave_out_is_counted() -> None:
    fill(*TREE)
    assert read("d", include="*.txt", exclude="deep") == ["a.txt", "sub/b.txt"]
    assert passed_over("d", include="*.txt", exclude="deep") == (
        "passed over 2 files and 2 folders: 1 excluded folder, 1 hidden, 1 hidden folder, 1 not included"
    )


def test_patterns_choose_among_matches_of_globs_but_not_among_named_files() -> None:
    fill(*TREE)
    assert read("d/**/*.*", include="*.md") == ["a.md", "sub/deep/c.md"]
    assert read("d/**/*.*", exclude="sub/deep") == ["a.md", "a.txt", "sub/b.txt"]
    assert read("d/*", exclude="*.md") == ["a.txt", "sub/b.txt", "sub/deep/c.txt"]
    assert read("d/a.md", "d/sub", exclude="*.md") == ["a.md", "sub/b.txt", "sub/deep/c.txt"]
    with pytest.raises(RecipeError, match="`exclude` chooses among the files of folders and of quoted globs"):
        open_paths(["d/a.md", "d/a.txt"], exclude="*.md")


def test_a_pattern_that_matches_nothing() -> None:
    fill(*TREE)
    assert refused("d", include=["*.txt", "*.jsonl"]) == (
        "`include` '*.jsonl' matches nothing in d, which holds 3 .txt, 2 .md; check the pattern"
    )
    assert open_paths(["d"], exclude="*.jsonl").listing.notes == ["`exclude` '*.jsonl' matched nothing"]
    assert "there is nothing to read; passed over" in refused("d", include="*.txt", exclude="*.txt")


@pytest.mark.parametrize("pattern", ["", "/", "../x", "a/../b", 7, [7]])
def test_what_is_no_pattern(pattern: Any) -> None:
    fill("a.txt")
    with pytest.raises(RecipeError, match="`include` must"):
        open_paths(["d"], include=pattern)


# Links, and what is no file


def test_a_loop_of_links_ends(here: Path) -> None:
    fill("a.txt", "sub/b.txt")
    for name in ("d/self", "d/sub/up", "d/sub/top"):
        (here / name).symlink_to(here / "d" / ("sub" if name.endswith("up") else ""))
    (here / "d/out").symlink_to(here)
    for given in ("d", "d/**/*.txt", "**/*.txt", "d/**"):
        assert read(given) == ["a.txt", "sub/b.txt"], given
    assert passed_over("d") == "passed over 4 folders: 3 links to a known folder, 1 link to a higher folder"
    assert "3 links" in passed_over("d/**/*.txt")


def test_links_are_followed_and_each_real_file_is_read_once(here: Path) -> None:
    fill("a.txt", "sub/b.txt")
    fill("c.txt", "e/f.txt", folder="other")
    (here / "d/link.txt").symlink_to("a.txt")
    (here / "d/c1.txt").symlink_to(here / "other/c.txt")
    (here / "d/c2.txt").symlink_to(here / "other/c.txt")
    (here / "d/inner").symlink_to(here / "other/e")
    (here / "d/outer").symlink_to(here / "other")
    assert read("d") == ["a.txt", "inner/f.txt", "outer/c.txt", "sub/b.txt"]
    assert passed_over("d") == "passed over 3 files and 1 folder: 3 links to a file read, 1 link to a known folder"
    assert read("d/a.txt", "d/link.txt") == ["a.txt", "link.txt"]


def test_links_between_inputs_and_matches_of_globs(here: Path) -> None:
    fill("a.txt", "sub/b.txt")
    fill("c.txt", folder="other")
    (here / "d/link").symlink_to(here / "other")
    (here / "d/self").symlink_to(here / "d")
    (here / "d/z.txt").symlink_to("a.txt")
    assert read("d", "other") == ["a.txt", "sub/b.txt", "other/c.txt"]
    assert read("d/*") == ["a.txt", "link/c.txt", "sub/b.txt"]
    assert read("d/*/*.txt", "other/*") == ["self/a.txt", "sub/b.txt", "other/c.txt"]
    assert passed_over("d/*.txt") == "passed over 1 file: 1 link to a file read"


def test_hard_links_are_files_of_their_own() -> None:
    fill("a.txt")
    os.link("d/a.txt", "d/b.txt")
    assert read("d") == ["a.txt", "b.txt"]


def test_a_broken_link_is_named(here: Path) -> None:
    fill("a.txt")
    (here / "d/b.txt").symlink_to("gone")
    (here / "d/.#lock").symlink_to("nobody")
    assert refused("d").startswith("d/b.txt is a link to 'gone', which cannot be read (No such file or directory)")
    assert "d/b.txt is a link to 'gone'" in refused("d/**/*.txt")
    assert read("d", exclude="b.txt") == ["a.txt"]
    (here / "d/b.txt").unlink()
    (here / "d/b.txt").symlink_to("b.txt")
    assert "d/b.txt is a link to 'b.txt'" in refused("d")


def test_sockets_and_pipes_are_named_and_never_opened(here: Path) -> None:
    fill("a.txt")
    os.mkfifo("d/pipe")
    (here / "d/to-null").symlink_to(os.devnull)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("d/sock")
    try:
        assert refused("d/sock").startswith("d/sock is a socket, which cannot be read")
        assert read("d") == ["a.txt"]
        assert passed_over("d") == ("passed over 3 files: 1 FIFO (d/pipe), 1 device (d/to-null), 1 socket (d/sock)")
    finally:
        listener.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_folder_is_named(here: Path) -> None:
    fill("a.txt", "closed/b.txt")
    (here / "d/closed").chmod(0)
    assert refused("d") == "d/closed: no permission to read it; check its owner and mode"
    assert read("d", exclude="closed") == ["a.txt"]
    (here / "d/closed").chmod(0o755)


# Given twice


def test_a_file_given_twice_is_refused_with_both_ways() -> None:
    fill("a.txt", "b.txt")
    assert refused(["d/a.txt", "d/*.txt"]) == (
        "d/a.txt is given twice, as d/a.txt and as d/*.txt; give every file once"
    )
    assert refused(["d", "d/a.txt"]) == "d/a.txt is given twice, as d and as d/a.txt; give every file once"
    assert refused(["d/a.txt", "d/a.txt"]) == "d/a.txt is given twice; give every file once"


def test_a_glob_that_matches_a_folder_and_its_files_reads_each_once() -> None:
    fill("x.txt/a.txt", "x.txt/b.txt")
    assert read("d/**/*.txt") == ["x.txt/a.txt", "x.txt/b.txt"]
    assert read("d/**") == ["x.txt/a.txt", "x.txt/b.txt"]


# The order and the names of compressed files


@pytest.mark.parametrize("ending", [".bz2", ".xz", ".lz4", ".gz", ".zst"])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("name", "data"),
    [("a.jsonl", jsonl({"text": "x"}, {"text": "y"})), ("a.csv", b"text,n\nx,1\ny,2\n"), ("a.txt", b"x\ny\n")],
)
def test_compressed_files_by_name_and_by_content(here: Path, ending: str, named: bool, name: str, data: bytes) -> None:
    file, lines = name + ending * named, name == "a.txt"
    put(here / file, compress(data, ending))
    assert texts_of(open_paths([file], lines=lines)) == ["x", "y"]
    put(here / file, compress(data, ending) + compress(data.removeprefix(b"text,n\n"), ending))
    assert texts_of(open_paths([file], lines=lines)) == ["x", "y"] * 2
    noise = b"".join(os.urandom(40).hex().encode() + b"\n" for _ in range(5000))
    put(here / file, compress(b"text\n" + noise, ending)[:-100])
    assert f"{file} cannot be read" in refused(file, lines=lines)


# Types of columns


def test_a_column_of_numbers_and_strings_is_noted(here: Path) -> None:
    put(here / "a.jsonl", jsonl({"text": "x", "n": 1, "m": 1}))
    put(here / "b.csv", b"text,n\ny,1\n")
    put(here / "c.jsonl", jsonl({"text": "z", "n": 2, "m": 1.5}))
    source = open_paths(["a.jsonl", "b.csv", "c.jsonl"])
    assert list(source.conversions(rows=True)) == [
        "column 'n' is int64 in a.jsonl, but string in b.csv: it is read as strings"
    ]
    assert not list(source.conversions(rows=False))
    with_ids = open_paths(["a.jsonl", "b.csv", "c.jsonl"], id="n")
    assert list(with_ids.conversions(rows=False)) == list(source.conversions(rows=True))
    assert not list(open_paths(["a.jsonl", "c.jsonl"]).conversions(rows=True))
    assert not list(open_source(pa.table({"text": ["a"]})).conversions(rows=True))


def test_a_long_table_keeps_what_was_passed_over() -> None:
    put(Path("d/a.csv"), b"who,what\na,1\na,2\nb,1\n")
    fill(".hidden")
    assert open_source("d", item="who", element="what").listing.passed_over.note() == "passed over 1 file: 1 hidden"


def test_a_list_of_globs_with_a_loop_ends(here: Path) -> None:
    fill("a.csv")
    for name in "xyz":
        (here / "d" / name).symlink_to(here / "d")
    assert texts_of(open_source(["d/**/*.csv"])) == ["t"]
    with pytest.raises(InputError, match="no such file"):
        open_source(["d/**/*.csv", "gone.csv"])
