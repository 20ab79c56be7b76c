"""A sample of a collection: how close its items are to all others, and how likely their slots agree.

Both are counted, since one does not follow from the other: bands of sets go by the Jaccard similarity, whatever the
measure; and features that are not close may still be in one cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import InputError
from lookalike.exact.scan import Few, scan
from lookalike.kinds.space import SetSpace, VectorSpace
from lookalike.measures import JACCARD, Measure
from lookalike.tuning.curve import axis_end
from lookalike.tuning.slots import slot_chances
from lookalike.tuning.vectors import SAMPLED, scores_among, some_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Family
    from lookalike.recipe import Recipe

STEPS = 400
"""Cells from 0 to 1 in which chances of slots are counted; each is taken for the mean of what is in it."""

BINS = 10
"""Bins that are shown, apart from those beside the threshold and beyond the axis."""


@dataclass(frozen=True, slots=True)
class Bin:
    """How many pairs have a similarity from `low` to below `high`, or to 1; or a distance above `low`, up to `high`.

    Copies, always found, are not among them. The first bin of sets has only pairs that share something, the last one
    of distances has no end.
    """

    low: float
    high: float
    sampled: int
    """Pairs of a sampled item and another."""
    pairs: float
    """Pairs among all items, as far as the sample tells."""
    error: float
    """Standard error of that number; where the sample has no such pair, what one would have made of it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a banding is expected to do to a collection."""

    candidates: float
    error: float
    false_candidates: float
    meetings: float
    """How many times two items share a bucket."""
    of_each: NDArray[np.float64] = field(repr=False)
    """Candidates of each sampled item."""
    alone: NDArray[np.float64] = field(repr=False)
    """The chance of each sampled item to have none."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How often each closeness occurs between each item of a sample and the others."""

    counts: NDArray[np.float64] = field(repr=False)
    """For each sampled item and cell, with how many others it is there. The second half of the cells are of pairs."""
    chances: NDArray[np.float64] = field(repr=False)
    """The mean chance of a slot to agree, in each cell."""
    shown: NDArray[np.float64] = field(repr=False)
    """For each sampled item and bin, with how many others it is there."""
    bounds: NDArray[np.float64] = field(repr=False)
    """Scores at which bins begin and end."""
    compared: int
    """Items that are compared."""
    among: int
    """Those of them that the sample was compared with."""

    def __len__(self) -> int:
        return len(self.counts)

    def total(self, of_each: NDArray[np.float64]) -> tuple[float, float]:
        """Return the sum over all pairs, with its standard error, given the sums over the pairs of each sampled item.

        A pair is met from both of its ends, hence the half. A sample of all items has no error.
        """
        scale = self.compared / self.among * self.compared / 2
        mean = float(scale * of_each.mean())
        if len(self) == self.among == self.compared:
            return mean, 0.0
        spread = of_each.std(ddof=1) if len(self) > 1 else math.inf
        unknown = 1 - len(self) / self.compared * self.among / self.compared
        return mean, float(scale * spread * math.sqrt(unknown / len(self)))

    def bins(self, measure: Measure) -> tuple[Bin, ...]:
        """Count the pairs of each range of values, in the order in which those go up."""
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
        """Return what a banding would do."""
        meets = self.chances**banding.rows
        apart = banding.bands * np.log1p(-np.minimum(meets, 1 - 1e-12))
        chance = np.where(meets < 1, -np.expm1(apart), 1.0)
        of_each = self.counts @ chance
        candidates, error = self.total(of_each)
        vain = np.where(np.arange(len(chance)) < len(chance) // 2, chance, 0.0)
        return Expected(
            candidates=candidates,
            error=error,
            false_candidates=self.total(self.counts @ vain)[0],
            meetings=self.total(self.counts @ (banding.bands * meets))[0],
            of_each=of_each,
            alone=np.exp(self.counts @ np.log1p(-np.minimum(chance, 1 - 1e-12))),
        )


class Tally:
    """Counts how close sampled items are to others."""

    def __init__(self, sampled: int, recipe: Recipe) -> None:
        self._least = recipe.least_score
        self._bounds = bounds_of(recipe.measure, recipe.threshold)
        self._counts = np.zeros(sampled * 2 * STEPS, np.int64)
        self._shown = np.zeros(sampled * (len(self._bounds) - 1), np.int64)
        self._sums = np.zeros(2 * STEPS)

    def add(self, few: NDArray[np.int64], scores: NDArray[np.float64], chances: NDArray[np.float64]) -> None:
        """Count others: of which sampled items, with which scores, and the chances of a slot to agree."""
        cell = np.minimum((chances * STEPS).astype(np.int64), STEPS - 1) + STEPS * (scores >= self._least)
        self._sums += np.bincount(cell, chances, 2 * STEPS)
        bins = len(self._bounds) - 1
        place = np.clip(np.searchsorted(self._bounds, scores, side="right") - 1, 0, bins - 1)
        first = int(few.min()) if len(few) else 0
        for counts, cells, width in ((self._counts, cell, 2 * STEPS), (self._shown, place, bins)):
            more = np.bincount((few - first) * width + cells)
            counts[first * width : first * width + len(more)] += more

    def sample(self, compared: int, among: int) -> Sample:
        """Return what was counted."""
        counts = self._counts.reshape(-1, 2 * STEPS).astype(np.float64)
        total = counts.sum(axis=0)
        middles = np.tile((np.arange(STEPS) + 0.5) / STEPS, 2)
        chances = np.divide(self._sums, total, out=middles, where=total > 0)
        shown = self._shown.reshape(len(counts), -1).astype(np.float64)
        return Sample(counts, chances, shown, self._bounds, compared, among)


def bounds_of(measure: Measure, threshold: float) -> NDArray[np.float64]:
    """Return the scores at which bins begin and end: tenths of the axis, and the threshold."""
    most = axis_end(measure, threshold)
    steps = {most * i / BINS if measure.name == "euclidean" else i / BINS for i in range(BINS + 1)}
    if measure.name == "hamming":
        steps = {float(round(most * i / BINS)) for i in range(BINS + 1)}
    ends = {math.inf} if measure.is_distance else {-1.0} if measure.of == "vectors" else set()
    if measure.name == "agreement":
        ends = set()
    return np.sort([measure.score(value) for value in {*steps, *ends, float(threshold)}])


def take_sample(run: Run, collected: Collected, size: int) -> tuple[Sample, NDArray[np.int32]]:
    """Compare so many items with all the others; return also which."""
    originals, space = collected.copies.originals, collected.space
    if not len(originals):
        raise InputError("There is nothing to sample: no item has a shingle. Leave the sample out")
    source = np.random.default_rng(run.recipe.seed)
    items = np.sort(source.choice(originals, min(size, len(originals)), replace=False))
    tally = Tally(len(items), run.recipe)
    if isinstance(space, VectorSpace):
        others = some_of(originals, source)
        compare_vectors(run, space.family, items, others, tally)
        return tally.sample(len(originals), len(others)), items
    assert isinstance(space, SetSpace)  # noqa: S101 - there is no other
    compare_sets(run, space, items, originals, tally)
    return tally.sample(len(originals), len(originals)), items


def compare_sets(run: Run, space: SetSpace, items: NDArray[np.int32], among: NDArray[np.int32], tally: Tally) -> None:
    """Compare sets by the measure; and by Jaccard, which is the chance of a slot, in a second scan where it must be."""
    few, measure = Few.of(items, space.items, space.shingler), run.recipe.measure
    codes = (JACCARD, measure.code) if measure.name == "cosine" else (JACCARD,)
    scans = [scan(few, among, space.items, space.shingler, run.threads, (code, 0.0, 0.0)) for code in codes]
    with run.stages.stage("scan", len(among)) as advance:
        for hits in zip(*scans, strict=True):
            others = hits[0].item != items[hits[0].few]
            jaccard, similarity = hits[0].similarity[others], hits[-1].similarity[others]
            if measure.name == "dice":
                similarity = 2 * jaccard / (1 + jaccard)
            tally.add(hits[0].few[others].astype(np.int64), similarity, jaccard)
            advance(hits[0].scanned)


def compare_vectors(run: Run, family: Family, items: NDArray[np.int32], among: NDArray[np.int32], tally: Tally) -> None:
    """Compare vectors, some at a time."""
    with run.stages.stage("scan", len(items)) as advance:
        for begin in range(0, len(items), SAMPLED):
            some = items[begin : begin + SAMPLED]
            scores = scores_among(family, some, among).astype(np.float64)
            others = np.isfinite(scores)
            scores = np.minimum(scores + family.margin, run.recipe.measure.best)
            chances = slot_chances(family, run.recipe, (some, among), scores)
            few = np.broadcast_to(begin + np.arange(len(some))[:, None], scores.shape)
            tally.add(few[others], scores[others], chances[others])
            advance(len(some))
