"""A small collection of every kind of items, with the settings to compare them by; duplicates and nulls included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Items of one kind, and how they are compared."""

    items: list[Any]
    settings: dict[str, Any]
    lower: float
    """A threshold that more pairs reach."""


def texts() -> list[Any]:
    """Return sentences, some of them changed a little."""
    random = np.random.default_rng(1)
    words = [f"word{i}" for i in range(60)]
    made: list[Any] = []
    for _ in range(12):
        base = random.choice(words, 30).tolist()
        made.append(" ".join(base))
        for changes in (0, 1, 4)[: random.integers(1, 4)]:
            other = list(base)
            for place in random.integers(0, 30, changes):
                other[place] = "changed"
            made.append(" ".join(other).upper() if changes else " ".join(other))
    return [*made, None, ""]


def tokens() -> list[Any]:
    """Return the same sentences as lists of numbers."""
    return [None if text is None else [abs(hash_of(word)) for word in text.split()] for text in texts()]


def hash_of(word: str) -> int:
    """Return a number for a word, the same in every process."""
    return int.from_bytes(word.lower().encode()[:7], "big")


def sets() -> list[Any]:
    """Return baskets, some of which share most elements."""
    random = np.random.default_rng(2)
    made: list[Any] = []
    for _ in range(12):
        base = random.choice(500, 20, replace=False).tolist()
        made += [set(base), {*base[:18], 1000}, {*base[:12]}]
    return [*made, set(made[0]), None]


def weighted() -> list[Any]:
    """Return baskets with weights, some of which differ little."""
    random = np.random.default_rng(3)
    made: list[Any] = []
    for _ in range(12):
        base = {
            f"e{i}": float(weight)
            for i, weight in zip(random.choice(300, 12, replace=False), random.random(12) + 0.1, strict=True)
        }
        made += [base, {name: weight * 1.1 for name, weight in base.items()}, dict(list(base.items())[:7])]
    return [*made, dict(made[0]), None]


def vectors() -> list[Any]:
    """Return vectors around centres."""
    random = np.random.default_rng(4)
    centres = random.normal(size=(12, 12))
    made = [(centre + random.normal(size=12) * noise).tolist() for centre in centres for noise in (0, 0.05, 0.3)]
    return [*made, list(made[0]), None]


def bits() -> list[Any]:
    """Return fingerprints of 64 bits, some of which differ in few."""
    random = np.random.default_rng(5)
    made = []
    for number in random.integers(0, 1 << 62, 12).tolist():
        made += [number, number ^ 1 << 7, number ^ 0b10101 << 20]
    return [*[one.to_bytes(8, "big") for one in made], made[0].to_bytes(8, "big"), None]


SAMPLES: dict[str, Callable[[], Sample]] = {
    "words": lambda: Sample(texts(), {"shingle": "words:2", "threshold": 0.7}, 0.4),
    "chars": lambda: Sample(texts(), {"shingle": "chars:5", "threshold": 0.7, "measure": "dice"}, 0.5),
    "bytes": lambda: Sample(texts(), {"shingle": "bytes:6", "threshold": 0.6, "lower": None}, 0.4),
    "bags": lambda: Sample(texts(), {"shingle": "words:1", "bag": True, "threshold": 0.7, "measure": "cosine"}, 0.6),
    "tokens": lambda: Sample(tokens(), {"shingle": "tokens:2", "threshold": 0.7}, 0.4),
    "jaccard": lambda: Sample(sets(), {"shingle": "elements", "threshold": 0.6}, 0.3),
    "dice": lambda: Sample(sets(), {"shingle": "elements", "measure": "dice", "threshold": 0.8}, 0.5),
    "cosine": lambda: Sample(sets(), {"shingle": "elements", "measure": "cosine", "threshold": 0.8}, 0.5),
    "overlap": lambda: Sample(sets(), {"shingle": "elements", "measure": "overlap", "threshold": 0.9}, 0.5),
    "weights": lambda: Sample(weighted(), {"shingle": "weights", "threshold": 0.8}, 0.4),
    "vectors": lambda: Sample(vectors(), {"shingle": "vectors", "threshold": 0.95}, 0.8),
    "euclidean": lambda: Sample(vectors(), {"measure": "euclidean", "threshold": 0.5}, 1.5),
    "agreement": lambda: Sample(vectors(), {"measure": "agreement", "tolerance": 0.2, "threshold": 0.8}, 0.4),
    "bits": lambda: Sample(bits(), {"measure": "hamming", "threshold": 2}, 4),
}
"""Every kind, by every measure that is not one-way; toys from outside the package join by a line."""
