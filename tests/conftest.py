"""What all tests share: how many examples Hypothesis tries, where files go, and a small index."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.index_queries import RECIPE

from lookalike import Index

MEMORY = Path("/dev/shm")
ROOM = 4 << 30

settings.register_profile("local", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("few", settings.get_profile("local"), derandomize=True, database=None, max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "local")


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell has its jobs in the background ignore Ctrl-C, and those they start; commands are tested with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Keep files of tests in memory where there is room: an index waits for its disk thousands of times."""
    chosen = config.getoption("basetemp") or "PYTEST_DEBUG_TEMPROOT" in os.environ
    if not chosen and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a closed index with a few items, some in the database and some in a file."""
    with Index.create(tmp_path / "i", **RECIPE) as index:
        index.add(range(8), [f"common number{i} words" for i in range(8)])
        index.compact()
        index.add([8, 9], ["common number8 words", "something else"])
        index.delete([3])
    return tmp_path / "i"
