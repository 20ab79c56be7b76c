"""What a sample of a collection tells: how close its items are, what each banding would cost, and the cheapest one."""

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
    _costs: Costs = field(repr=False)

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
        return cost_of(banding, self._sample, self._costs, self.items)

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


def cost_of(banding: Banding, sample: Sample, costs: Costs, items: int) -> Cost:
    """Return what a banding would cost."""
    expected = sample.expect(banding)
    return Cost(
        banding,
        expected.candidates,
        expected.error,
        expected.false_candidates,
        *costs.seconds(banding, expected),
        key_bytes=KEY_BYTES * banding.bands * items,
    )
