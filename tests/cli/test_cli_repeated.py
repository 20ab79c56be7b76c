"""Options given twice: refused, unless several values mean something."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.run_cli import done, run


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["dedup", "a.jsonl", "-t", "0.8", "-t", "0.7"], "--threshold"),
        (["dedup", "a.jsonl", "--id", "a", "--id=b"], "--id"),
        (["pairs", "a.jsonl", "--lower", "--keep-case"], "--lower"),
        (["pairs", "a.jsonl", "--measure-recall", "--measure-recall", "5"], "--measure-recall"),
        (["nearest", "a.jsonl", "-k", "1", "-k", "2"], "-k"),
        (["compare", "a.jsonl", "a.jsonl", "--seed", "1", "--seed", "1"], "--seed"),
        (["tune", "-t", "0.5", "--threshold", "0.6"], "--threshold"),
        (["index", "build", "i", "a.jsonl", "--fields", "a", "--fields", "b"], "--fields"),
    ],
)
def test_an_option_given_twice_is_refused(
    arguments: list[str], flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "one"}\n')
    outcome = run(*arguments)
    assert outcome.code == 2
    assert f"Invalid value for '{flag}': given more than once" in outcome.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]


def test_switches_and_lists_may_be_repeated(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jsonl").write_text('{"text": "the cat sat"}\n')
    a, b, c = sorted(tmp_path.iterdir())
    assert len(done("pairs", a, "--against", b, "--against", c, "-q", "-q").out.splitlines()) == 3


def test_only_one_text_is_searched_for(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the cat sat"}\n')
    done("index", "build", tmp_path / "i", tmp_path / "a.jsonl")
    outcome = run("index", "query", tmp_path / "i", "--text", "one", "--text", "two")
    assert outcome.code == 2
    assert "--text is given more than once" in outcome.err
