"""Measured recall: the share of the true pairs of a sample that were found, with confidence intervals."""

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
"""The number of ranges of similarity below 1; pairs of similarity 1 have their own range."""


@dataclass(frozen=True, slots=True)
class Share:
    """The share of true pairs found, among those of similarities from `low` to `high`."""

    low: float
    high: float
    pairs: int
    found: int
    recall: float | None
    """None without pairs."""
    interval: tuple[float, float]
    """The confidence interval of the recall of the whole run; (0, 1) without pairs."""
    predicted: float | None
    """The recall that the S-curve predicts for these pairs; in a search for the nearest, the recall requested."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The recall of a run, measured on a sample of its items.

    A pair counts once per sampled item in it. In a search for the nearest, a pair is an item and one of its k nearest,
    or another item that is as near as the last of them.
    """

    sampled: int
    """Items whose pairs were searched exactly; 0 if the nearest were found by an exact search."""
    population: int
    """Items that the sample was drawn from: all that are not empty."""
    confidence: float
    overall: Share
    bins: tuple[Share, ...]
    """The shares by similarity: from the threshold to 1, and copies last. Empty in a search for the nearest."""

    @property
    def complete(self) -> bool:
        """Whether all items were sampled, so that the recall is exact rather than estimated."""
        return self.sampled == self.population


def draw(population: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Draw items uniformly without replacement. The same seed draws the same items on all_pairs platform."""
    if count >= len(population):
        return population
    numbers = random_numbers(seed, population)
    return np.sort(population[np.argpartition(numbers, count)[:count]])


class Tally:
    """The numbers of pairs of each sampled original, by similarity: true, found, and expected to be found."""

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
        """Count originals that are similar to a sampled one, each as many times as it represents items."""
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
        """Return totals over sampled items with originals `which`: of all pairs, then of each range of similarity."""
        ends = self._edges.tolist()
        below = [i for i in range(BINS) if ends[i] < ends[i + 1]]
        return [
            self._share((ends[0], ends[-1]), slice(None), which, complete),
            *(self._share((ends[i], ends[i + 1]), slice(i, i + 1), which, complete) for i in below),
            self._share((ends[-1], ends[-1]), slice(BINS, None), which, complete),
        ]

    def _share(self, ends: tuple[float, float], bins: slice, which: NDArray[np.int64], complete: bool) -> Share:
        """Return the total over some ranges of scores, whose ends become values of the measure, the lesser first."""
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
    truth: NDArray[np.float64], found: NDArray[np.float64], measure: Measure, promised: float, *, complete: bool
) -> Share:
    """Count how many of the nearest were found. Both arrays have one row of scores per item, padded with -inf.

    Items tied with the last of the true ones are interchangeable, but do not replace better ones.
    """
    present = np.isfinite(truth)
    last = np.min(truth, axis=1, where=present, initial=np.inf)
    pairs = present.sum(axis=1).astype(np.float64)
    equals = [(scores == last[:, None]).sum(axis=1) for scores in (truth, found)]
    hits = (found > last[:, None]).sum(axis=1) + np.minimum(*equals).astype(np.float64)
    total = pairs.sum()
    if not total:
        return certain(truth, measure)
    recall = float(hits.sum() / total)
    within = (recall, recall) if complete else interval(pairs, hits, np.zeros(len(pairs)))
    return Share(*ends_of(truth[present], measure), int(total), int(hits.sum()), recall, within, promised)


def certain(scores: NDArray[np.float64], measure: Measure) -> Share:
    """Return the share of an exact search, which is 1, from the scores it found, padded with -inf."""
    known = scores[np.isfinite(scores)]
    if not len(known):
        return Share(measure.best, measure.best, 0, 0, None, (0.0, 1.0), None)
    return Share(*ends_of(known, measure), len(known), len(known), 1.0, (1.0, 1.0), 1.0)


def ends_of(scores: NDArray[np.float64], measure: Measure) -> tuple[float, float]:
    """Return the minimum and the maximum of some scores, as values of the measure, the lesser first."""
    ends = sorted(measure.score(float(end)) for end in (scores.min(), scores.max()))
    return ends[0], ends[1]


def edges(threshold: float, best: float = 1.0) -> NDArray[np.float64]:
    """Return the scores where ranges begin: equal parts from the threshold to the best score, and the best score.

    >>> edges(0.8).tolist()
    [0.8, 0.85, 0.9, 0.95, 1.0]
    """
    steps = np.round(threshold + (best - threshold) * np.arange(BINS + 1) / BINS, 12)
    steps[0], steps[-1] = threshold, best
    return np.clip(steps, threshold, best)


def interval(
    pairs: NDArray[np.float64], found: NDArray[np.float64], copies: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the confidence interval of the recall of all items, from the pairs and found pairs of each sampled item.

    It is Wilson's interval for a reduced number of pairs, since the pairs of one item tend to be found or missed
    together. The reduction follows from the variance between items. A few items with a missed pair say little about
    that variance, though, and no such item says nothing. Therefore one more item is assumed, with as many pairs as the
    largest item has without its copies, which are always found; all of them with the rarer outcome.
    """
    recall = found.sum() / pairs.sum()
    size = max(1.0, (pairs - copies).max())
    all_pairs = np.append(pairs, size)
    residuals = np.append(found, 0.0 if recall > 1 / 2 else size)
    share = residuals.sum() / all_pairs.sum()
    residuals -= share * all_pairs
    items = np.count_nonzero(all_pairs)
    independent_variance = share * (1 - share) * all_pairs.sum()
    effect = max(1.0, items / (items - 1) * (residuals * residuals).sum() / independent_variance)
    return wilson(recall, pairs.sum() / effect)


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's interval for a share observed in a number of cases.

    >>> wilson(1.0, 100)
    (0.9630..., 1.0)
    """
    centre = share + Z * Z / (2 * count)
    reach = Z * math.sqrt(share * (1 - share) / count + (Z / (2 * count)) ** 2)
    scale = 1 + Z * Z / count
    low, high = (centre - reach) / scale, (centre + reach) / scale
    return min(max(float(low), 0.0), float(share)), max(min(float(high), 1.0), float(share))
