"""A sample of a collection: how close its items are to others, and how likely their slots agree.

Both are counted, since one does not follow from the other: bands of sets depend on the Jaccard similarity, whatever the
measure is, and features of vectors that are not close may still share a cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lookalike.tuning.cost import Expected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.measures import Measure
    from lookalike.recipe import Recipe

SAMPLED = 64
"""Items that a run compares with others to choose its bands."""

MAX_OTHERS = 1 << 17
"""The maximum number of items that the sample is compared with."""

STEPS = 400
"""Cells from 0 to 1 in which slot chances are counted. Each cell stands for the mean of its chances."""

BINS = 10
"""Bins shown, apart from those next to the threshold and beyond the axis."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of pairs with a similarity in [low, high), or up to 1, or with a distance in (low, high].

    Copies, which are always found, are not counted. The first bin of sets has only pairs that share an element; the
    last bin of distances has no upper end.
    """

    low: float
    high: float
    sampled: int
    """Pairs of a sampled item and another item."""
    pairs: float
    """The estimated number of pairs among all items."""
    error: float
    """The standard error of that estimate; if the sample has no such pair, the estimate that one pair would give."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts of how close each item of a sample is to the others."""

    counts: NDArray[np.float64] = field(repr=False)
    """The number of others per sampled item and cell. The second half of the cells counts pairs."""
    chances: NDArray[np.float64] = field(repr=False)
    """The mean chance that a slot agrees, per cell."""
    shown: NDArray[np.float64] = field(repr=False)
    """The number of others per sampled item and bin."""
    bounds: NDArray[np.float64] = field(repr=False)
    """The scores where bins begin and end."""
    compared: int
    """The number of items to compare."""
    among: int
    """The number of items that the sample was compared with."""

    def __len__(self) -> int:
        return len(self.counts)

    def total(self, per_item: NDArray[np.float64]) -> tuple[float, float]:
        """Return the sum over all pairs, with its standard error, given the sums over the pairs of each sampled item.

        A pair is counted from both of its items, hence the half. A sample of all items has no error.
        """
        scale = self.compared / self.among * self.compared / 2
        mean = float(scale * per_item.mean())
        if len(self) == self.among == self.compared:
            return mean, 0.0
        spread = per_item.std(ddof=1) if len(self) > 1 else math.inf
        unknown = 1 - len(self) / self.compared * self.among / self.compared
        return mean, float(scale * spread * math.sqrt(unknown / len(self)))

    def bins(self, measure: Measure) -> tuple[Bin, ...]:
        """Count the pairs of each range of values, in ascending order."""
        found = []
        for place, ends in enumerate(pairwise(self.bounds.tolist())):
            low, high = sorted(map(measure.score, ends))
            sampled = int(self.shown[:, place].sum())
            pairs, error = self.total(self.shown[:, place])
            if sampled == 0 and not len(self) == self.among == self.compared:
                error = self.compared / len(self) / 2 * self.compared / self.among
            found.append(Bin(low, high, sampled, pairs, error))
        return tuple(reversed(found) if measure.is_distance else found)

    def expect(self, banding: Banding) -> Expected:
        """Return the work that a banding is expected to cause."""
        band_chance, chance = collision_chances(self.chances, banding)
        per_item = self.counts @ chance
        candidates, error = self.total(per_item)
        false = np.where(np.arange(len(chance)) < len(chance) // 2, chance, 0.0)
        return Expected(
            candidates=candidates,
            collisions=self.total(self.counts @ (banding.bands * band_chance))[0],
            per_item=per_item,
            without_candidate=np.exp(self.counts @ np.log1p(-np.minimum(chance, 1 - 1e-12))),
            error=error,
            false_candidates=self.total(self.counts @ false)[0],
        )


class Tally:
    """Counter of how close sampled items are to others."""

    def __init__(self, sampled: int, recipe: Recipe) -> None:
        self._min_score = recipe.min_score
        self._bounds = bin_scores(recipe.measure, recipe.threshold)
        self._counts = np.zeros(sampled * 2 * STEPS, np.int64)
        self._shown = np.zeros(sampled * (len(self._bounds) - 1), np.int64)
        self._sums = np.zeros(2 * STEPS)

    def add(self, few: NDArray[np.int64], scores: NDArray[np.float64], chances: NDArray[np.float64]) -> None:
        """Count others, given their sampled items, their scores, and the chances that a slot agrees."""
        cell = np.minimum((chances * STEPS).astype(np.int64), STEPS - 1) + STEPS * (scores >= self._min_score)
        self._sums += np.bincount(cell, chances, 2 * STEPS)
        bins = len(self._bounds) - 1
        place = np.clip(np.searchsorted(self._bounds, scores, side="right") - 1, 0, bins - 1)
        first = int(few.min()) if len(few) else 0
        for counts, cells, width in ((self._counts, cell, 2 * STEPS), (self._shown, place, bins)):
            more = np.bincount((few - first) * width + cells)
            counts[first * width : first * width + len(more)] += more

    def sample(self, compared: int, among: int) -> Sample:
        """Return the counts as a sample."""
        counts = self._counts.reshape(-1, 2 * STEPS).astype(np.float64)
        total = counts.sum(axis=0)
        middles = np.tile((np.arange(STEPS) + 0.5) / STEPS, 2)
        chances = np.divide(self._sums, total, out=middles, where=total > 0)
        shown = self._shown.reshape(len(counts), -1).astype(np.float64)
        return Sample(counts, chances, shown, self._bounds, compared, among)


def bin_scores(measure: Measure, threshold: float) -> NDArray[np.float64]:
    """Return the scores where bins begin and end."""
    return np.sort([measure.score(value) for value in {*measure.bin_edges(threshold, BINS), float(threshold)}])


def collision_chances(slots: NDArray[np.float64], banding: Banding) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the chances to share the bucket of one band, and of any band, given the chances that a slot agrees."""
    band_chance = slots**banding.rows
    apart = banding.bands * np.log1p(-np.minimum(band_chance, 1 - 1e-12))
    return band_chance, np.where(band_chance < 1, -np.expm1(apart), 1.0)


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close items are to others on average: a small sample, to choose the bands of a run."""

    chances: NDArray[np.float64]
    """The chance that a slot agrees, per cell."""
    counts: NDArray[np.float64]
    """The mean number of others of an item, per cell."""
    compared: int

    def expect(self, banding: Banding) -> Expected:
        """Return the work that a banding is expected to cause."""
        band_chance = self.chances**banding.rows
        chance = -np.expm1(banding.bands * np.log1p(-np.minimum(band_chance, 1 - 1e-12)))
        per_item = float(self.counts @ chance)
        collisions = self.compared / 2 * banding.bands * float(self.counts @ band_chance)
        return Expected(self.compared / 2 * per_item, collisions, np.array([per_item]), np.array([0.0]))


def draw_others(compared: NDArray[np.int32], random: np.random.Generator) -> NDArray[np.int32]:
    """Return the items to compare a sample with: all, or a random part of them."""
    return compared if len(compared) <= MAX_OTHERS else np.sort(random.choice(compared, MAX_OTHERS, replace=False))
