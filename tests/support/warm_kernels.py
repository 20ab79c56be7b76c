"""Fills Numba's cache before tests begin, so that workers do not all compile the same kernels at the same time.

Kernels that are missing here are compiled by the first test that needs them: this saves time and changes no result.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import lookalike

TEXTS = [
    "a fox lived in a wood by the sea",
    "a fox lived in a wood by the lake",
    "etwas ganz anderes, über das Meer",
] * 3
SETS = [{1, 2, 3, 4}, {1, 2, 3, 5}, {7, 8, 9}, {1, 2, 3, 4}]
WEIGHTS = [{"a": 1.0, "b": 2.0, "c": 0.5}, {"a": 1.0, "b": 2.0, "c": 0.25}, {"d": 1.0}]
BITS = [b"\x00\x01\x02\x03", b"\x00\x01\x02\x02", b"\xff\x00\xff\x00"]
VECTORS = np.random.default_rng(1).standard_normal((8, 5)).astype(np.float32).repeat(2, axis=0)


def search(items: Any, **given: Any) -> None:
    """Run what finds pairs, clusters and neighbours, by bands and exactly."""
    lookalike.find_pairs(items, bands=4, rows=2, measure_recall=3, examples=1, **given)
    lookalike.find_pairs(items, recall=1, **given)
    lookalike.deduplicate(items, **given)
    firsts = lookalike.trace(items, bands=4, rows=2, **given).firsts
    assert firsts is None or len(firsts) == 8
    lookalike.nearest(items, k=2, **{name: value for name, value in given.items() if name != "threshold"})


def index(items: Any, **given: Any) -> None:
    """Build an index, change it and query it."""
    with tempfile.TemporaryDirectory() as folder:
        with lookalike.Index.create(Path(folder) / "i", **given) as made:
            made.add(None, items)
            made.compact()
            made.add_new(None, items)
            made.query_many(items)
        lookalike.Index.check(Path(folder) / "i")


def texts() -> None:
    """Compile what texts need."""
    search(TEXTS, threshold=0.5)
    for shingle in ("chars:5", "bytes:5", "words:2"):
        lookalike.find_pairs(TEXTS, shingle=shingle, bag=True, sketch="classic")
    lookalike.trace(TEXTS, sketch="classic")
    index(TEXTS, threshold=0.5)
    lookalike.compare(TEXTS[0], TEXTS[1])


def others() -> None:
    """Compile what sets, weighted sets, vectors and bits need."""
    search(SETS, threshold=0.5)
    search(WEIGHTS, threshold=0.5)
    index(SETS, shingle="elements", threshold=0.5)
    index(WEIGHTS, shingle="weights", threshold=0.5)
    measures: dict[str, float] = {"cosine": 0.9, "euclidean": 0.5, "agreement": 0.5}
    for measure, threshold in measures.items():
        more: dict[str, Any] = {"tolerance": 0.1} if measure == "agreement" else {}
        search(VECTORS, measure=measure, threshold=threshold, **more)
    search(BITS, measure="hamming", threshold=4)


PARTS = {"texts": texts, "others": others}


def main() -> None:
    """Compile one part, or all of them, each in a process of its own."""
    if len(sys.argv) > 1:
        PARTS[sys.argv[1]]()
        return
    running = [subprocess.Popen([sys.executable, __file__, part]) for part in PARTS]
    sys.exit(max(process.wait() for process in running))


if __name__ == "__main__":
    main()
