"""Approximate search among vectors in cells, each around a centre: a query is compared only with the nearest cells.

A sample of the queries is answered exactly, to find the number of cells that the requested recall needs, and whether
cells pay off. They do not if vectors have no structure, since the nearest may then be in any cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels.best import keep_best
from lookalike.kernels.cells import search_cells
from lookalike.neighbours.best import Best
from lookalike.tuning.cost import product_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Seen
    from lookalike.lsh.family import Family
    from lookalike.neighbours.best import ExactFinder
    from lookalike.resources.threads import Threads

VECTORS_PER_CENTRE = 32
"""Sampled vectors per centre, from which the centres are computed."""

ROUNDS = 4
"""The number of times that centres are moved to the mean of the vectors nearest to them."""

VECTORS_AT_A_TIME = 1 << 12
"""Vectors assigned to centres at a time."""

QUERIES_PER_TASK, QUERIES_AT_A_TIME = 128, 1 << 14
"""Queries per task, and queries whose nearest cells are held at a time."""

SAMPLED = 128
"""Queries answered exactly, to find the number of cells that hold their answers."""

ALLOWED_MISSES, MORE_CELLS = 0.6, 1.1
"""The share of the allowed misses that the sample may have, and the factor of additional cells: safety margins, since
other queries differ from the sample."""

EXTRA = 16
"""Vectors compared exactly in addition to 2k, since products in single precision are not exact."""

SLOWDOWN = 3.0
"""How much longer a product takes here than in a product of matrices."""


class Cells:
    """Vectors grouped in cells."""

    def __init__(self, family: Family, among: NDArray[np.int32], threads: Threads) -> None:
        self._family = family
        self._threads = threads
        self._centres = find_centres(family, among, cells_of(len(among)))
        rows = np.empty((len(among), family.length), np.float32)
        for part in parts_of(len(among), VECTORS_AT_A_TIME):
            rows[part] = family.prepare(among[part])
        cell = nearest_centres(family, rows, self._centres)
        order = np.argsort(cell, kind="stable")
        self._members, self._rows = among[order], rows[order]
        self._begins = np.searchsorted(cell[order], np.arange(len(self._centres) + 1))

    def cells_needed(self, queries: NDArray[np.int32], exact: ExactFinder, k: int, recall: float) -> int | None:
        """Return the number of cells that must be searched to reach a recall.

        It is None if searching that many cells would take longer than comparing with all vectors.
        """
        source = np.random.default_rng(self._family.recipe.seed)
        sample = np.sort(source.choice(queries, min(SAMPLED, len(queries)), replace=False))
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
        lost = (1 - recall) * ALLOWED_MISSES
        last = int(ranks[min(math.ceil((1 - lost) * len(ranks)), len(ranks)) - 1])
        wanted = min(math.ceil(MORE_CELLS * (last + 1)), len(self._centres))
        compared = np.diff(self._begins)[order[:, :wanted]].sum(axis=1).mean() + len(self._centres) / SLOWDOWN
        return wanted if SLOWDOWN * compared < len(self._members) else None

    def answer(
        self, queries: NDArray[np.int32], exact: ExactFinder, k: int, wanted: int, seen: Seen
    ) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time, from the `wanted` nearest cells."""
        for some in parts_of(len(queries), QUERIES_AT_A_TIME):
            yield from self._answer(queries, some, exact, k, wanted, seen)

    def _answer(
        self, queries: NDArray[np.int32], some: slice, exact: ExactFinder, k: int, wanted: int, seen: Seen
    ) -> Iterator[tuple[slice, Best]]:
        rows = self._family.prepare(queries[some])
        # all at once: threads of the matrix product and ours would compete
        close = self._family.approximate_scores(rows, self._centres)
        sizes = np.diff(self._begins)

        def search_task(part: slice) -> tuple[slice, Best, int]:
            cells = np.argpartition(close[part], -wanted, axis=1)[:, -wanted:]
            here = slice(some.start + part.start, some.start + part.stop)
            return here, self._search(queries[here], rows[part], cells, k), int(sizes[cells].sum())

        for here, best, compared in self._threads.map(search_task, parts_of(len(rows), QUERIES_PER_TASK)):
            seen.proposed += compared
            short = np.flatnonzero(best.items[:, -1] < 0)
            if len(short):  # too few were in these cells: compare with all
                again = exact.nearest(queries[here][short], k)
                best.items[short], best.scores[short] = again.items, again.scores
            yield here, best

    def _search(self, queries: NDArray[np.int32], rows: NDArray[np.float32], cells: NDArray[np.int64], k: int) -> Best:
        """Return the nearest items of some queries with exact scores. Queries are ordered by cell, for the cache."""
        order = np.argsort(cells.min(axis=1), kind="stable")
        wanted = min(2 * k + EXTRA, len(self._rows))
        positions, scores = np.empty((len(rows), wanted), np.int64), np.empty((len(rows), wanted), np.float32)
        search_cells(rows[order], cells[order], self._begins, self._rows, positions, scores)
        best = Best.of(len(rows), k)
        row, column = np.nonzero(positions >= 0)
        one, two = order[row].astype(np.int32), self._members[positions[row, column]]
        keep_best(one, two, self._family.scores(queries[one], two), queries, best.items, best.scores)
        return best


@dataclass(frozen=True, slots=True)
class CellFinder:
    """Answers queries from the nearest cells."""

    cells: Cells
    exact: ExactFinder
    """An exact finder."""
    wanted: int

    def answer(self, queries: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time."""
        return self.cells.answer(queries, self.exact, k, self.wanted, seen)


def cells_of(count: int) -> int:
    """Return the number of cells for a number of vectors: its square root."""
    return math.isqrt(count)


def cost(family: Family, count: int) -> float:
    """Estimate the seconds of one core to assign a number of vectors to cells, and to answer the sample."""
    cells = cells_of(count)
    products = cells * (count + ROUNDS * min(VECTORS_PER_CENTRE * cells, count))
    return products * family.length * family.pair_seconds + SAMPLED * count * product_seconds(family)


def find_centres(family: Family, among: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    """Return centres of vectors, by Lloyd's algorithm on a sample of them."""
    source = np.random.default_rng(family.recipe.seed)
    sample = np.sort(source.choice(among, min(VECTORS_PER_CENTRE * count, len(among)), replace=False))
    rows = family.prepare(sample)
    centres: NDArray[np.float32] = rows[source.choice(len(rows), count, replace=False)]
    for _ in range(ROUNDS):
        nearest = nearest_centres(family, rows, centres)
        order = np.argsort(nearest, kind="stable")
        used, begins = np.unique(nearest[order], return_index=True)
        sums = np.add.reduceat(rows[order], begins, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres[used] = np.where(lengths > 0, sums / np.maximum(lengths, np.finfo(np.float32).tiny), centres[used])
    return centres


def nearest_centres(family: Family, rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the nearest centre of each vector."""
    parts = parts_of(len(rows), VECTORS_AT_A_TIME)
    return np.concatenate([family.approximate_scores(rows[part], centres).argmax(axis=1) for part in parts])


def parts_of(count: int, step: int) -> Iterator[slice]:
    """Cut a range into slices of at most `step` elements."""
    return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))
