"""One run of a tool as a process: bound to some cores, watched for time and for memory of the whole process tree.

Memory is sampled about every 20 ms. A single process counts by its resident set; of several processes, the proportional
set sizes are added, so that a page they share counts once. A spike between samples is seen in the main process, whose
own high-water mark is taken too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

JOB = Path(__file__).parent / "job.py"
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
)
"""Variables by which libraries are told how many threads to use."""

LONGEST = 300
EVERY = 0.02
TREE_EVERY = 0.2
AT_MOST = 0.05
"""Of a core's time, for sampling: it is rarer where it costs more."""


@dataclass(frozen=True)
class Settings:
    """What is asked of every tool."""

    threshold: float = 0.7
    words: int = 5
    threads: int = field(default_factory=lambda: len(cores()))


@dataclass(frozen=True)
class Limits:
    """When a tool is stopped."""

    seconds: float = 15 * 60
    bytes: int = field(default_factory=lambda: int(psutil.virtual_memory().total * 0.8))


@dataclass(frozen=True)
class Outcome:
    """What became of a run: facts and what was found, or why it failed."""

    wall_seconds: float
    peak_bytes: int
    failed: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    clusters: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    pairs: NDArray[np.int64] | None = None


def cores() -> list[int]:
    """Return the cores this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


class Watch:
    """Measures a process tree, and stops it when it passes a limit."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits) -> None:
        self.process = process
        self.limits = limits
        self.root = psutil.Process(process.pid)
        self.tree = [self.root]
        self.peak = 0
        self.begin = time.perf_counter()
        self.looked = -TREE_EVERY

    def until_end(self) -> str:
        """Wait for the process. Return why it was stopped, or "" if it was not."""
        pause = EVERY
        while True:
            try:
                self.process.wait(pause)
            except subprocess.TimeoutExpired:
                begin = time.perf_counter()
                self.peak = max(self.peak, self.sample(begin))
                pause = max(EVERY, (time.perf_counter() - begin) / AT_MOST)
            else:
                return ""
            if self.peak > self.limits.bytes:
                return f"stopped: its memory passed {self.limits.bytes / 1e9:.1f} GB"
            if self.seconds > self.limits.seconds:
                return f"stopped after {in_words(self.limits.seconds)}"

    @property
    def seconds(self) -> float:
        """How long the process has run."""
        return time.perf_counter() - self.begin

    def sample(self, now: float) -> int:
        """Return the memory of the tree, in bytes; look for new processes now and then."""
        try:
            if now - self.looked > TREE_EVERY:
                self.tree = [self.root, *self.root.children(recursive=True)]
                self.looked = now
            if len(self.tree) == 1:
                return int(self.root.memory_info().rss)
        except psutil.Error:
            return 0
        return sum(map(proportional, self.tree))

    def stop(self) -> None:
        """End what is left of the tree: the group, and those that left it."""
        with suppress(psutil.Error):
            self.tree += self.root.children(recursive=True)
        for process in self.tree[1:]:
            with suppress(psutil.Error):
                process.kill()
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def proportional(process: psutil.Process) -> int:
    """Return the proportional set size of a process, in bytes; 0 if it is gone."""
    try:
        full = process.memory_full_info()
    except psutil.Error:
        return 0
    return int(getattr(full, "pss", full.rss))


def in_words(seconds: float) -> str:
    """Say a time limit.

    >>> in_words(900), in_words(2)
    ('15 minutes', '2 seconds')
    """
    return f"{seconds / 60:g} minutes" if seconds >= 120 else f"{seconds:g} seconds"


def run(
    python: Path, adapter: Path, corpus: Path, settings: Settings, limits: Limits, warm_up: Path | None = None
) -> Outcome:
    """Run the job once, in the environment of that interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        result, said = Path(folder) / "result", Path(folder) / "said"
        command = [str(python), str(JOB), str(adapter), str(corpus), str(result)]
        command += [part for name, value in asdict(settings).items() for part in (f"--{name}", str(value))]
        command += ["--warm-up", str(warm_up)] if warm_up else []
        with bound_to(settings.threads), said.open("wb") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=environment(settings.threads, folder),
                start_new_session=True,
            )
        watch = Watch(process, limits)
        try:
            failed = watch.until_end()
        finally:
            seconds = watch.seconds
            watch.stop()
        failed = failed or reason(process.returncode, said.read_text(encoding="utf-8", errors="replace"))
        return Outcome(seconds, watch.peak, failed) if failed else collected(result, seconds, watch.peak)


@contextmanager
def bound_to(count: int) -> Iterator[None]:
    """Let a process that is started now use that many cores, where the system can do that."""
    every = cores()
    if count > len(every):
        raise ValueError(f"`threads` must be at most the number of cores, {len(every)}. Got {count}.")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, every[:count])
    try:
        yield
    finally:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, every)


def environment(threads: int, scratch: str) -> dict[str, str]:
    """Return the variables of the process: the same number of threads for all, and nothing of our own environment."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return {**kept, **dict.fromkeys(THREADS, str(threads)), "PYTHONHASHSEED": "0", "TMPDIR": scratch}


def reason(code: int, said: str) -> str:
    """Return why a process failed: the last line it said, or the signal that ended it; "" if it did not."""
    if code == 0:
        return ""
    if code < 0:
        return f"ended by signal {signal.Signals(-code).name}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:LONGEST] if lines else f"ended with exit code {code}"


def collected(result: Path, seconds: float, peak: int) -> Outcome:
    """Read what a run that ended well has left."""
    facts = json.loads((result / "facts.json").read_text(encoding="utf-8"))
    peak = max(peak, facts.pop("peak_bytes_of_main_process"))
    pairs = result / "pairs.npy"
    found = np.load(pairs).astype(np.int64) if pairs.exists() else None
    return Outcome(seconds, peak, "", facts, np.load(result / "clusters.npy"), found)
