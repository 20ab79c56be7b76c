"""The cost model: how long a search takes, by bands or exactly, in seconds of one core.

All constants are defined here. They were fitted to CPU times of runs on 2,000 to 127,000 items. On other machines they
differ, but their ratios, which decide, differ little. Nothing depends on time measured during a run, nor on the number
of threads: the same collection gets the same bands everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lookalike.exact.bits import expected_collisions, parts_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.family import Family
    from lookalike.options import Sketch

EULER = 0.5772

NANO = 1e-9


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds per operation of a search by bands."""

    band: float
    """Per band, regardless of its size."""
    key: float
    """Per key sorted."""
    collision: float
    """Per collision: two items that share a bucket."""
    candidate: float
    """Per candidate verified."""
    number: float
    """Per element, or number of a vector, of a candidate."""
    make: float = 0.0
    """Per shingle of a set that must be built from a text."""


TEXTS = Rates(band=0.6e-3, key=32 * NANO, collision=100 * NANO, candidate=110 * NANO, number=1.6 * NANO, make=40 * NANO)
SETS = replace(TEXTS, band=0.0, make=0.0)
VECTORS = Rates(band=0.0, key=40 * NANO, collision=60 * NANO, candidate=150 * NANO, number=0.8 * NANO)

THROW = 3.2 * NANO
"""Per shingle thrown at the slots of a fast sketch."""
CLASSIC = 1.2 * NANO
"""Per shingle and slot of a classic sketch."""
SLOT = 1.5 * NANO
"""Per slot of a vector, apart from the multiplication."""
SIFT = 3.5 * NANO
"""Per collision of two sets in an exact search."""
OUTLINE, OUTLINE_WORD = 0.3 * NANO, 0.13 * NANO
"""Per pair of outlines compared, and per word of them."""
DRAW = 2 * NANO
"""Per element of a set whose outline is drawn."""
ENTER = 60 * NANO
"""Per element of a set that is prepared for a search by rare elements."""
GROUPED = 60 * NANO
"""Per rare element of a set that is put into a bucket."""
PRODUCT = 0.2 * NANO
"""Per product of two vectors checked in an exact search."""
PART_COLLISION = 100 * NANO
"""Per collision of two items that agree in a part of their bits, and are compared."""
CHEAP = 10_000 * NANO
"""Per set: if an exact search is this fast, a sample does not pay off, since signing alone takes as long."""

COLLISIONS_SHARE = 1 / 3
"""The share of possible meetings that come about, where the frequencies of elements follow Zipf's law."""

Seconds = tuple[float, float, float, float]
"""The time to sign, to sort, to find items that share a bucket, and to verify."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The work that a banding is expected to cause in a collection."""

    candidates: float
    collisions: float
    """The number of times that two items share a bucket."""
    per_item: NDArray[np.float64] = field(repr=False)
    """The number of candidates of each sampled item."""
    without_candidate: NDArray[np.float64] = field(repr=False)
    """The chance of each sampled item to have no candidate."""
    error: float = 0.0
    """Standard error of the number of candidates."""
    false_candidates: float = 0.0


class Costs(Protocol):
    """The costs of searching one collection."""

    @property
    def exact(self) -> float | None:
        """The time of an exact search, if known."""

    @property
    def mean_size(self) -> float | None:
        """The mean size of a set; None for vectors and bits."""

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return the time of each step of a search by bands."""


@dataclass(frozen=True, slots=True)
class SetCosts:
    """The costs of searching sets."""

    sizes: NDArray[np.float64] = field(repr=False)
    """The sizes of the sampled sets, or only their mean."""
    compared: int
    sketch: Sketch
    rates: Rates = TEXTS
    exact: float | None = None
    """The time of an exact search. It depends on which elements are rare, so it is known only once one is prepared."""

    @property
    def mean_size(self) -> float:
        """The mean size of a set."""
        return float(self.sizes.mean())

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return the time of each step of a search by bands."""
        rates = self.rates
        elements = float((expected.per_item * 2 * self.sizes).mean()) * self.compared / 2
        made = float(np.mean((1 - expected.without_candidate) * self.sizes)) * self.compared
        return (
            self._sign(banding),
            banding.bands * (rates.band + rates.key * self.compared),
            rates.collision * expected.collisions,
            rates.candidate * expected.candidates + rates.number * elements + rates.make * made,
        )

    def _sign(self, banding: Banding) -> float:
        """Return the time to sign all items: a pass over the shingles per slot (classic), or until none is empty."""
        slots = banding.slots
        if self.sketch == "classic":
            return float(CLASSIC * slots * self.sizes.mean() * self.compared)
        throws = slots * (math.log(slots) + EULER)
        rounds = np.minimum(np.ceil(throws / self.sizes), 2 * slots)
        return float(THROW * np.mean(rounds * self.sizes + slots) * self.compared)


@dataclass(frozen=True, slots=True)
class VectorCosts:
    """The costs of searching vectors and bits."""

    family: Family
    compared: int
    mean_size: None = None

    @property
    def exact(self) -> float:
        """The time of an exact search: all with all, or bits by parts."""
        return pair_seconds(self.family) * self.compared * self.compared / 2

    def seconds(self, banding: Banding, expected: Expected) -> Seconds:
        """Return the time of each step of a search by bands."""
        slot = SLOT + self.family.slot_seconds * self.family.length
        candidate = VECTORS.candidate + VECTORS.number * self.family.length
        return (
            self.compared * banding.slots * slot,
            self.compared * banding.bands * VECTORS.key,
            VECTORS.collision * expected.collisions,
            expected.candidates * candidate,
        )


def pair_seconds(family: Family) -> float:
    """Return the time of an exact search per pair of vectors."""
    parts = bit_parts(family)
    return part_seconds(family, parts) if parts else product_seconds(family)


def product_seconds(family: Family) -> float:
    """Return the time to compare two vectors approximately, as one of many pairs."""
    return family.pair_seconds * family.length + PRODUCT


def part_seconds(family: Family, parts: int) -> float:
    """Return the time of an exact search by parts of bits, per pair of items."""
    return expected_collisions(family.recipe.measure.bits, parts) * PART_COLLISION


def bit_parts(family: Family) -> int:
    """Return the number of parts of bits of the fastest exact search; 0 if comparing all with all is faster."""
    bits = family.recipe.measure.bits
    parts = parts_for(bits, family.recipe.threshold) if bits else 0
    return parts if parts and part_seconds(family, parts) < product_seconds(family) else 0


def exact_set_seconds(comparisons: float, share_kept: float, mean_size: float) -> float:
    """Return the time of an exact search among sets, given its comparisons and the share of them it verifies."""
    return comparisons * SIFT + verify_seconds(comparisons * share_kept, mean_size)


def meetings_are_cheap(max_collisions: float, count: int) -> bool:
    """Return whether so many possible meetings in an exact search among sets cost no more than to sign them."""
    return COLLISIONS_SHARE * max_collisions * SIFT <= CHEAP * count


def all_pairs_seconds(pairs: float, words: int, elements: float) -> float:
    """Return the time to compare the outlines of all sets, given how many elements they have in total."""
    return pairs * (OUTLINE + OUTLINE_WORD * words) + DRAW * elements


def verify_seconds(candidates: float, mean_size: float) -> float:
    """Return the time to verify candidates among sets."""
    return candidates * (SETS.candidate + 2 * mean_size * SETS.number)


def cheapest(bandings: Iterable[Banding], seconds: Callable[[Banding], float], exact: float) -> Banding | None:
    """Return the fastest banding; None if an exact search is faster."""
    best, min_seconds = None, exact
    for banding in bandings:
        taken = seconds(banding)
        if taken < min_seconds:
            best, min_seconds = banding, taken
    return best
