"""Vectors in cells, each around a centre: a question is looked for in the cells nearest to it, and nowhere else.

In how many, so that the recall asked for remains, is found out on a sample of the questions, which is answered exactly;
and whether it is worth it. Where vectors have no structure it is not: then the nearest are in any cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels.best import keep_best
from lookalike.kernels.cells import look_in_cells
from lookalike.neighbours.best import Best
from lookalike.tuning.cost import product_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Seen
    from lookalike.lsh.family import Family
    from lookalike.neighbours.best import Exactly
    from lookalike.resources.threads import Threads

FOR_A_CENTRE = 32
"""Vectors for each centre, of which the centres are made."""

ROUNDS = 4
"""How often centres are moved to the middle of what is nearest to them."""

AT_A_TIME = 1 << 12
"""Vectors whose nearest centres are looked for in one go."""

QUESTIONS, QUESTIONS_AT_A_TIME = 128, 1 << 14
"""Questions of a task, and those whose nearest cells are held."""

SAMPLED = 128
"""Questions that are answered exactly, to see in how many cells their answers are."""

SPARE, MORE = 0.6, 1.1
"""The sample may lose so much of what may be lost, and so many more cells are looked into: others are no sample."""

CLOSER = 16
"""So many more than twice those wanted are compared exactly: products in single precision are not exact."""

SLOWER = 3.0
"""How much longer a product takes here than in one of matrices."""


class Cells:
    """Vectors in cells."""

    def __init__(self, family: Family, among: NDArray[np.int32], threads: Threads) -> None:
        self._family = family
        self._threads = threads
        self._centres = find_centres(family, among, cells_of(len(among)))
        rows = np.empty((len(among), family.length), np.float32)
        for part in parts_of(len(among), AT_A_TIME):
            rows[part] = family.prepare(among[part])
        cell = nearest_centres(family, rows, self._centres)
        order = np.argsort(cell, kind="stable")
        self._members, self._rows = among[order], rows[order]
        self._begins = np.searchsorted(cell[order], np.arange(len(self._centres) + 1))

    def enough(self, questions: NDArray[np.int32], exact: Exactly, k: int, recall: float) -> int | None:
        """Return how many cells must be looked into, for a share of the nearest to be there.

        None is returned if looking at so many vectors would take longer than comparing with all.
        """
        source = np.random.default_rng(self._family.recipe.seed)
        sample = np.sort(source.choice(questions, min(SAMPLED, len(questions)), replace=False))
        truth = exact.nearest(sample, k)
        cell_of = np.zeros(len(self._family.matrix) + 1, np.int64)
        cell_of[self._members] = np.repeat(np.arange(len(self._centres)), np.diff(self._begins))
        order = np.argsort(
            -self._family.approximate_scores(self._family.prepare(sample), self._centres), axis=1, kind="stable"
        )
        ranks = np.argsort(order, axis=1)[np.arange(len(sample))[:, None], cell_of[truth.items]]
        ranks = np.sort(ranks[truth.items >= 0])
        if not len(ranks):
            return None
        lost = (1 - recall) * SPARE
        last = int(ranks[min(math.ceil((1 - lost) * len(ranks)), len(ranks)) - 1])
        wanted = min(math.ceil(MORE * (last + 1)), len(self._centres))
        compared = np.diff(self._begins)[order[:, :wanted]].sum(axis=1).mean() + len(self._centres) / SLOWER
        return wanted if SLOWER * compared < len(self._members) else None

    def answer(
        self, questions: NDArray[np.int32], exact: Exactly, k: int, wanted: int, seen: Seen
    ) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time, looked for in so many cells."""
        for some in parts_of(len(questions), QUESTIONS_AT_A_TIME):
            yield from self._answer(questions, some, exact, k, wanted, seen)

    def _answer(
        self, questions: NDArray[np.int32], some: slice, exact: Exactly, k: int, wanted: int, seen: Seen
    ) -> Iterator[tuple[slice, Best]]:
        asked = self._family.prepare(questions[some])
        close = self._family.approximate_scores(
            asked, self._centres
        )  # at once: its threads and ours get in each other's way
        sizes = np.diff(self._begins)

        def look(part: slice) -> tuple[slice, Best, int]:
            cells = np.argpartition(close[part], -wanted, axis=1)[:, -wanted:]
            here = slice(some.start + part.start, some.start + part.stop)
            return here, self._look(questions[here], asked[part], cells, k), int(sizes[cells].sum())

        for here, best, compared in self._threads.map(look, parts_of(len(asked), QUESTIONS)):
            seen.proposed += compared
            short = np.flatnonzero(best.items[:, -1] < 0)
            if len(short):  # what is far from all others is compared with all
                again = exact.nearest(questions[here][short], k)
                best.items[short], best.scores[short] = again.items, again.scores
            yield here, best

    def _look(self, questions: NDArray[np.int32], asked: NDArray[np.float32], cells: NDArray[np.int64], k: int) -> Best:
        """Return the nearest of some questions, those of one cell after each other, and their exact scores."""
        order = np.argsort(cells.min(axis=1), kind="stable")
        wanted = min(2 * k + CLOSER, len(self._rows))
        places, scores = np.empty((len(asked), wanted), np.int64), np.empty((len(asked), wanted), np.float32)
        look_in_cells(asked[order], cells[order], self._begins, self._rows, places, scores)
        best = Best.of(len(asked), k)
        row, column = np.nonzero(places >= 0)
        one, two = order[row].astype(np.int32), self._members[places[row, column]]
        keep_best(one, two, self._family.scores(questions[one], two), questions, best.items, best.scores)
        return best


@dataclass(frozen=True, slots=True)
class InCells:
    """Answers questions by looking in so many cells."""

    cells: Cells
    exact: Exactly
    """What misses nothing."""
    wanted: int

    def answer(self, questions: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the nearest of some questions at a time."""
        return self.cells.answer(questions, self.exact, k, self.wanted, seen)


def cells_of(count: int) -> int:
    """Return in how many cells so many vectors are: about as many as there are vectors in each."""
    return math.isqrt(count)


def cost(family: Family, count: int) -> float:
    """Estimate the seconds it takes one core to put so many vectors in cells, and to answer the sample."""
    cells = cells_of(count)
    products = cells * (count + ROUNDS * min(FOR_A_CENTRE * cells, count))
    return products * family.length * family.pair_seconds + SAMPLED * count * product_seconds(family)


def find_centres(family: Family, among: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    """Return centres of vectors, by Lloyd's method on a sample of them."""
    source = np.random.default_rng(family.recipe.seed)
    sample = np.sort(source.choice(among, min(FOR_A_CENTRE * count, len(among)), replace=False))
    rows = family.prepare(sample)
    centres: NDArray[np.float32] = rows[source.choice(len(rows), count, replace=False)]
    for _ in range(ROUNDS):
        nearest = nearest_centres(family, rows, centres)
        order = np.argsort(nearest, kind="stable")
        there, begins = np.unique(nearest[order], return_index=True)
        sums = np.add.reduceat(rows[order], begins, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres[there] = np.where(lengths > 0, sums / np.maximum(lengths, np.finfo(np.float32).tiny), centres[there])
    return centres


def nearest_centres(family: Family, rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the centre that each vector is nearest to."""
    parts = parts_of(len(rows), AT_A_TIME)
    return np.concatenate([family.approximate_scores(rows[part], centres).argmax(axis=1) for part in parts])


def parts_of(count: int, step: int) -> Iterator[slice]:
    """Cut so many things in parts."""
    return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))
