"""A sample of a collection -> its similarities -> what each banding would cost there, and the cheapest one."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.collect import collect
from lookalike.errors import InputError, RecipeError
from lookalike.settings import Run, Settings
from lookalike.space import SetSpace
from lookalike.tune import check_promise, choices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.collect import Collected
    from lookalike.recipe import Banding, Sketch

STEPS = 200
"""Cells from 0 to 1 in which similarities are counted; each is taken for the mean of what is in it."""

BINS = 10
"""Bins that are shown."""

EULER = 0.5772

NANO = 1e-9
THROW = 3.2 * NANO
CLASSIC = 1.2 * NANO
BAND = 0.6e-3
SORT = 32 * NANO
MEET = 100 * NANO
PAIR = 110 * NANO
ELEMENT = 1.6 * NANO
MAKE = 40 * NANO
"""Seconds that one core of one machine took: to throw a shingle at the slots; for a shingle and a slot of the classic
sketch; for a band; for a key in it; for two items that meet in a bucket; for a candidate; for a shingle that is looked
up; for a shingle of a set that is made. They are fitted to the CPU times of runs on 2,000 to 127,000 items of 20 to
2,000 shingles. Elsewhere all of them differ, but not so much their ratios, which are what decides.
"""


@dataclass(frozen=True, slots=True)
class Bin:
    """How many pairs have a similarity from `low` to below `high`, or to 1. Copies, always found, are not among them.

    The first bin has only pairs that share something.
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
class Cost:
    """What a banding is expected to do to a collection, in candidates and in seconds of one core.

    Reading and shingling come on top; they cost the same with every banding.
    """

    banding: Banding
    candidates: float
    error: float
    """Standard error of the number of candidates."""
    false_candidates: float
    """Those below the threshold, compared in vain."""
    sign: float
    sort: float
    meet: float
    """Finding out who shares a bucket, and who did so before."""
    verify: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.sign + self.sort + self.meet + self.verify


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample tells of a collection: its similarities, and the cost of each banding that keeps the promise."""

    items: int
    compared: int
    """Items that are compared: those that have shingles and are no copy of an earlier one."""
    sampled: int
    """Those of them whose similarity to all the others is known."""
    shingles: float
    """The mean size of a set."""
    threshold: float
    recall: float
    """The least chance wanted, of a pair at the threshold to be found."""
    bins: tuple[Bin, ...] = field(repr=False)
    costs: tuple[Cost, ...] = field(repr=False)
    """One for each number of rows."""
    _similarities: Similarities = field(repr=False)

    @property
    def best(self) -> Cost:
        """The least of the costs."""
        return min(self.costs, key=lambda cost: cost.seconds)

    @property
    def banding(self) -> Banding:
        """The cheapest banding that keeps the promise."""
        return self.best.banding

    def cost(self, banding: Banding) -> Cost:
        """Return what any banding would cost, whatever it promises."""
        return self._similarities.cost(banding)

    def __str__(self) -> str:
        best = self.best
        return (
            f"Estimate from {self.sampled:,} of {self.compared:,} items: {best.banding.bands} bands of "
            f"{best.banding.rows} rows, {best.candidates:,.0f} candidates, {best.false_candidates:,.0f} of them in vain"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values, ready for JSON."""
        names = ("items", "compared", "sampled", "shingles", "threshold", "recall")
        costs = [{**asdict(cost.banding), **asdict(cost), "seconds": cost.seconds} for cost in self.costs]
        bins = [asdict(one) for one in self.bins]
        for cost in costs:
            del cost["banding"]
        for unknown in (one for one in (*costs, *bins) if math.isinf(one["error"])):
            unknown["error"] = None
        return {
            **{name: getattr(self, name) for name in names},
            **asdict(self.banding),
            "bins": bins,
            "costs": costs,
        }


def estimate_costs(items: Any, *, sample_size: int = 500, **settings: Unpack[Settings]) -> Estimate:  # noqa: ANN401 - whatever holds texts
    """Estimate from a sample of the items what each banding would cost, and so choose the cheapest.

    So many items are drawn, and compared with all the others exactly. The other arguments are those of `find_pairs`.

    >>> estimate_costs(["the cat sat on the mat", "a dog", "the cat sat"], shingle="words:2").bins[4].pairs
    1.0
    """
    if isinstance(sample_size, bool) or not isinstance(sample_size, int) or sample_size < 1:
        raise RecipeError(f"`sample_size` must be a whole number, at least 1. Got {sample_size!r}")
    if settings.get("bands") is not None or settings.get("rows") is not None:
        raise RecipeError("An estimate chooses `bands` and `rows`. Leave them out, and ask its `cost` about others")
    if settings.get("measure", "jaccard") != "jaccard":
        raise RecipeError(
            "An estimate is of Jaccard similarities, by which items meet in bands. Got `measure` "
            f"{settings['measure']!r}"
        )
    threshold, recall = settings.get("threshold", 0.8), settings.get("recall", 0.99)
    check_promise(threshold, recall)
    with Run({**settings, "recall": 1.0}, items) as run:
        collected = collect(run, searched=False)
        similarities = count_similarities(run, collected, sample_size)
    return Estimate(
        items=collected.items.count,
        compared=similarities.compared,
        sampled=len(similarities.sizes),
        shingles=float(similarities.sizes.mean()),
        threshold=threshold,
        recall=recall,
        bins=similarities.bins(),
        costs=tuple(map(similarities.cost, choices(threshold, recall))),
        _similarities=similarities,
    )


def count_similarities(run: Run, collected: Collected, sample_size: int) -> Similarities:
    """Compare a sample with all items."""
    originals = collected.copies.originals
    if not len(originals):
        raise InputError("There is nothing to sample: no item has a shingle. Leave the sample out")
    space = collected.space
    if not isinstance(space, SetSpace):
        raise InputError("An estimate is of sets: of texts by their shingles, or as they are. Leave the sample out")
    source = np.random.default_rng(run.recipe.seed)
    sample = np.sort(source.choice(originals, min(sample_size, len(originals)), replace=False))
    edges = np.unique([*np.arange(STEPS + 1) / STEPS, run.recipe.threshold, np.nextafter(1, 2)])
    cells = len(edges) - 1
    counts, sums = np.zeros(len(sample) * cells, np.int64), np.zeros(cells)
    with run.stages.stage("scan", len(originals)) as advance:
        for hits in space.scan(sample, originals, 0.0):
            others = hits.item != sample[hits.few]
            similarity = hits.similarity[others]
            cell = np.searchsorted(edges[:-1], similarity, side="right") - 1
            counts += np.bincount(hits.few[others] * np.int64(cells) + cell, minlength=len(counts))
            sums += np.bincount(cell, similarity, cells)
            advance(hits.scanned)
    of_each = counts.reshape(len(sample), cells).astype(np.float64)
    total = of_each.sum(axis=0)
    means = np.divide(sums, total, out=(edges[:-1] + edges[1:]) / 2, where=total > 0)
    return Similarities(
        of_each, edges, means, space.sizes_of(sample), len(originals), run.recipe.threshold, run.recipe.sketch
    )


@dataclass(frozen=True, slots=True)
class Similarities:
    """How often each similarity occurs between each item of a sample and all the others."""

    counts: NDArray[np.float64] = field(repr=False)
    """For each sampled item and cell, with how many others it has such a similarity."""
    edges: NDArray[np.float64] = field(repr=False)
    """Where cells begin and end."""
    means: NDArray[np.float64] = field(repr=False)
    """The mean similarity in each cell."""
    sizes: NDArray[np.int64] = field(repr=False)
    """Shingles of each sampled item."""
    compared: int
    threshold: float
    sketch: Sketch

    def total(self, of_each: NDArray[np.float64]) -> tuple[float, float]:
        """Return the sum over all pairs, with its standard error, given the sums over the pairs of each sampled item.

        A pair is met from both of its ends, hence the half. A sample of all items has no error.
        """
        sampled = len(of_each)
        half = self.compared / 2
        if sampled == self.compared:
            return float(half * of_each.mean()), 0.0
        spread = of_each.std(ddof=1) if sampled > 1 else math.inf
        unknown = 1 - sampled / self.compared
        return float(half * of_each.mean()), float(half * spread * math.sqrt(unknown / sampled))

    def bins(self) -> tuple[Bin, ...]:
        """Count the pairs of similarities from 0 to 1, in tenths, and apart from each other beside the threshold."""
        bounds = sorted({*(i / BINS for i in range(BINS + 1)), self.threshold})
        found = []
        for low, high in pairwise(bounds):
            inside = (self.edges[:-1] >= low) & ((self.edges[:-1] < high) | (high == 1))
            of_each = self.counts[:, inside].sum(axis=1)
            sampled = int(of_each.sum())
            pairs, error = self.total(of_each)
            if sampled == 0 and len(of_each) < self.compared:
                error = self.compared / len(of_each) / 2
            found.append(Bin(low, high, sampled, pairs, error))
        return tuple(found)

    def cost(self, banding: Banding) -> Cost:
        """Return what a banding would cost."""
        meets = self.means**banding.rows
        chance = 1 - (1 - meets) ** banding.bands
        of_each = self.counts @ chance
        candidates, error = self.total(of_each)
        meetings, _ = self.total(self.counts @ (banding.bands * meets))
        return Cost(
            banding=banding,
            candidates=candidates,
            error=error,
            false_candidates=self.total(self.counts @ np.where(self.edges[:-1] < self.threshold, chance, 0.0))[0],
            sign=self._sign(banding),
            sort=banding.bands * (BAND + SORT * self.compared),
            meet=MEET * meetings,
            verify=PAIR * candidates + self._look_up(of_each) + self._make_sets(chance),
        )

    def _sign(self, banding: Banding) -> float:
        """Return the time to sign all items: classic goes over the shingles for each slot, fast until none is empty."""
        slots = banding.slots
        if self.sketch == "classic":
            return float(CLASSIC * slots * self.sizes.mean() * self.compared)
        throws = slots * (math.log(slots) + EULER)
        rounds = np.minimum(np.ceil(throws / self.sizes), 2 * slots)
        return float(THROW * np.mean(rounds * self.sizes + slots) * self.compared)

    def _look_up(self, of_each: NDArray[np.float64]) -> float:
        """Return the time to look up the shingles of both items of each candidate."""
        return ELEMENT * self.total(of_each * 2 * self.sizes)[0]

    def _make_sets(self, chance: NDArray[np.float64]) -> float:
        """Return the time to make the sets of all items that are ever compared."""
        never = np.exp(self.counts @ np.log1p(-np.minimum(chance, 1 - 1e-12)))
        return float(MAKE * np.mean((1 - never) * self.sizes) * self.compared)
