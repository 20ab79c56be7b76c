"""The kernels as plain Python: compiled code does what the source says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.mark.slow
def test_kernels_agree_with_their_references_without_the_jit() -> None:
    """Numbers of 64 bits wrap around silently when compiled; NumPy's warn."""
    command = [
        sys.executable, "-m", "pytest", str(TESTS / "kernels"), "--hypothesis-profile=few", "-p", "no:cacheprovider",
        "-k", "not table", "-W", "ignore:overflow encountered:RuntimeWarning",
    ]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        command,
        cwd=TESTS.parent,
        env=environment | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout
