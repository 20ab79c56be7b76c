"""Screening of new items: which of them resemble an item of the index, or an earlier new item that is kept.

Each item must be compared with the kept items before it and with no others: of a thousand near-duplicates one is kept,
so a thousand comparisons suffice rather than a thousand times as many. So items are screened in order, one block at a
time. First the duplicates within the block are found; the remaining items are kept, and all later items that resemble
one of them are duplicates.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from lookalike.index.hits import Hits, best_hits, collect_hits, concat_hits
from lookalike.index.storage.postings import halves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.snapshot import Snapshot
    from lookalike.kinds.base import Signed

BLOCK = 256
"""Items compared with each other at a time."""


class Screening:
    """Finds the new items that resemble others, in order."""

    def __init__(self, snapshot: Snapshot, batch: Snapshot, signed: Signed, min_score: float) -> None:
        """Take the index, the new items as a snapshot of their own, and their signatures."""
        self._snapshot = snapshot
        self._batch = batch
        self._signed = signed
        self._min_score = min_score
        self._one_way = snapshot.operations.recipe.measure.one_way
        self._part = len(snapshot.parts)
        original, copy = halves(batch.parts[0].part.copies)
        self._copies = original, copy.astype(np.int64)
        is_original = signed.prints[:, 0] != 0
        is_original[copy] = False
        self._originals = np.flatnonzero(is_original)
        """Items that are neither empty nor a copy of an earlier one."""
        self._last_copy = np.arange(len(is_original))
        np.maximum.at(self._last_copy, *self._copies)
        """The last copy of each original; itself if it has none."""
        self._is_duplicate = np.zeros(len(is_original), bool)
        """Whether an original resembles an item of the index, or an earlier one that is kept."""
        self._hits: list[Hits] = []
        self._late: list[tuple[int, int, float]] = []
        """(original, kept item, score) where the kept item comes after the original, but before copies of it."""

    def find(self) -> Hits:
        """Return the best hit of each duplicate. New items have the part number after those of the index."""
        self._collect(self._snapshot.search(self._signed, self._min_score, places=self._originals, top=1))
        step = max(len(self._originals), 1) if self._one_way else BLOCK
        for begin in range(0, len(self._originals), step):
            block = self._originals[begin : begin + step]
            self._mark_duplicates(self._choose_kept(block[~self._is_duplicate[block]]))
        hits = best_hits(concat_hits(self._hits), 1)
        return concat_hits((hits, *self._copy_hits(hits)))

    def _choose_kept(self, block: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the items of a block that resemble no earlier kept item of it."""
        in_block = np.zeros(len(self._last_copy), bool)
        in_block[block] = True
        pairs: list[tuple[int, int]] = []
        for _, hits in self._batch.search_originals(
            self._signed, block, self._min_score, lambda place, item: in_block[item] & (item < place)
        ):
            pairs += zip(hits.query.tolist(), hits.item.tolist(), strict=True)
        duplicates = set()
        for item, earlier in groupby(sorted(pairs), itemgetter(0)):
            if any(one not in duplicates for _, one in earlier):
                duplicates.add(item)
        return np.setdiff1d(block, list(duplicates))

    def _mark_duplicates(self, kept: NDArray[np.int64]) -> None:
        """Mark the items that resemble kept ones: later originals, and later copies of earlier originals."""
        for similar, item, score in self._similar_to(kept):
            after = similar > item
            part = np.full(np.count_nonzero(after), self._part)
            self._collect(Hits(similar[after], part, item[after].astype(np.uint32), score[after]))
            self._late += zip(*(column[~after].tolist() for column in (similar, item, score)), strict=True)

    def _similar_to(
        self, kept: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
        """Yield (original, kept item, score) where the original, or a copy of it, comes after the kept item.

        With an asymmetric measure, the originals are the queries.
        """
        if self._one_way:
            is_kept = np.zeros(len(self._last_copy), bool)
            is_kept[kept] = True
            for _, hits in self._batch.search_originals(
                self._signed,
                self._originals,
                self._min_score,
                lambda place, item: is_kept[item] & (self._last_copy[place] > item) & (item != place),
            ):
                yield hits.query, hits.item.astype(np.int64), hits.score
            return
        for _, hits in self._batch.search_originals(
            self._signed, kept, self._min_score, lambda place, item: (self._last_copy[item] > place) & (item != place)
        ):
            yield hits.item.astype(np.int64), hits.query, hits.score

    def _collect(self, hits: Hits) -> None:
        """Collect hits, and mark their queries as duplicates."""
        collect_hits(self._hits, hits, 1)
        self._is_duplicate[hits.query] = True

    def _copy_hits(self, hits: Hits) -> Iterator[Hits]:
        """Yield the best hits of copies: their original if it is kept; otherwise its best hit, or a later kept item."""
        original, copy = self._copies
        kept = ~self._is_duplicate[original]
        best = np.full(np.count_nonzero(kept), self._snapshot.operations.recipe.measure.best)
        yield Hits(copy[kept], np.full(len(best), self._part), original[kept].astype(np.uint32), best)
        inherited = hits[np.searchsorted(hits.query, original[~kept])]
        late = Hits(*self._late_hits(original[~kept], copy[~kept]))
        yield best_hits(concat_hits((Hits(copy[~kept], inherited.part, inherited.item, inherited.score), late)), 1)

    def _late_hits(
        self, originals: NDArray[np.int64], copies: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]:
        """Return the hits of copies among kept items that come between their original and them."""
        by_original: dict[int, list[tuple[int, float]]] = {}
        for original, item, score in self._late:
            by_original.setdefault(original, []).append((item, score))
        rows = [
            (copy, self._part, item, score)
            for original, copy in zip(originals.tolist(), copies.tolist(), strict=True)
            for item, score in by_original.get(original, ())
            if item < copy
        ]
        query, part, items, scores = (np.array([row[i] for row in rows]) for i in range(4))
        return query.astype(np.int64), part.astype(np.int64), items.astype(np.uint32), scores.astype(np.float64)
