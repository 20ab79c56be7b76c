"""The best answers to queries: items and their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Seen


@dataclass(frozen=True, slots=True)
class Best:
    """The best items per query so far, the highest score first; -1 where there are fewer."""

    items: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, count: int, k: int) -> Best:
        """Return empty answers for a number of queries."""
        return cls(np.full((count, k), -1, np.int32), np.full((count, k), -np.inf))

    def take(self, parts: Iterable[tuple[slice, Best]]) -> Iterator[int]:
        """Take answers part by part, and yield the number of queries in each part."""
        for part, found in parts:
            self.items[part], self.scores[part] = found.items, found.scores
            yield len(found.items)

    def at_least(self, min_score: float) -> Best:
        """Return the answers with at least this score; the others become -1, with the score of no item."""
        enough = (self.items >= 0) & (self.scores >= min_score)
        return Best(np.where(enough, self.items, np.int32(-1)), np.where(enough, self.scores, -np.inf))


class Finder(Protocol):
    """Answers queries: which items are nearest."""

    @property
    def exact(self) -> Finder:
        """An exact finder: this finder itself, if it is exact."""

    def answer(self, queries: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time, and which part; count comparisons in `seen`."""


class ExactFinder(Finder, Protocol):
    """Answers queries exactly."""

    def nearest(self, queries: NDArray[np.int32], k: int) -> Best:
        """Return the nearest items of some queries."""
