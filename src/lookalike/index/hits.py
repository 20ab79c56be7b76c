"""Hits: items of an index that are similar to queries, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.index.storage.part import FINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Hits:
    """Items that are similar enough to queries, one row per pair."""

    query: NDArray[np.int64]
    part: NDArray[np.int64]
    item: NDArray[np.uint32]
    score: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.query)

    def __getitem__(self, wanted: NDArray[Any]) -> Hits:
        return Hits(self.query[wanted], self.part[wanted], self.item[wanted], self.score[wanted])


def concat_hits(parts: Iterable[Hits]) -> Hits:
    """Concatenate hits."""
    empty = Hits(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0))
    columns = [(one.query, one.part, one.item, one.score) for one in (empty, *parts)]
    query, part, item, score = (np.concatenate(column) for column in zip(*columns, strict=True))
    return Hits(query, part, item, score)


def best_hits(hits: Hits, top: int | None) -> Hits:
    """Return hits sorted by query, the best first and the older first among equals; at most `top` per query."""
    hits = hits[np.lexsort((hits.item, hits.part, -hits.score, hits.query))]
    if top is None or len(hits) <= top:
        return hits
    begins = np.searchsorted(hits.query, hits.query)
    return hits[np.arange(len(hits)) - begins < top]


def collect_hits(collected: list[Hits], hits: Hits, top: int | None) -> None:
    """Append hits to a list; when it becomes large, keep only the best of each query."""
    collected.append(hits)
    if top is not None and sum(map(len, collected)) > FINDS:
        collected[:] = [best_hits(concat_hits(collected), top)]
