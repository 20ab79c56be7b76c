"""What the adapters for an index share: documents, questions, what is to be found, and how an answer is judged."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

THRESHOLD = 0.8
WORDS = 5
REPEATS = 3
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))

rows = pq.read_table(sys.argv[1])
asked = rows["question"].to_numpy()
base, questions = rows["text"].filter(~asked).to_pylist(), rows["text"].filter(asked).to_pylist()
truth = [set(one or ()) for one in rows["similar"].filter(asked).to_pylist()]
"""Which documents each question resembles."""


def shingles(text: str) -> set[str]:
    """Return the word n-grams of a text."""
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[i : i + WORDS]) for i in range(max(len(words) - WORDS + 1, 1))}


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long something takes, and what it returns."""
    begin = time.perf_counter()
    made = function()
    return time.perf_counter() - begin, made


def show(what: str, build: float, answers: Callable[[], Sequence[Sequence[int]]], size: int, **more: float) -> None:
    """Ask all questions three times, and print a line of JSON: the median counts."""
    times = []
    for _ in range(REPEATS):
        seconds, found = timed(answers)
        times.append(seconds)
    true = sum(map(len, truth))
    right = sum(len(set(one) & two) for one, two in zip(found, truth, strict=True))
    given = sum(len(set(one)) for one in found)
    answer = {
        "what": what,
        "build": round(build, 3),
        "queries_a_second": round(len(questions) / sorted(times)[REPEATS // 2]),
        "recall": round(right / true, 4),
        "precision": round(right / max(given, 1), 4),
        "bytes": size,
        **more,
    }
    print(json.dumps(answer), flush=True)
