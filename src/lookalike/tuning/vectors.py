"""Bands and rows for vectors: the cheapest that keep the promise, for this collection; or none, if that is cheaper.

How many candidates a banding makes depends on how close vectors are that are no pairs, and that differs widely between
collections. So a few of them are compared with all others first. Nothing depends on the time that takes, nor on the
number of threads: the same collection has the same bands everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.lsh.banding import LARGEST_SIGNATURE, Banding
from lookalike.tuning.slots import slot_chances
from lookalike.tuning.tune import bands_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.family import Family
    from lookalike.recipe import Recipe

SAMPLED = 64
"""Vectors that are compared with all others."""

AMONG = 1 << 17
"""Vectors they are compared with, at most."""

CELLS = 400
"""Chances of slots are counted in so many cells."""

MOST_ROWS, MOST_BANDS = 128, 4096

NANO = 1e-9
SLOT, KEY, MEET, PAIR, NUMBER = 1.5 * NANO, 40 * NANO, 60 * NANO, 150 * NANO, 0.8 * NANO
"""Seconds that one core took: for a slot of a vector, apart from the multiplication; for a key that is sorted; for two
vectors that meet in a bucket; for a candidate; for a number of it."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close vectors are to others, as a sample shows it."""

    chances: NDArray[np.float64]
    """The chance of a slot to agree, in each cell."""
    counts: NDArray[np.float64]
    """With how many others a vector is in that cell, in the mean."""


def settle(family: Family, recipe: Recipe, recall: float, compared: NDArray[np.int32]) -> Banding | None:
    """Return the cheapest banding that keeps the promise; None if comparing all with all takes less."""
    count = len(compared)
    if count <= SAMPLED:
        return None
    seen = look(family, recipe, compared)
    best, least = None, family.exactly() * count * count / 2
    for banding in choices(recipe, recall):
        taken = cost(banding, seen, count, family)
        if taken < least:
            best, least = banding, taken
    return best


def choices(recipe: Recipe, recall: float) -> Iterator[Banding]:
    """Yield the bandings that keep the promise, one for each number of rows."""
    meets = recipe.measure.slot_chance(recipe.threshold, recipe.threshold)
    for rows in range(1, MOST_ROWS + 1):
        if meets <= 0 or meets**rows < 1 / MOST_BANDS / 10:
            return
        bands = bands_for(meets, recall, rows)
        if bands > MOST_BANDS or bands * rows > LARGEST_SIGNATURE:
            return
        yield Banding(bands, rows)


def cost(banding: Banding, seen: Closeness, count: int, family: Family) -> float:
    """Estimate the seconds that a banding takes on one core."""
    meets = seen.chances**banding.rows
    candidates = count / 2 * float(seen.counts @ -np.expm1(banding.bands * np.log1p(-np.minimum(meets, 1 - 1e-12))))
    meetings = count / 2 * banding.bands * float(seen.counts @ meets)
    return sum(Rates.of(family).seconds(banding, count, candidates, meetings))


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds that one core takes for a slot of a vector, and for a candidate."""

    slot: float
    candidate: float

    @classmethod
    def of(cls, family: Family) -> Rates:
        """Return those of a family, by the length of its vectors."""
        return cls(SLOT + family.signs * family.length, PAIR + NUMBER * family.length)

    def seconds(
        self, banding: Banding, count: int, candidates: float, meetings: float
    ) -> tuple[float, float, float, float]:
        """Return the seconds to sign so many vectors, to sort keys, to find who meets, and to compare them."""
        sign, sort = count * banding.slots * self.slot, count * banding.bands * KEY
        return sign, sort, MEET * meetings, candidates * self.candidate


def look(family: Family, recipe: Recipe, compared: NDArray[np.int32]) -> Closeness:
    """Compare a sample with the others."""
    source = np.random.default_rng(recipe.seed)
    sample = source.choice(compared, SAMPLED, replace=False)
    others = some_of(compared, source)
    scores = scores_among(family, sample, others)
    known = slot_chances(family, recipe, (sample, others), scores)[np.isfinite(scores)]
    counts, edges = np.histogram(known, CELLS)
    scale = (len(compared) - 1) / max(len(known), 1)
    return Closeness((edges[:-1] + edges[1:]) / 2, counts * scale)


def some_of(compared: NDArray[np.int32], source: np.random.Generator) -> NDArray[np.int32]:
    """Return vectors to compare a sample with: all, or as many as there is time for."""
    return compared if len(compared) <= AMONG else np.sort(source.choice(compared, AMONG, replace=False))


def scores_among(family: Family, sample: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return about the score of each sampled vector with each of the others; -inf with itself."""
    scores = family.about(family.ready(sample), family.ready(others))
    scores[sample[:, None] == others[None, :]] = -np.inf
    return scores
