"""How many items share buckets, counted in some bands, and how similar those are.

Items that were signed while they were read have the bands that follow from threshold and recall. Whether these bands
suit the items shows in their buckets, before anything is compared: their sizes are known, so the collisions of a band
are counted, not estimated. A sample of these collisions is compared. As items of similarity s collide in a band of r
rows with the chance s^r, the sample also tells how many would collide with more rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lookalike.arrays.groups import find_groups
from lookalike.lsh.buckets import LARGE, SORTED_TOGETHER
from lookalike.tuning.drawn import across
from lookalike.tuning.sample import collision_chances

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.lsh.buckets import Banded
    from lookalike.resources.threads import Threads
    from lookalike.tuning.drawn import DrawnPairs

T = TypeVar("T")

LOOKED_AT = 4
"""The number of bands in which collisions are counted first."""

COUNTED = 16
"""The number of bands in which they are counted where they are many: one band may have many times those of another."""

MIN_CHANCE = 1e-3
"""The chance of a slot to agree that items are given which have collided without anything in common."""

FEW, FEW_IN_TOTAL = 10, 1 << 17
"""Collisions per item and in total, in all bands, up to which no other search can save much time."""

DRAWN = 128
"""The number of collisions drawn per band."""


@dataclass(frozen=True, slots=True)
class Met:
    """The collisions of some bands, and a sample of them."""

    per_band: float
    """The mean number of collisions of a band."""
    in_large: float
    """The share of collisions that are in large buckets, which are searched exactly."""
    left: NDArray[np.int32]
    """Items that collide with the right ones, drawn by chance, in order."""
    right: NDArray[np.int32]
    weights: NDArray[np.float64]
    """The number of collisions per band that each one drawn stands for."""


class Counter:
    """Counts the collisions of bands.

    `compared` holds the items to compare, and the side of each item if there are two collections.
    """

    def __init__(
        self,
        items: Banded,
        compared: tuple[NDArray[np.int32], NDArray[np.uint8]],
        banding: Banding,
        threads: Threads,
        seed: int,
    ) -> None:
        self._items = items
        self._compared, self._sides = compared
        self._bands = banding.bands
        self._threads = threads
        self._seed = seed

    def are_few(self) -> bool:
        """Return whether so few items collide that no other search can save much."""
        found = list(self._map(lambda band: float(self._count(band)[2].sum()), LOOKED_AT))
        return sum(found) / len(found) * self._bands <= max(FEW * len(self._compared), FEW_IN_TOTAL)

    def met(self) -> Met:
        """Count the collisions of some bands, and draw a sample of them."""
        found = list(self._map(self._draw, COUNTED))
        total, large = (sum(column) for column in zip(*(counts for counts, _, _ in found), strict=True))
        left, right = np.concatenate([drawn for _, drawn, _ in found], axis=1)
        weights = np.concatenate([weights for _, _, weights in found]) / len(found)
        order = np.argsort(left, kind="stable")
        return Met(total / len(found), large / max(total, 1.0), left[order], right[order], weights[order])

    def _map(self, function: Callable[[int], T], most: int) -> Iterator[T]:
        """Yield the results of a function for some bands, evenly chosen."""
        bands = np.unique(np.linspace(0, self._bands - 1, most).astype(np.int64))
        at_once = self._threads.count if len(self._compared) <= SORTED_TOGETHER else 1
        return self._threads.map(function, map(int, bands), ahead=at_once)

    def _count(self, band: int) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
        """Return the buckets of a band, and the number of collisions in each."""
        keys = np.empty(self._items.count, np.uint64)
        self._items.read_band(band, keys)
        members, bounds = find_groups(keys, self._compared)
        return members, bounds, pairs_among(members, bounds, self._sides)

    def _draw(self, band: int) -> tuple[tuple[float, float], NDArray[np.int32], NDArray[np.float64]]:
        """Return the collisions of a band and those in large buckets, a sample, and what each of it stands for."""
        members, bounds, collisions = self._count(band)
        drawn = draw_pairs(members, bounds, np.random.default_rng((self._seed, band)))
        drawn = np.compress(across(drawn[0], drawn[1], self._sides), drawn, axis=1)
        total, large = float(collisions.sum()), float(collisions[np.diff(bounds) >= LARGE].sum())
        return (total, large), drawn, np.full(drawn.shape[1], total / max(drawn.shape[1], 1))


def pairs_among(members: NDArray[np.int32], bounds: NDArray[np.int64], sides: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the number of pairs in each bucket; if there are two collections, of one item of each."""
    sizes = np.diff(bounds).astype(np.float64)
    pairs = sizes * (sizes - 1) / 2
    if len(sides) and len(sizes):
        for side in (1, 2):
            same = np.add.reduceat((sides[members] == side).astype(np.float64), bounds[:-1])
            pairs -= same * (same - 1) / 2
    return pairs


def draw_pairs(members: NDArray[np.int32], bounds: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int32]:
    """Draw pairs of items that share a bucket, every such pair with the same chance."""
    sizes = np.diff(bounds)
    ends = np.cumsum(sizes.astype(np.float64) * (sizes - 1))
    if not len(ends):
        return np.empty((2, 0), np.int32)
    bucket = np.minimum(np.searchsorted(ends, random.random(DRAWN) * ends[-1], side="right"), len(ends) - 1)
    one = random.integers(sizes[bucket])
    two = random.integers(sizes[bucket] - 1)
    two += two >= one
    return np.stack((members[bounds[bucket] + one], members[bounds[bucket] + two]))


@dataclass(frozen=True, slots=True)
class Collisions:
    """What a banding would bring together, from a sample of what another one with fewer rows does."""

    banding: Banding
    met: Met
    drawn: DrawnPairs
    """The sampled collisions, in the order of `met`."""
    most: float
    """The number of pairs of items."""

    def expect(self, banding: Banding, among: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the expected number of collisions, and of candidates, among some of those that were drawn."""
        slots = np.maximum(self.drawn.jaccard, MIN_CHANCE)
        band_chance, chance = collision_chances(slots, banding)
        pairs = np.where(among, self.met.weights, 0.0) / slots**self.banding.rows
        return float(np.sum(pairs * band_chance) * banding.bands), min(float(np.sum(pairs * chance)), self.most)
