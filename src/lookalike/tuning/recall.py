"""Measured recall: how many of the true pairs of a sample were found, with confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.random import random_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.measures import Measure
    from lookalike.recipe import Recipe

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

BINS = 4
"""Ranges of similarity below 1; pairs of similarity 1 are a range of their own."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the true pairs were found, among those of similarities from `low` to `high`."""

    low: float
    high: float
    pairs: int
    found: int
    recall: float | None
    """None without pairs."""
    interval: tuple[float, float]
    """Where the recall of the whole run is, with the confidence wanted; (0, 1) without pairs."""
    predicted: float | None
    """The recall that the S-curve gives these pairs; of the nearest, what was asked for."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The recall of a run, as a sample of its items shows it.

    A pair is counted once for each of its items that was sampled. Of the nearest, a pair is an item and one of its k
    nearest, or another that is as near as the last of them.
    """

    sampled: int
    """Items whose partners were looked for; 0 where the nearest were found by a search that misses none."""
    population: int
    """Items they were drawn from: all that have a shingle."""
    confidence: float
    overall: Share
    bins: tuple[Share, ...]
    """The same by similarity: from the threshold to 1, and exact copies last. Of the nearest there are none."""

    @property
    def complete(self) -> bool:
        """Whether all items were sampled, so that the recall is known and not estimated."""
        return self.sampled == self.population


def draw(population: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Draw items without replacement, all alike likely; the same for the same seed on every platform."""
    if count >= len(population):
        return population
    numbers = random_numbers(seed, population)
    return np.sort(population[np.argpartition(numbers, count)[:count]])


class Tally:
    """Pairs of each sampled original, by similarity: how many there are, were found, and were to be expected."""

    def __init__(self, originals: int, recipe: Recipe) -> None:
        self._edges = edges(recipe.min_score, recipe.measure.best)
        self._measure = recipe.measure
        self._chance = recipe.chance
        self._pairs, self._found, self._expected, self._copies = (np.zeros((originals, BINS + 1)) for _ in range(4))

    def add(
        self,
        one: NDArray[np.int32],
        similarity: NDArray[np.float64],
        items: NDArray[np.int64],
        found: NDArray[np.bool_],
    ) -> None:
        """Count originals that resemble a sampled one, each as many times as it stands for items."""
        cells = one * (BINS + 1) + np.searchsorted(self._edges, similarity, side="right") - 1
        values, nth = np.unique(similarity, return_inverse=True)
        chances = np.array([self._chance(self._measure.score(float(value))) for value in values])
        np.add.at(self._pairs.reshape(-1), cells, items.astype(np.float64))
        np.add.at(self._found.reshape(-1), cells, items * found.astype(np.float64))
        np.add.at(self._expected.reshape(-1), cells, items * chances[nth])

    def add_copies(self, items: NDArray[np.int64]) -> None:
        """Count the copies of each sampled original, which are always found."""
        for total in (self._pairs, self._found, self._expected, self._copies):
            total[:, BINS] += items

    def shares(self, which: NDArray[np.int64], *, complete: bool) -> list[Share]:
        """Sum up over sampled items: all pairs, then each range of similarity; `which` has the original of each."""
        ends = self._edges.tolist()
        below = [i for i in range(BINS) if ends[i] < ends[i + 1]]
        return [
            self._share((ends[0], ends[-1]), slice(None), which, complete),
            *(self._share((ends[i], ends[i + 1]), slice(i, i + 1), which, complete) for i in below),
            self._share((ends[-1], ends[-1]), slice(BINS, None), which, complete),
        ]

    def _share(self, ends: tuple[float, float], bins: slice, which: NDArray[np.int64], complete: bool) -> Share:
        """Sum up over some ranges of scores; they are told as values, the lesser first."""
        ends = min(map(self._measure.score, ends)), max(map(self._measure.score, ends))
        pairs, found, expected, copies = (
            total[:, bins].sum(axis=1)[which] for total in (self._pairs, self._found, self._expected, self._copies)
        )
        total = pairs.sum()
        if not total:
            return Share(*ends, 0, 0, None, (0.0, 1.0), None)
        recall = float(found.sum() / total)
        within = (recall, recall) if complete else interval(pairs, found, copies)
        return Share(*ends, int(total), int(found.sum()), recall, within, float(expected.sum() / total))


def share_of_nearest(
    truth: NDArray[np.float64], found: NDArray[np.float64], measure: Measure, asked: float, *, complete: bool
) -> Share:
    """Count how many of the nearest were found: both have a row of scores for each item, -inf for nothing.

    Of those that score as the last of the true ones does, any are as good as others; but not in place of better ones.
    """
    there = np.isfinite(truth)
    last = np.min(truth, axis=1, where=there, initial=np.inf)
    pairs = there.sum(axis=1).astype(np.float64)
    equals = [(scores == last[:, None]).sum(axis=1) for scores in (truth, found)]
    hits = (found > last[:, None]).sum(axis=1) + np.minimum(*equals).astype(np.float64)
    total = pairs.sum()
    if not total:
        return certain(truth, measure)
    recall = float(hits.sum() / total)
    within = (recall, recall) if complete else interval(pairs, hits, np.zeros(len(pairs)))
    return Share(*ends_of(truth[there], measure), int(total), int(hits.sum()), recall, within, asked)


def certain(scores: NDArray[np.float64], measure: Measure) -> Share:
    """Return the share of a search that misses nothing, of the scores it has found; -inf is nothing."""
    known = scores[np.isfinite(scores)]
    if not len(known):
        return Share(measure.best, measure.best, 0, 0, None, (0.0, 1.0), None)
    return Share(*ends_of(known, measure), len(known), len(known), 1.0, (1.0, 1.0), 1.0)


def ends_of(scores: NDArray[np.float64], measure: Measure) -> tuple[float, float]:
    """Return the least and the greatest of some scores, as values."""
    ends = sorted(measure.score(float(end)) for end in (scores.min(), scores.max()))
    return ends[0], ends[1]


def edges(threshold: float, best: float = 1.0) -> NDArray[np.float64]:
    """Return where the ranges of scores begin: equal parts from the threshold to the best, and the best.

    >>> edges(0.8).tolist()
    [0.8, 0.85, 0.9, 0.95, 1.0]
    """
    steps = np.round(threshold + (best - threshold) * np.arange(BINS + 1) / BINS, 12)
    steps[0], steps[-1] = threshold, best
    return np.clip(steps, threshold, best)


def interval(
    pairs: NDArray[np.float64], found: NDArray[np.float64], copies: NDArray[np.float64]
) -> tuple[float, float]:
    """Return where the recall of all items is, from the pairs that each sampled one has and how many were found.

    It is Wilson's interval, as if fewer pairs had been seen than were: pairs of one item tend to be found or missed
    together. How much so shows in the variance between items. But a few items with a missed pair say little of that
    variance, and none says nothing. So one more item is imagined, with as many pairs as the largest, `copies` apart,
    which are always found; and all of them turned out the rarer way.
    """
    recall = found.sum() / pairs.sum()
    size = max(1.0, (pairs - copies).max())
    every = np.append(pairs, size)
    residuals = np.append(found, 0.0 if recall > 1 / 2 else size)
    share = residuals.sum() / every.sum()
    residuals -= share * every
    items = np.count_nonzero(every)
    variance_if_apart = share * (1 - share) * every.sum()
    effect = max(1.0, items / (items - 1) * (residuals * residuals).sum() / variance_if_apart)
    return wilson(recall, pairs.sum() / effect)


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's interval for a share that was seen in so many cases.

    >>> wilson(1.0, 100)
    (0.9630..., 1.0)
    """
    centre = share + Z * Z / (2 * count)
    reach = Z * math.sqrt(share * (1 - share) / count + (Z / (2 * count)) ** 2)
    scale = 1 + Z * Z / count
    low, high = (centre - reach) / scale, (centre + reach) / scale
    return min(max(float(low), 0.0), float(share)), max(min(float(high), 1.0), float(share))
