"""A sample of a collection -> how close its items are -> what each banding would cost there, and the cheapest one."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from lookalike.engines.local.collect import collect
from lookalike.engines.local.run import Run
from lookalike.errors import RecipeError
from lookalike.tuning import vectors as settle
from lookalike.tuning.prices import SetPrices, prices_of
from lookalike.tuning.sample import Bin, take_sample
from lookalike.tuning.tune import check_recall, choices, slot_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.lsh.banding import Banding
    from lookalike.measures import Measure
    from lookalike.options import Settings
    from lookalike.recipe import Recipe
    from lookalike.tuning.prices import Prices
    from lookalike.tuning.sample import Sample

KEY_BYTES = 8


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
    key_bytes: int
    """Bytes of the band keys of all items, which are on disk."""

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.sign + self.sort + self.meet + self.verify


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample tells of a collection: how close items are, and what each banding costs that keeps the promise."""

    items: int
    compared: int
    """Items that are compared: those that have shingles, or are vectors, and are no copy of an earlier one."""
    sampled: int
    """Those of them whose similarity to the others is known."""
    shingles: float | None
    """The mean size of a set; None for vectors and bits."""
    measure: Measure
    threshold: float
    recall: float
    """The least chance wanted, of a pair at the threshold to be found."""
    exact_seconds: float | None
    """What comparing all with all would take, in seconds of one core; None for sets, of which that is not known."""
    bins: tuple[Bin, ...] = field(repr=False)
    costs: tuple[Cost, ...] = field(repr=False)
    """One for each number of rows."""
    _sample: Sample = field(repr=False)
    _prices: Prices = field(repr=False)

    @property
    def best(self) -> Cost:
        """The least of the costs."""
        return min(self.costs, key=lambda cost: cost.seconds)

    @property
    def banding(self) -> Banding:
        """The cheapest banding that keeps the promise."""
        return self.best.banding

    @property
    def exact(self) -> bool:
        """Whether it is cheaper to compare all with all, which misses nothing: a run would do that."""
        return self.exact_seconds is not None and self.exact_seconds <= self.best.seconds

    def cost(self, banding: Banding) -> Cost:
        """Return what any banding would cost, whatever it promises."""
        return cost_of(banding, self._sample, self._prices, self.items)

    def __str__(self) -> str:
        best = self.best
        return (
            f"Estimate from {self.sampled:,} of {self.compared:,} items: {best.banding.bands} bands of "
            f"{best.banding.rows} rows, {best.candidates:,.0f} candidates, {best.false_candidates:,.0f} of them in vain"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values, ready for JSON; what has no end, or is not known, is None."""
        names = ("items", "compared", "sampled", "shingles", "threshold", "recall", "exact_seconds")
        costs = [{**asdict(cost.banding), **asdict(cost), "seconds": cost.seconds} for cost in self.costs]
        for cost in costs:
            del cost["banding"]
        return {
            **{name: getattr(self, name) for name in names},
            "measure": self.measure.name,
            "of": self.measure.of,
            **asdict(self.banding),
            "bins": [finite(asdict(one)) for one in self.bins],
            "costs": [finite(cost) for cost in costs],
        }


def finite(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with None for what is infinite, which JSON does not know."""
    return {name: None if math.isinf(value) else value for name, value in values.items()}


def estimate_costs(items: Any, *, sample_size: int = 500, **settings: Unpack[Settings]) -> Estimate:  # noqa: ANN401 - whatever holds items
    """Estimate from a sample of the items what each banding would cost, and so choose the cheapest.

    So many items are drawn, and compared with all the others: sets exactly, vectors with as many as 131,072 of the
    others, in single precision. The other arguments are those of `find_pairs`.

    >>> estimate_costs(["the cat sat on the mat", "a dog", "the cat sat"], shingle="words:2").bins[4].pairs
    1.0
    """
    if isinstance(sample_size, bool) or not isinstance(sample_size, int) or sample_size < 1:
        raise RecipeError(f"`sample_size` must be a whole number, at least 1. Got {sample_size!r}")
    if settings.get("bands") is not None or settings.get("rows") is not None:
        raise RecipeError("An estimate chooses `bands` and `rows`. Leave them out, and ask its `cost` about others")
    recall = settings.get("recall", 0.99)
    check_recall(recall)
    with Run({**settings, "recall": 1.0}, items) as run:
        if run.recipe.measure.of != "bits":  # how many there are is known when they are read
            slot_at(run.recipe.measure, run.recipe.threshold, recall)
        collected = collect(run, searched=False)
        slot_at(run.recipe.measure, run.recipe.threshold, recall)
        sample, drawn = take_sample(run, collected, sample_size)
        prices = prices_of(collected, run.recipe, drawn)
        recipe, count = run.recipe, collected.items.count
    return Estimate(
        items=count,
        compared=sample.compared,
        sampled=len(sample),
        shingles=float(prices.sizes.mean()) if isinstance(prices, SetPrices) else None,
        measure=recipe.measure,
        threshold=recipe.threshold,
        recall=recall,
        exact_seconds=prices.exact,
        bins=sample.bins(recipe.measure),
        costs=tuple(cost_of(banding, sample, prices, count) for banding in bandings(recipe, recall)),
        _sample=sample,
        _prices=prices,
    )


def cost_of(banding: Banding, sample: Sample, prices: Prices, items: int) -> Cost:
    """Return what a banding would cost."""
    expected = sample.expect(banding)
    return Cost(
        banding,
        expected.candidates,
        expected.error,
        expected.false_candidates,
        *prices.seconds(banding, expected),
        key_bytes=KEY_BYTES * banding.bands * items,
    )


def bandings(recipe: Recipe, recall: float) -> Iterable[Banding]:
    """Return the bandings to choose from: for vectors those that a run chooses from."""
    if recipe.measure.of != "sets":
        return settle.choices(recipe, recall)
    return choices(recipe.least_jaccard, recall)
