"""The nearest vectors: by comparing with all of them in blocks, or only with those in the nearest cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import best as kernels
from lookalike.neighbours.best import Best
from lookalike.neighbours.cells import SAMPLED, Cells, InCells, cost
from lookalike.tuning.cost import product_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Seen
    from lookalike.lsh.family import Family
    from lookalike.resources import Resources

TOGETHER = 256
"""Vectors that are compared with others in one block."""

BASE = 1 << 12
"""Vectors they are compared with at a time."""

FEW = 1 << 12
"""Vectors up to which cells are not worth it."""

PAY, LEFT = 1.1, 1 / 8
"""How much longer comparing with all must take than to make cells; and what looking into cells takes of that."""

MAX_HELD = 1 << 30
"""Bytes of vectors that are held ready to be compared."""

WIDTH = 8
"""Bytes of a number that is held, at most."""


class Everything:
    """Answers questions by comparing with all vectors, in blocks; they are held ready, if that is not too much."""

    def __init__(self, family: Family, among: NDArray[np.int32]) -> None:
        self._family = family
        self._among = among
        self._blocks = [among[begin : begin + BASE] for begin in range(0, len(among), BASE)]
        self._holds = among.size * family.length * WIDTH <= MAX_HELD
        self._ready = [family.prepare(block) for block in self._blocks] if self._holds else []

    @property
    def exact(self) -> Everything:
        """What misses nothing: this."""
        return self

    def answer(self, questions: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time."""
        for part in (slice(begin, begin + TOGETHER) for begin in range(0, len(questions), TOGETHER)):
            yield part, self.nearest(questions[part], k)
            seen.proposed += len(questions[part]) * len(self._among)

    def nearest(self, questions: NDArray[np.int32], k: int) -> Best:
        """Return the nearest of some vectors."""
        family, best = self._family, Best.of(len(questions), k)
        asked = family.prepare(questions)
        rows, columns = (np.empty(max(2 * BASE, 1 << 16), np.int32) for _ in range(2))
        for at, some in enumerate(self._blocks):
            products = family.approximate_scores(asked, self._ready[at] if self._holds else family.prepare(some))
            bounds = bounds_of(products, best, k, family.margin)
            row = 0
            while row < len(products):
                filled, row = kernels.gather_above_bounds(products, bounds, row, rows, columns)
                one, two = rows[:filled], some[columns[:filled]]
                kernels.keep_best(one, two, family.scores(questions[one], two), questions, best.items, best.scores)
        return best


def bounds_of(products: NDArray[np.float32], best: Best, k: int, margin: float) -> NDArray[np.float32]:
    """Return the score from which on a vector may be among the best of each row."""
    bounds = np.where(best.items[:, -1] >= 0, best.scores[:, -1], -np.inf)
    if products.shape[1] > k + 1 and not np.isfinite(bounds).all():
        there = np.partition(products, products.shape[1] - k - 1, axis=1)[:, products.shape[1] - k - 1]
        bounds = np.maximum(bounds, there)  # one more than k, since an item itself may be among them
    with np.errstate(over="ignore"):
        return np.nextafter((bounds - 2 * margin).astype(np.float32), np.float32(-np.inf))


def find_vectors(
    resources: Resources, family: Family, questions: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float
) -> Everything | InCells:
    """Return what answers questions about vectors: by cells, if some may be missed and that is worth it."""
    everything = Everything(family, among)
    if recall < 1 and family.has_cells and cells_pay(family, len(questions), len(among)):
        with resources.stages.timed("cells"):
            cells = Cells(family, among, resources.threads)
            wanted = cells.enough(questions, everything, k, recall)
        if wanted is not None:
            return InCells(cells, everything, wanted)
    return everything


def cells_pay(family: Family, questions: int, among: int) -> bool:
    """Tell whether there are so many questions that it is worth while to make cells, and to answer some twice."""
    if questions <= SAMPLED or among <= FEW or among * family.length * WIDTH > MAX_HELD:
        return False
    return questions * among * product_seconds(family) * (1 - LEFT) > PAY * cost(family, among)
