"""Messages at the edge: options are named by their flags on the command line, and in backticks below it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.run_cli import run

from lookalike import RecipeError, find_pairs
from lookalike.cli.flags import with_flags

FLAGS = {
    "threshold": "--threshold",
    "encoding_errors": "--encoding-errors",
    "lower": "--lower",
    "k": "-k",
    "of": "--of",
}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`threshold` must be in (0, 1]. Got 80", "--threshold must be in (0, 1]. Got 80"),
        ("`lower` and `encoding_errors`", "--lower and --encoding-errors"),
        ("`k` must be 1", "-k must be 1"),
        ("set `encoding_errors='replace'`", "set --encoding-errors replace"),
        ('set `encoding_errors="replace"`', "set --encoding-errors replace"),
        ("set `lower=True`", "set --lower"),
        ("`of='sets'` or `of='bits'`", "--of sets or --of bits"),
        ("`--threshold` stays a flag", "--threshold stays a flag"),
        ("`to_json` and `containment` stay", "`to_json` and `containment` stay"),
        ("threshold, 'threshold' and `thresholds` stay", "threshold, 'threshold' and `thresholds` stay"),
        ("`thresh` old `", "`thresh` old `"),
        ("no column 'a`threshold' here", "no column 'a`threshold' here"),
        ("", ""),
    ],
)
def test_names_become_flags(message: str, shown: str) -> None:
    assert with_flags(message, FLAGS) == shown


def test_one_message_two_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("a b c")
    with pytest.raises(RecipeError, match=r"^`threshold` must be in \(0, 1\]. Got 80"):
        find_pairs(["a"], threshold=80)
    for command in ("pairs", "dedup", "nearest", "tune"):
        outcome = run(command, "a.txt", "--threshold", "80", "--lines")
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err == "lookalike: --threshold must be in (0, 1]. Got 80; did you mean 0.80?\n"


def test_only_options_of_the_command_are_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure is not an option, whatever its name."""
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "a b c"}\n')
    outcome = run("pairs", "a.jsonl", "--measure", "overlap", "--bands", "2", "--rows", "2")
    assert outcome.err.startswith("lookalike: `overlap` ")
    assert "--bands and --rows" in outcome.err
    outcome = run("compare", "a.jsonl", "a.jsonl", "--shingle", "elements")
    assert "Set --shingle to words:5" in outcome.err
