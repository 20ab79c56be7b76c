"""Estimates from a sample of a collection: how close its items are, the cost of each banding, and the cheapest."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.lsh.banding import Banding
    from lookalike.measures import Measure
    from lookalike.tuning.cost import Costs
    from lookalike.tuning.sample import Bin, Sample

KEY_BYTES = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """The expected cost of a banding for a collection, in candidates and in seconds of one core.

    Reading and shingling are not included; they cost the same with every banding.
    """

    banding: Banding
    candidates: float
    error: float
    """Standard error of the number of candidates."""
    false_candidates: float
    """Candidates below the threshold."""
    sign: float
    sort: float
    meet: float
    """Seconds to find the items that share a bucket, and to skip those found before."""
    verify: float
    key_bytes: int
    """Bytes of the band keys of all items, on disk."""

    @property
    def seconds(self) -> float:
        """The total of all steps."""
        return self.sign + self.sort + self.meet + self.verify


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate from a sample of a collection: how close items are, and the cost of each banding with the recall."""

    items: int
    compared: int
    """Items to compare: those that are not empty and not a copy of an earlier item."""
    sampled: int
    """Items in the sample, whose similarity to the others is known."""
    shingles: float | None
    """The mean size of a set; None for vectors and bits."""
    measure: Measure
    threshold: float
    recall: float
    """The minimum chance of finding a pair at the threshold."""
    exact_seconds: float | None
    """The time to compare all with all, in seconds of one core; None for sets, for which it is not known."""
    bins: tuple[Bin, ...] = field(repr=False)
    costs: tuple[Cost, ...] = field(repr=False)
    """The costs of bandings, one per number of rows."""
    _sample: Sample = field(repr=False)
    _costs: Costs = field(repr=False)
    notes: tuple[str, ...] = ()
    """What a reader should know about how the items were read."""

    @property
    def best(self) -> Cost:
        """The cost of the fastest banding."""
        return min(self.costs, key=lambda cost: cost.seconds)

    @property
    def banding(self) -> Banding:
        """The cheapest banding that reaches the recall."""
        return self.best.banding

    @property
    def exact(self) -> bool:
        """Whether an exact search, which compares all with all, is cheaper: a run would then do that."""
        return self.exact_seconds is not None and self.exact_seconds <= self.best.seconds

    def cost(self, banding: Banding) -> Cost:
        """Return the cost of any banding, whatever its recall."""
        return cost_of(banding, self._sample, self._costs, self.items)

    def __str__(self) -> str:
        best = self.best
        return (
            f"Estimate from {self.sampled:,} of {self.compared:,} items: {best.banding.bands} bands of "
            f"{best.banding.rows} rows, {best.candidates:,.0f} candidates, {best.false_candidates:,.0f} of them false"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values, ready for JSON. Infinite and unknown values are None."""
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
            "notes": list(self.notes),
        }


def finite(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with None in place of infinities, which JSON does not have."""
    return {name: None if math.isinf(value) else value for name, value in values.items()}


def cost_of(banding: Banding, sample: Sample, costs: Costs, items: int) -> Cost:
    """Return the cost of a banding."""
    expected = sample.expect(banding)
    return Cost(
        banding,
        expected.candidates,
        expected.error,
        expected.false_candidates,
        *costs.seconds(banding, expected),
        key_bytes=KEY_BYTES * banding.bands * items,
    )
