"""Candidates -> pairs, by their exact similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.pair_codes import lookup_scores, pair_codes
from lookalike.errors import InputError
from lookalike.lsh.buckets import Candidates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lookalike.kinds import Collection
    from lookalike.store.copies import Copies

MAX_PAIRS = 1 << 28
"""The maximum number of pairs held: a longer list is of no use."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Pairs: items whose exact similarity reaches the threshold."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)


def concatenate(found: Iterable[Verified]) -> Verified:
    """Put pairs together, each once: a candidate that was forgotten may have been compared again."""
    parts: list[Verified] = []
    total = 0
    limit = MAX_PAIRS
    for part in found:
        parts.append(part)
        total += len(part)
        if total > limit:
            parts = [merge(parts)]
            total = len(parts[0])
            limit = MAX_PAIRS + total // 2
            if total > MAX_PAIRS:
                raise InputError(
                    f"There are more than {MAX_PAIRS:,} pairs at this threshold. Raise `threshold`, or use dedup, "
                    "which does not list pairs"
                )
    return merge(parts)


def merge(parts: list[Verified]) -> Verified:
    """Return the pairs of all parts in order, each once, the lesser item left."""
    left = np.concatenate([np.minimum(part.left, part.right) for part in parts] or [np.empty(0, np.int32)])
    right = np.concatenate([np.maximum(part.left, part.right) for part in parts] or [np.empty(0, np.int32)])
    similarity = np.concatenate([part.similarity for part in parts] or [np.empty(0)])
    _, first = np.unique(pair_codes(left, right), return_index=True)
    return Verified(left[first], right[first], similarity[first])


class Verifier:
    """Compares items exactly."""

    def __init__(self, items: Collection) -> None:
        self._items = items

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the exact score of each left item with the right one."""
        return self._items.scores(left, right)

    def verify(self, candidates: Candidates, min_score: float) -> Verified:
        """Return the candidates that are pairs."""
        order = np.argsort(candidates.left, kind="stable")  # so that at least half of the items are read in order
        candidates = Candidates(candidates.left[order], candidates.right[order])
        similarity = self._items.scores(candidates.left, candidates.right, min_score)
        found = similarity >= min_score
        return Verified(candidates.left[found], candidates.right[found], similarity[found])

    def scores_of_items(
        self, one: NDArray[np.int64], two: NDArray[np.int64], copies: Copies, known: Iterable[Verified] = ()
    ) -> NDArray[np.float64]:
        """Return the exact score of each item with another, which may be known from before.

        A copy is compared by its original.
        """
        left, right = copies.original[two], copies.original[one]
        pairs = merge(list(known))
        out = lookup_scores(pairs.left, pairs.right, pairs.similarity, left, right, self._items.recipe.measure.best)
        unknown = np.isnan(out)
        out[unknown] = self.scores(left[unknown], right[unknown])
        return out
