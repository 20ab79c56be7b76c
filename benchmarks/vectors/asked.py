"""What the adapters for vectors share: the vectors, 1,000 questions, and how an answer is timed and judged."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TOP = 10
QUESTIONS = 1000
REPEATS = 3
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))

rows = np.load(sys.argv[1])
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
base, questions = rows[:-QUESTIONS], rows[-QUESTIONS:]


def report(
    what: str, build: Callable[[], Any], search: Callable[[Any], NDArray[np.integer[Any]]], size: Callable[[Any], int]
) -> None:
    """Build an index, ask it three times, and print: the median counts, and the bytes are those it has as a file."""
    begin = time.perf_counter()
    index = build()
    built = round(time.perf_counter() - begin, 3)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        found = search(index)
        times.append(time.perf_counter() - begin)
    show(what, built, len(questions) / sorted(times)[REPEATS // 2], found, size(index))


def show(what: str, built: float, speed: float, found: NDArray[np.integer[Any]], size: int | None = None) -> None:
    """Print a line of JSON; recall is the share of the ten nearest that were found."""
    truth = np.argpartition(-(questions @ base.T), TOP, axis=1)[:, :TOP]
    right = [len(set(one) & set(two)) / TOP for one, two in zip(found.tolist(), truth.tolist(), strict=True)]
    answer = {"what": what, "build": built, "queries_a_second": round(speed), "recall": round(float(np.mean(right)), 4)}
    print(json.dumps(answer | ({} if size is None else {"bytes": size})), flush=True)
