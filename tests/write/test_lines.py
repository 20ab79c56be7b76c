"""Lines in, kept lines out: byte for byte, in order."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.run_cli import done, run

import lookalike
from lookalike.errors import OutputError
from lookalike.read import open_paths
from lookalike.write.outputs import write_rows

MIXED = [b"one\r\n", b"\n", b"  two \t\n", b"three\rfour\n", b"caf\xc3\xa9\n", b"last"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_bytes(b"".join(MIXED))
    return tmp_path


def mask(*picked: int) -> Any:
    return np.array(picked, dtype=np.bool_)


@pytest.mark.parametrize("batch_bytes", [1, 7, 1 << 20])
def test_line_ends_stay(batch_bytes: int) -> None:
    source = open_paths(["in.txt"], lines=True, batch_bytes=batch_bytes)
    write_rows(source, {Path("o.txt"): mask(1, 1, 1, 1, 1, 1), Path("r.log.gz"): mask(1, 0, 0, 1, 1, 0)})
    assert Path("o.txt").read_bytes() == b"".join(MIXED)
    assert gzip.decompress(Path("r.log.gz").read_bytes()) == MIXED[0] + MIXED[3] + MIXED[4]


def test_a_line_without_end_before_another_file() -> None:
    Path("x.txt").write_bytes(b"more")
    source = open_paths(["in.txt", "x.txt"], lines=True)
    write_rows(source, {Path("o.txt"): mask(0, 0, 0, 0, 0, 1, 1), Path("r.txt"): mask(0, 0, 0, 0, 0, 1, 0)})
    assert Path("o.txt").read_bytes() == b"last\nmore"
    assert Path("r.txt").read_bytes() == b"last"


def test_bytes_that_are_no_utf8_are_replaced_if_asked() -> None:
    Path("in.txt").write_bytes(b"b\xffd\r\nok\n")
    write_rows(open_paths(["in.txt"], lines=True, encoding_errors="replace"), {Path("o.txt"): mask(1, 1)})
    assert Path("o.txt").read_bytes() == "b\ufffdd\r\nok\n".encode()


HALVES = [
    rb'{"text": "a \ud83d\ude00 pair", "n": 1}',
    rb'{"text": "a \ud800 half", "n": 2}',
    rb'{"text": "two \ud800\uD83D\uDE00 and \uDFFF\ud83d", "n": 3}',
    rb'{"text": "no escape \\ud800, one \\\ud800", "n": 4}',
    rb'{"text": "elsewhere", "n": 5, "o\udc00": {"x": ["\ud8ab\n"]}}',
]


def test_halves_of_characters_in_escapes_are_replaced_if_asked() -> None:
    Path("in.jsonl").write_bytes(b"\n".join(HALVES) + b"\n")
    done("dedup", "in.jsonl", "--text=text", "--encoding-errors", "replace", "-o", "o.jsonl")
    kept = Path("o.jsonl").read_bytes().splitlines()
    assert kept[0] == HALVES[0]
    assert kept[1] == rb'{"text": "a \ufffd half", "n": 2}'
    assert kept[2] == rb'{"text": "two \ufffd\uD83D\uDE00 and \ufffd\ufffd", "n": 3}'
    assert kept[3] == rb'{"text": "no escape \\ud800, one \\\ufffd", "n": 4}'
    assert kept[4] == rb'{"text": "elsewhere", "n": 5, "o\ufffd": {"x": ["\ufffd\n"]}}'
    done("dedup", "o.jsonl", "--text=text", "-o", "o.csv")
    Path("in.txt").write_bytes(HALVES[1] + b"\n")
    done("dedup", "in.txt", "--lines", "--encoding-errors", "replace", "-o", "o.txt")
    assert Path("o.txt").read_bytes() == HALVES[1] + b"\n"  # no escape there


def test_a_half_of_a_character_is_called_that() -> None:
    Path("in.jsonl").write_bytes(b"\n".join(HALVES))
    assert "in.jsonl, line 2: the column 'text' has an unpaired surrogate (\\ud800), which is not a character;" in (
        run("dedup", "in.jsonl", "--text=text").err
    )
    Path("in.jsonl").write_bytes(HALVES[4])
    assert "the key 'o\ufffd' has an unpaired surrogate (\\udc00)" in run("dedup", "in.jsonl", "-o", "o.csv").err


def test_the_command() -> None:
    Path("in.txt").write_bytes(b"the cat sat on the mat\r\na dog\r\nThe cat sat on the mat!\r\n")
    done("dedup", "in.txt", "--lines", "-o", "o.txt", "--removed", "r.txt")
    assert Path("o.txt").read_bytes() == b"the cat sat on the mat\r\na dog\r\n"
    assert Path("r.txt").read_bytes() == b"The cat sat on the mat!\r\n"


@pytest.mark.parametrize("inputs", [["in.txt"], ["texts"]])
def test_whole_files_are_refused(inputs: list[str]) -> None:
    Path("texts").mkdir()
    Path("texts/a.txt").write_text("a text")
    refused = run("dedup", *inputs, "-o", "o.txt")
    assert refused.code == 2
    assert refused.err == (
        "lookalike: o.txt can only hold lines that are read with --lines, and --output has no such rows; choose "
        ".parquet, .jsonl, .csv or .tsv (all but parquet also with .gz or .zst)\n"
    )
    done("dedup", *inputs, "-o", "o.jsonl")
    assert '"path": ' in Path("o.jsonl").read_text()


def test_texts_in_memory_are_refused() -> None:
    with pytest.raises(OutputError, match=r"o\.txt cannot be written: only lines of files can be"):
        lookalike.deduplicate(["a b c", "d e f"]).write(Path("o.txt"))
