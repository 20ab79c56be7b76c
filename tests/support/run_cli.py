"""Runs the command line in this process, which is fast, or in a process of its own, as users do."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lookalike
from lookalike.cli import main

LOOKALIKE = [sys.executable, "-c", "import sys; sys.argv[0] = 'lookalike'; from lookalike.cli import main; main()"]

COMPILING = re.compile(r"^Compiling \d+ (more )?of \d+ kernels.*\n", re.MULTILINE)
"""A message printed only if kernels have not been compiled before, so tests ignore it."""


@dataclass(frozen=True)
class Outcome:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


def run(*arguments: object, stdin: bytes = b"") -> Outcome:
    """Run a command in this process, as `lookalike` would run it."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n"), io.StringIO()
    before = sys.argv, sys.stdin
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    sys.argv, sys.stdin = ["lookalike", *map(str, arguments)], io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
        code: Any = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv, sys.stdin = before
        for number, handler in handlers.items():
            signal.signal(number, handler)
    out.flush()
    return Outcome(code, out.buffer.getvalue().decode(), COMPILING.sub("", err.getvalue()))


def done(*arguments: object, stdin: bytes = b"") -> Outcome:
    """Run a command that must succeed."""
    outcome = run(*arguments, stdin=stdin)
    assert outcome.code == 0, outcome.err
    return outcome


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process, without a terminal."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": quiet_environment(), **options}
    return subprocess.run([*LOOKALIKE, *map(str, arguments)], text=True, check=False, **options)


def quiet_environment(**more: str) -> dict[str, str]:
    """Return the environment without variables that affect formatting, and with the package under test."""
    noise = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "PYTHONUNBUFFERED", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    usual = {name: value for name, value in os.environ.items() if name not in noise}
    return usual | {"PYTHONPATH": str(Path(lookalike.__file__).parents[1])} | more


def state(folder: Path = Path()) -> dict[str, bytes]:
    """Return the names and contents of all files in a folder, to compare with later."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
