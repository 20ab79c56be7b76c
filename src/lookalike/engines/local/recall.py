"""Measurement of recall: the true pairs of a sample of items, found by an exact scan, against those the run found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.arrays.pair_codes import pair_codes
from lookalike.tuning.recall import CONFIDENCE, Measured, Tally, draw

if TYPE_CHECKING:
    from lookalike.engines.local.cluster import Members
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.verify import Verified
    from lookalike.kinds import Collection
    from lookalike.recipe import Recipe

Found = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.bool_]]
"""Returns which pairs of originals the run found."""


def measure_recall(run: Run, recipe: Recipe, collected: Collected, found: Found) -> Measured | None:
    """Find the true pairs of a sample of items by an exact scan, and count how many the run found, on request."""
    if not run.sampled:
        return None
    with run.stages.timed("measure"):
        original, boundary = collected.copies.original, collected.boundary
        population = np.flatnonzero(original[:boundary] >= 0)
        items = draw(population, run.sampled, recipe.seed)
        originals, which = np.unique(original[items], return_inverse=True)
        others = original[boundary or 0 :]
        partners = np.bincount(others[others >= 0], minlength=len(original))
        tally = Tally(len(originals), recipe)
        tally.add_copies(partners[originals] - (boundary is None))
        scan(originals, partners, run, collected.items, found, tally)
        overall, *bins = tally.shares(which, complete=len(items) == len(population))
        return Measured(len(items), len(population), CONFIDENCE, overall, tuple(bins))


def scan(
    originals: NDArray[np.int32],
    partners: NDArray[np.int64],
    run: Run,
    items: Collection,
    found: Found,
    tally: Tally,
) -> None:
    """Compare originals with all items, and count pairs. `partners` holds the number of items that each represents."""
    among = np.flatnonzero(partners).astype(np.int32)
    rounds = items.rounds(originals)
    with run.stages.stage("measure", len(rounds) * len(among)) as advance:
        for part in rounds:
            for hits in items.scan(originals[part], among, items.recipe.min_score):
                one = hits.few + part.start
                other = hits.item != originals[one]
                one, item = one[other], hits.item[other]
                tally.add(one, hits.similarity[other], partners[item], found(originals[one], item))
                advance(hits.scanned)


class Listed:
    """Decides whether two items are a listed pair."""

    def __init__(self, pairs: Verified) -> None:
        self._pairs = pairs

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """The codes of the pairs, in order, and a sentinel greater than all of them."""
        return np.append(pair_codes(self._pairs.left, self._pairs.right), np.iinfo(np.int64).max)

    def __call__(self, one: NDArray[np.int32], two: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of these pairs are in the list."""
        wanted = pair_codes(one, two)
        found: NDArray[np.bool_] = self._codes[np.searchsorted(self._codes, wanted)] == wanted
        return found


class Connected:
    """Decides whether two items are in the same cluster."""

    def __init__(self, roots: NDArray[np.int32]) -> None:
        self._roots = roots

    def __call__(self, one: NDArray[np.int32], two: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of these pairs have the same root."""
        return np.equal(self._roots[one], self._roots[two])


class Settled:
    """Decides whether a pair is settled: at most one of its two items is kept."""

    def __init__(self, original: NDArray[np.int32], clusters: Members) -> None:
        item, keeper = original[clusters.item], original[clusters.keeper]
        self._kept = np.ones(len(original), bool)
        self._kept[item[item != keeper]] = False

    def __call__(self, one: NDArray[np.int32], two: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of these pairs of originals are not both kept."""
        return ~(self._kept[one] & self._kept[two])
