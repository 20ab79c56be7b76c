"""Processes that use two small kernels, where compiled code can be kept in few places or nowhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import lookalike

PROGRAM = """
import json, os, sys, tempfile, warnings
import numpy as np
from numba.core import event

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

tempfile.tempdir = os.environ.get("TMPDIR")  # even if it cannot be written to: there are others
event.register("numba:compile", Compiled())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from lookalike.kernels.lists import gather
    from lookalike.kernels.tokens import is_ascii
    owners, values, gathered = np.array([1, 0, 1]), np.array([5, 6, 7]), np.zeros(3, np.int64)
    if len(sys.argv) > 1:
        sys.stdin.readline()
    gather(owners, values, np.array([0, 1]), gathered)
    plain = bool(is_ascii(np.frombuffer(b"plain", np.uint8)))
from lookalike.kernels.compiled.cache import files
kept = files().folder and str(files().folder.path)
print(json.dumps([[*gathered.tolist(), plain], Compiled.names, kept, [str(one.message) for one in caught]]))
"""
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Starts a command of root that may write only what its owner may write, as with every other user."""


@dataclass(frozen=True)
class Outcome:
    """What a process did: kernels compiled, the folder where it keeps them, and warnings."""

    compiled: list[str]
    kept: str | None
    warnings: list[str]


def prefix() -> list[str]:
    """Return what makes rights matter in a process: nothing, if this is not root anyway."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root can write everywhere, and setpriv is missing")
    return WITHOUT_RIGHTS


def environment(package: Path | None = None, **variables: object) -> dict[str, str]:
    """Return an environment without a home, with the package in a folder, or the one under test."""
    source = package or Path(lookalike.__file__).parents[1]
    dropped = ("HOME", "NUMBA_CACHE_DIR", "TMPDIR", "XDG_CACHE_HOME", "LOCALAPPDATA")
    usual = {name: value for name, value in os.environ.items() if name not in dropped}
    given = {name: str(value) for name, value in variables.items()}
    return usual | {"PYTHONPATH": str(source), "HOME": "/proc/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"} | given


def start(variables: dict[str, str], *, wait: bool = False) -> subprocess.Popen[str]:
    """Start a process, which may wait for a line before it begins."""
    command = [*prefix(), sys.executable, "-c", PROGRAM, *(["wait"] if wait else [])]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=variables, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def outcome_of(process: subprocess.Popen[str]) -> Outcome:
    """Return what a process did, and check its result."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    results, compiled, kept, warnings = json.loads(out)
    assert results == [6, 5, 7, True]
    return Outcome(compiled, kept, warnings)


def go(process: subprocess.Popen[str]) -> None:
    """Let a process that waits begin."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def use_kernels(variables: dict[str, str]) -> Outcome:
    """Use the kernels in a new process."""
    return outcome_of(start(variables))


@contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Take the right to write from folders, with all that is in them."""
    inside = [path for folder in folders for path in (folder, *folder.rglob("*")) if path.is_dir()]
    for path in inside:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in inside:
            path.chmod(0o755)


def installed(folder: Path) -> Path:
    """Copy the package into a folder, without any compiled code."""
    source = Path(lookalike.__file__).parent
    shutil.copytree(source, folder / "lookalike", ignore=shutil.ignore_patterns("__pycache__"))
    return folder
