"""lookalike trace: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.index_commands import write_lines
from support.run_cli import done, run

from lookalike import trace

TEXTS = {"one": "the cat sat on the mat", "two": "the cat sat on the hat", "dog": "a dog"}
COMMAND = ("trace", "few.jsonl", "--id", "id", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_lines("few.jsonl", [{"id": name, "text": text} for name, text in TEXTS.items()])
    return tmp_path


def test_an_overview_is_printed() -> None:
    out = done(*COMMAND, "--shingle", "words:2", "--threshold", "0.5", "--bands", "4", "--rows", "1").out
    assert out == f"{trace(TEXTS, shingle='words:2', threshold=0.5, bands=4, rows=1)!r}\n"
    assert "1 candidate in 2 buckets: 1 pair" in out


def test_the_parts_asked_for_are_printed() -> None:
    shown = ("--show", "steps", "--show", "buckets")
    out = done(
        *COMMAND, "--shingle", "words:1", "--hash", "x+1 mod 7", "--hash", "2x mod 7", "--first-row", "1", *shown
    )
    found = trace(TEXTS, shingle="words:1", hash_functions=["x+1 mod 7", "2x mod 7"], first_row=1)
    assert out.out == f"{found.steps!r}\n\n{found.buckets!r}\n"


def test_all_parts_are_printed_as_json() -> None:
    told = json.loads(done(*COMMAND, "--shingle", "words:2", "--bands", "5", "--rows", "2", "--json").out)
    found = trace(TEXTS, shingle="words:2", bands=5, rows=2)
    assert told == json.loads(json.dumps(found.to_dict()))
    assert told["bands"]["values"] == found.bands.values.tolist()
    assert told["shingles"][2] == [["a dog", 1]]


@pytest.mark.slow
def test_the_curve_is_drawn() -> None:
    done(*COMMAND, "--plot", "curve.svg")
    assert Path("curve.svg").read_text().count("<svg") == 1
    assert "--force" in run(*COMMAND, "--plot", "curve.svg").err
    done(*COMMAND, "--plot", "curve.svg", "--force")


def test_control_characters_are_replaced() -> None:
    write_lines("few.jsonl", [{"id": "a\x1b[31m\n", "text": "x y"}])
    out = done(*COMMAND).out
    assert "a\N{REPLACEMENT CHARACTER}[31m⏎" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hash", "x plus 1"), "--hash must be functions, or formulas such as '3x + 1 mod 5'. Got 'x plus 1'"),
        (("--show", "steps"), "--show steps is for signatures that are made with --hash. Leave it out"),
        (("--plot", "curve.txt"), "choose .svg, .png or .pdf as its ending"),
        (("--recall", "1"), "--recall 1"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    outcome = run(*COMMAND, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_slots_of_vectors_have_no_elements() -> None:
    np.save("v.npy", np.eye(3))
    outcome = run("trace", "v.npy", "--show", "firsts", "--quiet")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--show firsts is for sets" in outcome.err
