"""Processes that compile kernels ahead: Numba compiles one kernel at a time in a process, however many threads it has.

A process goes through a list of kernels, compiles those that no other has compiled or claimed, and ends when it is done
or when the process that started it ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from lookalike.kernels.compiled.cache import Observed, files
from lookalike.kernels.compiled.needed import Variant, everything

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CODE = "import sys; sys.path[:] = {path!r}; from lookalike.kernels.compiled.ahead import main; main()"


class Helper:
    """A process that compiles kernels, the first of a list first."""

    def __init__(self, variants: Iterable[Variant]) -> None:
        command = [sys.executable, "-c", CODE.format(path=sys.path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, text=True, **pipes)  # type: ignore[call-overload]  # noqa: S603
        self._process.stdin.write(json.dumps([variant.file for variant in variants]) + "\n")
        self._process.stdin.flush()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process, which leaves no unfinished file that could be mistaken for a kernel."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()


def helper(variants: Sequence[Variant]) -> Helper | None:
    """Start a helper, if there is a place where this process finds what it has compiled and a way to start it."""
    if files().folder is None or not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        return Helper(variants)
    except OSError:
        return None


def main() -> None:
    """Compile the kernels whose files are named on standard input, then end."""
    wanted = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    Observed.told = True  # the other process will say so
    by_file = {variant.file: variant for variant in everything()}
    for file in wanted:
        if files().load(file) is None and files().try_claim(file):
            by_file[file].compile()


def end_with_parent() -> None:
    """End this process when the other end of its standard input is gone."""
    sys.stdin.read()
    os._exit(0)
