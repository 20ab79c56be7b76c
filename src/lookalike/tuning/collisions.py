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
from lookalike.tuning.sample import collision_chances

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lookalike.kinds.base import Compared
    from lookalike.lsh.banding import Banding
    from lookalike.lsh.buckets import Banded
    from lookalike.resources.threads import Threads

T = TypeVar("T")

LOOKED_AT = 4
"""The number of bands in which collisions are counted first."""

COUNTED = 16
"""The number of bands in which they are counted where they are many: one band may have many times those of another."""

FEW = 10
"""Collisions per item, in all bands, that take less time than to find out whether another search takes less."""

DRAWN = 128
"""The number of collisions drawn per band."""

DRAWN_PAIRS = 1 << 11
"""The number of pairs drawn from all pairs, which may have nothing in common."""

BOTH = 3
"""The sides of two items that are not in the same collection."""


@dataclass(frozen=True, slots=True)
class Met:
    """The collisions of some bands, and a sample of them."""

    per_band: float
    """The mean number of collisions of a band."""
    in_large: float
    """The share of collisions that are in large buckets, which are searched exactly."""
    left: NDArray[np.int32]
    """Items that collide with the right ones, drawn by chance."""
    right: NDArray[np.int32]
    weights: NDArray[np.float64]
    """The number of collisions per band that each one drawn stands for."""


class Counter:
    """Counts the collisions of bands."""

    def __init__(self, items: Banded, compared: Compared, banding: Banding, threads: Threads, seed: int) -> None:
        self._items = items
        self._compared, self._sides = compared.originals, compared.sides
        self._bands = banding.bands
        self._threads = threads
        self._seed = seed

    def are_few(self) -> bool:
        """Return whether so few items collide that no other search can save much."""
        found = list(self._map(lambda band: float(self._count(band)[2].sum()), LOOKED_AT))
        return sum(found) / len(found) * self._bands <= FEW * len(self._compared)

    def met(self) -> Met:
        """Count the collisions of some bands, and draw a sample of them."""
        found = list(self._map(self._draw, COUNTED))
        total, large = (sum(column) for column in zip(*(counts for counts, _, _ in found), strict=True))
        left, right = np.concatenate([drawn for _, drawn, _ in found], axis=1)
        weights = np.concatenate([weights for _, _, weights in found]) / len(found)
        return Met(total / len(found), large / max(total, 1.0), left, right, weights)

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


def draw_any(items: NDArray[np.int32], random: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw pairs of different items."""
    one = random.integers(len(items), size=DRAWN_PAIRS)
    two = random.integers(len(items) - 1, size=DRAWN_PAIRS)
    return items[one], items[two + (two >= one)]


def across(left: NDArray[np.int32], right: NDArray[np.int32], sides: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pairs have an item of each collection, if there are two."""
    return np.equal(sides[left] | sides[right], BOTH) if len(sides) else np.ones(len(left), bool)


@dataclass(frozen=True, slots=True)
class Collisions:
    """What a banding would bring together, from a sample of what another one with fewer rows does."""

    banding: Banding
    met: Met
    slots: NDArray[np.float64]
    """The Jaccard similarity of each sampled collision: the chance that a slot agrees."""
    counts: NDArray[np.bool_]
    """Which of them would be compared: not those that are united, where clusters are wanted."""

    most: float
    """The number of pairs of items."""

    def expect(self, banding: Banding) -> tuple[float, float]:
        """Return the expected number of collisions, and of candidates."""
        if not len(self.slots):
            return 0.0, 0.0
        slots = np.maximum(self.slots, 1e-3)
        band_chance, chance = collision_chances(slots, banding)
        pairs = np.where(self.counts, self.met.weights, 0.0) / slots**self.banding.rows
        return float(np.sum(pairs * band_chance) * banding.bands), min(float(np.sum(pairs * chance)), self.most)
