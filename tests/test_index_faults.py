"""An index after a crash, on a full disk, with damaged files.

Each test tries some of what can happen. `make test-crash`, or LOOKALIKE_CRASH=20, tries twenty times as much: thousands
of kills, every byte of every file.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import crash
import pytest

from lookalike import Index

MUCH = int(os.environ.get("LOOKALIKE_CRASH", "1"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="what is tested is how other systems do it")


# Killed


class Server:
    """Has children killed, see crash.py."""

    def __init__(self) -> None:
        command = [sys.executable, crash.__file__]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def kill(self, *what: object) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, what)) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    with made.process:
        yield made
        made.process.stdin.close()  # type: ignore[union-attr]


def survived(folder: Path, seed: int, held: crash.Held, acknowledged: int) -> crash.Held:
    """Look at an index after a crash: what was acknowledged is there, of the next step all or nothing."""
    if not folder.exists():
        assert acknowledged < 0
        return {}
    assert Index.check(folder) == []
    states = [held]
    for (_, after), _ in zip(crash.steps(seed, held), range(acknowledged + 1)):  # noqa: B905 - it does not end
        states.append(after)
    with Index.open(folder) as index:
        found = crash.contents(index)
        assert found in states[max(acknowledged, 0) :][:2], f"seed {seed}, {acknowledged} steps were acknowledged"
        assert len(index) == len(found)
        for key in list(found)[:3]:
            assert key in {match.id for match in index.query(found[key], top=None) if match.similarity == 1}
    return found


def test_killed_at_any_moment(tmp_path: Path, server: Server) -> None:
    """Again and again, the same index."""
    rng = random.Random(3)
    held: crash.Held = {}
    for seed in range(20 * MUCH):
        acknowledged = server.kill(tmp_path / "i", seed, rng.random() * 0.5, "-", 0)
        held = survived(tmp_path / "i", seed, held, acknowledged)
    with Index.open(tmp_path / "i") as index:
        index.add([10**9], ["it goes on"])
        assert len(index) == len(held) + 1
    assert Index.check(tmp_path / "i") == []


@pytest.mark.parametrize("point", crash.POINTS)
def test_killed_at_a_certain_moment(tmp_path: Path, server: Server, point: str) -> None:
    """Before and after each thing on which it depends that nothing is lost."""
    rng = random.Random(point)
    held: crash.Held = {}
    for seed in range(4 * MUCH):
        once = point == "rename"  # when the index is made
        folder = tmp_path / (f"{seed}" if once else "i")
        count = (1 if once else rng.randint(1, 12)) * (-1) ** seed
        acknowledged = server.kill(folder, seed, 3, point, count)
        held = survived(folder, seed, {} if once else held, acknowledged)
        assert not once or (acknowledged, folder.exists()) == (-1, count < 0)
