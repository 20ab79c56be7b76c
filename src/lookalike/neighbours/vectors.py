"""Search for the nearest vectors: among all of them in blocks, or only in the nearest cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels import best as kernels
from lookalike.neighbours.best import Best
from lookalike.neighbours.cells import SAMPLED, CellFinder, Cells, cost
from lookalike.tuning.cost import product_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Seen
    from lookalike.lsh.family import Family
    from lookalike.resources import Resources

QUERIES_AT_A_TIME = 256
"""Queries compared at a time."""

BASE = 1 << 12
"""Vectors per block that queries are compared with."""

MAX_WITHOUT_CELLS = 1 << 12
"""The number of vectors up to which cells do not pay off."""

PAY, CELL_SHARE = 1.1, 1 / 8
"""How much longer comparing with all must take than building cells; and the share of it that searching cells takes."""

MAX_HELD = 1 << 30
"""The maximum number of bytes of prepared vectors held in memory."""

WIDTH = 8
"""The maximum number of bytes per number held."""


class BlockFinder:
    """Answers queries exactly, by comparing with all vectors in blocks, which are held if they are not too large."""

    def __init__(self, family: Family, among: NDArray[np.int32]) -> None:
        self._family = family
        self._among = among
        self._blocks = [among[begin : begin + BASE] for begin in range(0, len(among), BASE)]
        self._holds = among.size * family.length * WIDTH <= MAX_HELD
        self._prepared = [family.prepare(block) for block in self._blocks] if self._holds else []

    @property
    def exact(self) -> BlockFinder:
        """The finder itself, since it is exact."""
        return self

    def answer(self, queries: NDArray[np.int32], k: int, seen: Seen) -> Iterator[tuple[slice, Best]]:
        """Yield the answers to a part of the queries at a time."""
        for part in (slice(begin, begin + QUERIES_AT_A_TIME) for begin in range(0, len(queries), QUERIES_AT_A_TIME)):
            yield part, self.nearest(queries[part], k)
            seen.proposed += len(queries[part]) * len(self._among)

    def nearest(self, queries: NDArray[np.int32], k: int) -> Best:
        """Return the nearest vectors of some queries."""
        family, best = self._family, Best.of(len(queries), k)
        query_rows = family.prepare(queries)
        rows, columns = (np.empty(max(2 * BASE, 1 << 16), np.int32) for _ in range(2))
        for at, some in enumerate(self._blocks):
            products = family.approximate_scores(
                query_rows, self._prepared[at] if self._holds else family.prepare(some)
            )
            bounds = bounds_of(products, best, k, family.margin)
            row = 0
            while row < len(products):
                filled, row = kernels.gather_above_bounds(products, bounds, row, rows, columns)
                one, two = rows[:filled], some[columns[:filled]]
                kernels.keep_best(one, two, family.scores(queries[one], two), queries, best.items, best.scores)
        return best


def bounds_of(products: NDArray[np.float32], best: Best, k: int, margin: float) -> NDArray[np.float32]:
    """Return the minimum score at which a vector may be among the best, per row."""
    bounds = np.where(best.items[:, -1] >= 0, best.scores[:, -1], -np.inf)
    if products.shape[1] > k + 1 and not np.isfinite(bounds).all():
        last = np.partition(products, products.shape[1] - k - 1, axis=1)[:, products.shape[1] - k - 1]
        bounds = np.maximum(bounds, last)  # the k + 1st, since the item itself may be among the first k
    with np.errstate(over="ignore"):
        return np.nextafter((bounds - 2 * margin).astype(np.float32), np.float32(-np.inf))


def vector_finder(
    resources: Resources, family: Family, queries: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float
) -> BlockFinder | CellFinder:
    """Return a finder for vectors: by cells, if the recall allows misses and cells pay off, else exact."""
    all_blocks = BlockFinder(family, among)
    if recall < 1 and family.has_cells and cells_pay(family, len(queries), len(among)):
        with resources.stages.timed("cells"):
            cells = Cells(family, among, resources.threads)
            wanted = cells.cells_needed(queries, all_blocks, k, recall)
        if wanted is not None:
            return CellFinder(cells, all_blocks, wanted)
    return all_blocks


def cells_pay(family: Family, queries: int, among: int) -> bool:
    """Return whether there are enough queries for cells to pay off, even though a sample is answered twice."""
    if queries <= SAMPLED or among <= MAX_WITHOUT_CELLS or among * family.length * WIDTH > MAX_HELD:
        return False
    return queries * among * product_seconds(family) * (1 - CELL_SHARE) > PAY * cost(family, among)
