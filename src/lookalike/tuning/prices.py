"""What a banding costs: seconds of one core, for sets and for vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lookalike.kinds.space import SetSpace, VectorSpace
from lookalike.tuning.vectors import Rates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.lsh.banding import Banding
    from lookalike.recipe import Recipe, Sketch
    from lookalike.tuning.sample import Expected

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

Seconds = tuple[float, float, float, float]
"""To sign, to sort, to find who shares a bucket, and to verify."""


class Prices(Protocol):
    """What work on one collection takes."""

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return what a banding takes."""

    @property
    def exact(self) -> float | None:
        """What comparing all with all takes, if that is known."""


def prices_of(collected: Collected, recipe: Recipe, sample: NDArray[np.int32]) -> Prices:
    """Return the prices of a collection, some of whose items are a sample."""
    compared, space = len(collected.copies.originals), collected.space
    if isinstance(space, VectorSpace):
        return VectorPrices(Rates.of(space.family), compared, space.family.exactly() * compared * compared / 2)
    assert isinstance(space, SetSpace)  # noqa: S101 - there is no other
    return SetPrices(space.sizes_of(sample), compared, recipe.sketch)


@dataclass(frozen=True, slots=True)
class VectorPrices:
    """Those by which a run settles the bands of vectors."""

    rates: Rates
    compared: int
    exact: float

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return what a banding takes."""
        return self.rates.seconds(banding, self.compared, expected.candidates, expected.meetings)


@dataclass(frozen=True, slots=True)
class SetPrices:
    """Those of sets. An exact search depends on which elements are rare, so its time is not known."""

    sizes: NDArray[np.int64] = field(repr=False)
    """Of the sampled sets."""
    compared: int
    sketch: Sketch

    @property
    def exact(self) -> None:
        """Nothing that is known."""

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return what a banding takes."""
        of_each = float((expected.of_each * 2 * self.sizes).mean()) * self.compared / 2
        made = float(np.mean((1 - expected.alone) * self.sizes)) * self.compared
        return (
            self._sign(banding),
            banding.bands * (BAND + SORT * self.compared),
            MEET * expected.meetings,
            PAIR * expected.candidates + ELEMENT * of_each + MAKE * made,
        )

    def _sign(self, banding: Banding) -> float:
        """Return the time to sign all items: classic goes over the shingles for each slot, fast until none is empty."""
        slots = banding.slots
        if self.sketch == "classic":
            return float(CLASSIC * slots * self.sizes.mean() * self.compared)
        throws = slots * (math.log(slots) + EULER)
        rounds = np.minimum(np.ceil(throws / self.sizes), 2 * slots)
        return float(THROW * np.mean(rounds * self.sizes + slots) * self.compared)
