"""The best answers to questions: which items, and their scores."""

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
    """The best items of each question so far, the greatest score first; -1 where enough are not so many."""

    items: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, count: int, k: int) -> Best:
        """Begin with none."""
        return cls(np.full((count, k), -1, np.int32), np.full((count, k), -np.inf))

    def take(self, parts: Iterable[tuple[slice, Best]]) -> Iterator[int]:
        """Take the best of some questions at a time; yield how many these were."""
        for part, found in parts:
            self.items[part], self.scores[part] = found.items, found.scores
            yield len(found.items)

    def at_least(self, min_score: float) -> Best:
        """Return the answers with at least this score; the others become -1, with the score of no item."""
        enough = (self.items >= 0) & (self.scores >= min_score)
        return Best(np.where(enough, self.items, np.int32(-1)), np.where(enough, self.scores, -np.inf))


class Finder(Protocol):
    """Answers questions: which items are nearest."""

    @property
    def exact(self) -> Finder:
        """What misses nothing; that is this very finder, if it does not."""

    def answer(self, questions: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time, and which of them these are; count what is compared."""


class Exactly(Finder, Protocol):
    """Answers them exactly."""

    def nearest(self, questions: NDArray[np.int32], k: int) -> Best:
        """Return the nearest of some questions."""
