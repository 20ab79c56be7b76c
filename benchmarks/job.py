"""One run of one tool: what an adapter in `peers/` gets, what it gives back, and the process it runs in.

    python benchmarks/job.py ADAPTER CORPUS RESULT [--threshold 0.7] [--words 5] [--threads 2] [--warm-up CORPUS]

This file runs in the environment of the tool, so it needs nothing but numpy and pyarrow. The clock starts when the tool
is imported and has seen the small corpus of the warm-up (so compiled code is loaded and servers are up), and stops when
every document has its cluster.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass
class Job:
    """What to do: find the documents of a corpus whose sets of word n-grams have at least this Jaccard similarity.

    A corpus is a parquet file with the columns `id` (0, 1, 2... in the order of the rows) and `text`: lower-case words
    with one space between, so that every tool's way to split words gives the same ones.
    """

    corpus: Path
    threshold: float
    words: int
    threads: int
    scratch: Path
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage: read, shingle, sign, band, verify, cluster, or the tool's own word."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin

    @cached_property
    def count(self) -> int:
        """How many documents there are."""
        return int(pq.read_metadata(self.corpus).num_rows)

    def texts(self, rows: int) -> Iterator[list[str]]:
        """Read the texts, so many at a time, as the stage `read`: no tool must hold them all."""
        with pq.ParquetFile(self.corpus) as file:
            batches = file.iter_batches(rows, columns=["text"])
            while True:
                with self.stage("read"):
                    batch = next(batches, None)
                    if batch is None:
                        return
                    some = batch.column(0).to_pylist()
                yield some

    def shingles(self, text: str) -> list[str]:
        """Split a text in word n-grams; one shorter than that is one shingle, the whole of it."""
        words = text.split()
        return [*map(" ".join, zip(*(words[i:] for i in range(self.words)), strict=False))] or [" ".join(words)]


@dataclass(frozen=True)
class Found:
    """What a tool found: pairs of rows, where it reports pairs, and a number of a cluster for every row."""

    clusters: NDArray[np.int64]
    pairs: NDArray[np.int64] | None = None  # shape (n, 2)


class Adapter(Protocol):
    """A module in `peers/`, named run_TOOL.py: its comment block in the form of PEP 723 says what to install."""

    PACKAGE: str  # whose version is reported

    def run(self, job: Job) -> Found:
        """Read the corpus, find what is similar, put it in clusters."""


def clusters_of(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Connect the rows of each pair; a cluster has the number of its first row."""
    labels = np.arange(count)
    left, right = pairs[:, 0], pairs[:, 1]
    while True:
        one, other = labels[left], labels[right]
        apart = one != other
        if not apart.any():
            return labels
        left, right, one, other = left[apart], right[apart], one[apart], other[apart]
        np.minimum.at(labels, np.maximum(one, other), np.minimum(one, other))
        while (labels[labels] != labels).any():
            labels = labels[labels]


def load(path: Path) -> Adapter:
    """Import an adapter by its path."""
    spec = importlib.util.spec_from_file_location(f"peer_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Adapter", module)


def peak_bytes() -> int:
    """Return the most memory this process had; the system's `ru_maxrss` may count what its parent had before it."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Run the adapter once and write what it found and how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("result", type=Path, help="a folder for facts.json, clusters.npy and pairs.npy")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--words", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warm-up", type=Path, help="a small corpus to run first, outside of the clock")
    given = parser.parse_args()
    begin = time.perf_counter()
    adapter = load(given.adapter)
    import_seconds = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as scratch:

        def job(corpus: Path, name: str) -> Job:
            folder = Path(scratch) / name
            folder.mkdir()
            return Job(corpus, given.threshold, given.words, given.threads, folder)

        if given.warm_up:
            adapter.run(job(given.warm_up, "warm-up"))
        timed = job(given.corpus, "run")
        begin = time.perf_counter()
        found = adapter.run(timed)
        seconds = time.perf_counter() - begin
    given.result.mkdir(parents=True, exist_ok=True)
    np.save(given.result / "clusters.npy", found.clusters)
    if found.pairs is not None:
        np.save(given.result / "pairs.npy", found.pairs)
    facts = {
        "package": adapter.PACKAGE,
        "version": version(adapter.PACKAGE),
        "import_seconds": import_seconds,
        "seconds": seconds,
        "stages": timed.seconds,
        "peak_bytes_of_main_process": peak_bytes(),
    }
    (given.result / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
