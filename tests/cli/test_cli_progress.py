"""What a command shows where it writes to a log, and how it accounts for its time."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path

import pytest
from support.run_cli import done, process, quiet_environment

from lookalike.cli.progress import Lines

LINE = b'{"text": "a b c d e f", "n": 1}\n'
STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d "


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(2 * LINE)
    return tmp_path


def written(lines: Lines, file: io.StringIO, count: int) -> list[str]:
    """Return the lines of a log, as soon as there are so many."""
    lines.start()
    deadline = time.monotonic() + 60
    while file.getvalue().count("\n") < count and time.monotonic() < deadline:
        time.sleep(0.001)
    lines.stop()
    return file.getvalue().splitlines()


def test_a_log_has_a_line_per_stage() -> None:
    file = io.StringIO()
    lines = Lines(file, short=0)
    lines.begin("sign", 1000)
    lines.advance(500)
    lines.advance(484)
    lines.end(1.26)
    lines.begin("cluster", None)
    lines.end(0.02)
    sign, cluster = file.getvalue().splitlines()
    assert re.fullmatch(STAMP + r"sign: 984 items in 1\.3 s", sign)
    assert re.fullmatch(STAMP + r"cluster: 0\.0 s", cluster)


def test_a_long_stage_is_mentioned_now_and_then() -> None:
    file = io.StringIO()
    lines = Lines(file, interval=0.001, short=0)
    lines.begin("sign", 20_000)
    lines.advance(12_345)
    for line in written(lines, file, 2):
        assert re.fullmatch(STAMP + r"sign: 12,345 of 20,000 items, [\d,]+ per second, 0 s so far", line)
    nothing = io.StringIO()
    unknown = Lines(nothing, interval=0.001, short=0)
    unknown.begin("filter", None)
    assert re.fullmatch(STAMP + r"filter: 0 s so far", written(unknown, nothing, 1)[0])


def test_the_log_of_a_short_command_is_its_summary() -> None:
    file = io.StringIO()
    lines = Lines(file, short=3600)
    lines.begin("sign", 2)
    lines.end(0.1)
    assert file.getvalue() == ""
    lines._hold_until = 0  # time has passed
    lines.begin("compare", 2)
    lines.end(0.1)
    assert [line.split()[2] for line in file.getvalue().splitlines()] == ["sign:", "compare:"]


def test_a_log_is_plain_lines_of_any_length() -> None:
    name = f"{'long' * 30}.jsonl"
    outcome = done("dedup", "a.jsonl", "-o", name)
    lines = outcome.err.splitlines()
    assert f"wrote      {name}" in lines
    assert max(map(len, lines)) > 100
    assert all(line == line.rstrip() for line in lines)
    assert "\x1b" not in outcome.err
    Path("b.jsonl").write_bytes(b'{"text": ""}\n{"text": "one"}\n{"text": "two"}\n')
    (note,) = [line for line in done("pairs", "b.jsonl").err.splitlines() if line.startswith("Note: 100%")]
    assert len(note) > 80


@pytest.mark.slow
@pytest.mark.parametrize("command", ["dedup", "pairs", "nearest"])
def test_the_stages_account_for_the_time(command: str) -> None:
    Path("many.jsonl").write_text("".join(json.dumps({"text": f"a b c d e f g {i} h i j"}) + "\n" for i in range(9000)))
    for name in ("a.jsonl", "many.jsonl"):
        begin = time.perf_counter()
        ended = process(command, name, "--json", env=quiet_environment())
        wall = time.perf_counter() - begin
        seconds = json.loads(ended.stdout)["seconds"]
        total, other = seconds.pop("total"), seconds.pop("other")
        assert {"start", "open", "read", "sign", "compile", "write"} <= set(seconds)
        assert sum(seconds.values()) + other == pytest.approx(total, rel=0.01)
        assert other < 0.1 * total
        assert 0.8 * wall < total < wall
