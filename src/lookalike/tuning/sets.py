"""Bands and rows for sets of elements: the cheapest that keep the promise here; or none, if an exact search takes less.

Elements are on disk once they are read, so sets can be signed when the collection is known. An exact search is prepared
first: how many sets meet in it is known then. Mostly that settles it, as nothing is cheaper than a few meetings a set.
Where they are many, a sample is compared with the others, and tells what bands would take. Nothing depends on the time
that takes, nor on the number of threads: the same collection has the same bands everywhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lookalike.tuning.vectors import AMONG, SAMPLED, Closeness, choices

if TYPE_CHECKING:
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.exact.elements import ElementPrefixes
    from lookalike.lsh.banding import Banding
    from lookalike.recipe import Recipe

CELLS = 200
"""Similarities are counted in so many cells."""

EULER = 0.5772

NANO = 1e-9
SIFT, PAIR, ELEMENT = 3.5 * NANO, 110 * NANO, 1.6 * NANO
THROW, CLASSIC, KEY, MEET = 3.2 * NANO, 1.2 * NANO, 32 * NANO, 100 * NANO
"""Seconds that one core took: for two sets that meet in an exact search; for a candidate; for an element of it; for an
element thrown at the slots; for an element and a slot of the classic sketch; for a key that is sorted; for two sets in
one bucket of a band."""

CHEAP = 10_000 * NANO
"""Seconds for each set that are not worth a closer look: it takes about as long to sign one."""

MEET_INDEED = 1 / 3
"""Share of the meetings there are at most that come about, where all elements are as frequent as Zipf says."""


def settle_sets(run: Run, collected: Collected, found: ElementPrefixes) -> Banding | None:
    """Return the cheapest banding that keeps the promise; None if the exact search that is prepared takes less."""
    recipe, count = run.recipe, len(collected.copies.originals)
    if run.recall == 1 or not recipe.measure.banded or MEET_INDEED * found.most_meetings * SIFT <= CHEAP * count:
        return None
    least = found.comparisons() * (SIFT + found.share_kept() * (PAIR + 2 * found.mean_size * ELEMENT))
    if least <= CHEAP * count:
        return None
    best, seen = None, look(run, collected)
    for banding in choices(recipe, run.recall):
        taken = cost(banding, seen, count, found.mean_size, recipe)
        if taken < least:
            best, least = banding, taken
    return best


def cost(banding: Banding, seen: Closeness, count: int, size: float, recipe: Recipe) -> float:
    """Estimate the seconds that a banding takes on one core, for so many sets of a mean size."""
    meets = seen.chances**banding.rows
    chances = -np.expm1(banding.bands * np.log1p(-np.minimum(meets, 1 - 1e-12)))
    candidates = count / 2 * float(seen.counts @ chances)
    meetings = count / 2 * banding.bands * float(seen.counts @ meets)
    signed = sign_cost(banding.slots, size, recipe) + banding.bands * KEY
    return count * signed + MEET * meetings + candidates * (PAIR + 2 * size * ELEMENT)


def sign_cost(slots: int, size: float, recipe: Recipe) -> float:
    """Estimate the seconds it takes to sign a set: classic goes over it for each slot, fast until none is empty."""
    if recipe.sketch == "classic":
        return CLASSIC * slots * size
    rounds = min(math.ceil(slots * (math.log(slots) + EULER) / size), 2 * slots)
    return THROW * (rounds * size + slots)


def look(run: Run, collected: Collected) -> Closeness:
    """Compare a sample with the others, and count their Jaccard similarities."""
    source = np.random.default_rng(run.recipe.seed)
    compared = collected.copies.originals
    sample = np.sort(source.choice(compared, min(SAMPLED, len(compared)), replace=False))
    others = compared if len(compared) <= AMONG else np.sort(source.choice(compared, AMONG, replace=False))
    counts = np.zeros(CELLS + 1)
    for hits in collected.space.scan(sample, others, 0.0):
        similarity = hits.similarity[hits.item != sample[hits.few]]
        if run.recipe.measure.name != "jaccard":
            similarity = similarity / (2 - similarity)  # which it is at most by the cosine, and exactly by dice
        counts += np.bincount((similarity * CELLS).astype(np.int64), minlength=CELLS + 1)
    middles = np.minimum((np.arange(CELLS + 1) + 0.5) / CELLS, 1.0)
    return Closeness(middles, counts * (len(compared) / len(others) / len(sample)))
