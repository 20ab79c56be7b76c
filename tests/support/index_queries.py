"""Helpers for tests of an index: texts, and the similar ones among them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np

from lookalike import Index, find_pairs

RECIPE: Any = {"shingle": "words:1", "threshold": 0.5}
WORDS = [f"w{i}" for i in range(40)]


def in_another_process(code: str, *arguments: object) -> str:
    """Run code in another process; return its output."""
    head = "import sys\nfrom lookalike import Index, LookalikeError\n"
    command = [sys.executable, "-c", head + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def made_texts(count: int, seed: int = 5) -> list[str]:
    """Return texts of which a third are the one before with a few words replaced."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 30)) for _ in range(count)]
    for i in range(0, count - 1, 3):
        words = texts[i].split()
        for place in rng.integers(0, 30, rng.integers(0, 4)):
            words[place] = "new"
        texts[i + 1] = " ".join(words)
    return texts


def by_pairs(held: list[str], queries: list[str], threshold: float, **kinds: Any) -> set[tuple[int, int, float]]:
    """Return (query, item, similarity) as an exact run finds them."""
    pairs = find_pairs(queries, against=held, threshold=threshold, recall=1, **kinds)
    table = pairs.to_arrow()
    return set(zip(table["left"].to_pylist(), table["right"].to_pylist(), table["similarity"].to_pylist(), strict=True))


def answers(index: Index, queries: Any, **how: Any) -> set[tuple[int, Any, float]]:
    """Return (query, id, similarity) as an index finds them."""
    matches = index.query_many(queries, top=None, **how)
    return {(i, match.id, match.similarity) for i, found in enumerate(matches) for match in found}
