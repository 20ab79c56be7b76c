"""The sketches against their naive twins, and against the probabilities they promise.

Seeds are fixed. Bounds are the binomial's: `SIGMAS` standard deviations, exceeded by chance once in two million times.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, NamedTuple

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.kernels.sketch import classic_sketch, fast_sketch
from lookalike.lsh.banding import Banding
from lookalike.tuning.tune import tune

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIGMAS = 5
SLOTS = 128
SKETCHES = {
    "fast": (call_kernels.fast_sketch, naive.fast_sketch),
    "classic": (call_kernels.classic_sketch, naive.classic_sketch),
}
both_sketches = pytest.mark.parametrize("sketch", SKETCHES)


# Equal to the definition


@pytest.mark.slow
@both_sketches
@given(elements=strategies.hash_sets, slots=st.integers(1, 40), seed=st.integers(0, 1 << 32))
def test_signature_is_that_of_the_definition(sketch: str, elements: set[int], slots: int, seed: int) -> None:
    sign, reference = SKETCHES[sketch]
    multipliers = naive.odd_numbers(seed, 2 * slots)
    assert sign(elements, multipliers, slots) == reference(elements, multipliers, slots)


@given(elements=strategies.hash_sets, data=st.data())
def test_signature_for_any_multipliers(elements: set[int], data: st.DataObject) -> None:
    multipliers = data.draw(st.lists(strategies.odd_numbers, min_size=16, max_size=16))
    for sign, reference in SKETCHES.values():
        assert sign(elements, multipliers, 8) == reference(elements, multipliers, 8)


@both_sketches
@pytest.mark.parametrize(("size", "slots"), [(1, 1), (1, 500), (2, 257), (3000, 1), (3000, 16)])
@call_kernels.compiled
def test_signature_of_extreme_sizes(sketch: str, size: int, slots: int) -> None:
    sign, reference = SKETCHES[sketch]
    source = random.Random(size)
    elements = {source.getrandbits(64) for _ in range(size)}
    multipliers = naive.odd_numbers(1, 2 * slots)
    assert sign(elements, multipliers, slots) == reference(elements, multipliers, slots)


@both_sketches
@pytest.mark.parametrize("slots", [1, 2, 5, 130])
def test_one_element_many_times(sketch: str, slots: int) -> None:
    """It fills a slot a round at best, so the rounds that throw at random are not enough."""
    sign, reference = SKETCHES[sketch]
    for seed in range(20):
        multipliers = naive.odd_numbers(seed, 2 * slots)
        assert sign([seed + 12345] * 50, multipliers, slots) == reference({seed + 12345}, multipliers, slots)


@both_sketches
@given(elements=st.lists(strategies.hashes, min_size=1, max_size=60))
def test_repetitions_and_order_do_not_matter(sketch: str, elements: list[int]) -> None:
    sign, _ = SKETCHES[sketch]
    multipliers = naive.odd_numbers(3, 40)
    assert sign(elements[::-1] + elements, multipliers, 20) == sign(set(elements), multipliers, 20)


@pytest.mark.slow
@both_sketches
@given(one=strategies.hash_sets, two=strategies.hash_sets)
def test_signatures_merge_by_minimum(sketch: str, one: set[int], two: set[int]) -> None:
    sign, _ = SKETCHES[sketch]
    multipliers = naive.odd_numbers(4, 40)
    merged = list(map(min, sign(one, multipliers, 20), sign(two, multipliers, 20)))
    assert merged == sign(one | two, multipliers, 20)


@given(elements=strategies.hash_sets, slots=st.integers(1, 60))
def test_no_slot_stays_empty(elements: set[int], slots: int) -> None:
    assert naive.EMPTY not in call_kernels.fast_sketch(elements, naive.odd_numbers(5, 2 * slots), slots)


@given(signature=st.lists(strategies.numbers, min_size=1, max_size=60), rows=st.integers(1, 8))
def test_band_keys_are_those_of_the_definition(signature: list[int], rows: int) -> None:
    assert call_kernels.band_keys(signature, rows) == naive.band_keys(signature, rows)


@pytest.mark.slow
@given(sets=strategies.families(), rows=st.integers(1, 5))
def test_keys_meet_when_bands_agree(sets: list[set[int]], rows: int) -> None:
    slots = 6 * rows
    signatures = [call_kernels.fast_sketch(elements, naive.odd_numbers(6, 2 * slots), slots) for elements in sets]
    keys = [call_kernels.band_keys(signature, rows) for signature in signatures]
    met = {pair for column in zip(*keys, strict=True) for members in naive.buckets(column).values()
           for pair in naive.pairs_within(members)}  # fmt: skip
    assert met == naive.candidates(signatures, rows)


def test_equal_slots_in_different_bands_make_different_keys() -> None:
    keys = call_kernels.band_keys([7, 8, 7, 8, 7, 8], 2)
    assert len(set(keys)) == 3


# What the probabilities promise


class Overlap(NamedTuple):
    """Two sets by their numbers of elements: only in the first, in both, only in the second."""

    first: int
    shared: int
    second: int

    @property
    def similarity(self) -> float:
        return self.shared / sum(self)

    def __str__(self) -> str:
        return f"{self.first}+{self.shared}+{self.second}"


def overlap_of(size: int, similarity: float) -> Overlap:
    """Return sets of about that size and similarity, neither equal nor disjoint."""
    shared = min(max(round(2 * size * similarity / (1 + similarity)), 1), size - 1)
    return Overlap(size - shared, shared, size - shared)


SIZES = [2, 5, 10, 50, 200, 1000, 5000]
OVERLAPS = [
    Overlap(0, 1, 1),
    Overlap(0, 1, 3),
    *sorted({overlap_of(size, similarity) for size in SIZES for similarity in (0.3, 0.6, 0.9)}),
]
by_overlap = pytest.mark.parametrize("overlap", OVERLAPS, ids=str)


@call_kernels.uncached
def agreements(
    unions: NDArray[np.uint64],
    only: tuple[int, int],
    multipliers: NDArray[np.uint64],
    classic: bool,
    out: NDArray[np.bool_],
) -> None:
    """Return in which slots the sets of each trial agree; a trial is a row of `unions` and one of `multipliers`.

    `only` is how many elements, at the begin and at the end, only the first and only the second set has.
    """
    first, second = only
    one = np.empty(out.shape[1], np.uint64)
    two = np.empty(out.shape[1], np.uint64)
    for trial in range(out.shape[0]):
        union = unions[trial % unions.shape[0]]
        drawn = multipliers[trial % multipliers.shape[0]]
        if classic:
            classic_sketch(union[: union.size - second], drawn, one)
            classic_sketch(union[first:], drawn, two)
        else:
            fast_sketch(union[: union.size - second], drawn, one)
            fast_sketch(union[first:], drawn, two)
        for slot in range(one.size):
            out[trial, slot] = one[slot] == two[slot]


def random_numbers(shape: tuple[int, int], seed: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(1, 1 << 64, shape, np.uint64)


def shingle_hashes(count: int) -> NDArray[np.uint64]:
    """Return hashes that are as far from random as a user's: those of consecutive token ids."""
    return call_kernels.uint64(naive.hash_shingle([naive.hash_number(number)]) for number in range(count))


def trials(
    sketch: str, overlap: Overlap, count: int, *, slots: int = SLOTS, fixed: bool = False, seed: int = 1
) -> NDArray[np.bool_]:
    """Return, for each trial, which slots agree. Sets are drawn anew for every trial, or `fixed` and all else drawn."""
    union = sum(overlap)
    unions = shingle_hashes(union)[np.newaxis] if fixed else random_numbers((count, union), seed)
    multipliers = random_numbers((count if fixed else 16, 2 * slots), seed + 1) | np.uint64(1)
    out = np.empty((count, slots), np.bool_)
    agreements(unions, (overlap.first, overlap.second), multipliers, sketch == "classic", out)
    return out


def trial_count(sketch: str, overlap: Overlap) -> int:
    """Return as many trials as take a moment."""
    if sketch == "classic":
        return 1000 if sum(overlap) <= 100 else 100 if sum(overlap) <= 2000 else 20
    return 2000 if sum(overlap) <= 500 else 400 if sum(overlap) <= 2000 else 100


def variance_spread(n: int, p: float, count: int) -> float:
    """Return the standard deviation of the mean of `count` squared deviations of binomial variables."""
    variance = n * p * (1 - p)
    fourth = variance * (1 + 3 * (n - 2) * p * (1 - p))
    return math.sqrt((fourth - variance**2) / count)


@pytest.mark.slow
@both_sketches
@by_overlap
@pytest.mark.parametrize("fixed", [False, True], ids=["random sets", "random hashing"])
@call_kernels.compiled
def test_agreement_estimates_the_similarity_without_bias(sketch: str, overlap: Overlap, fixed: bool) -> None:
    count, p = trial_count(sketch, overlap), overlap.similarity
    total = int(trials(sketch, overlap, count, fixed=fixed).sum())
    assert abs(total - count * SLOTS * p) <= SIGMAS * math.sqrt(count * SLOTS * p * (1 - p))


@pytest.mark.slow
@both_sketches
@by_overlap
@call_kernels.compiled
def test_agreement_varies_no_more_than_the_binomial(sketch: str, overlap: Overlap) -> None:
    count, p = trial_count(sketch, overlap), overlap.similarity
    agreed = trials(sketch, overlap, count, seed=2).sum(axis=1)
    variance = float(np.mean((agreed - SLOTS * p) ** 2))
    binomial = SLOTS * p * (1 - p)
    assert variance <= binomial + SIGMAS * variance_spread(SLOTS, p, count)


@pytest.mark.parametrize("overlap", [overlap for overlap in OVERLAPS if sum(overlap) <= SLOTS], ids=str)
@call_kernels.compiled
def test_fast_varies_less_than_classic_on_small_sets(overlap: Overlap) -> None:
    count, p = 2000, overlap.similarity
    agreed = trials("fast", overlap, count, seed=3).sum(axis=1)
    variance = float(np.mean((agreed - SLOTS * p) ** 2))
    assert variance < SLOTS * p * (1 - p) - SIGMAS * variance_spread(SLOTS, p, count)


@both_sketches
@call_kernels.compiled
def test_every_slot_is_as_good_as_any_other(sketch: str) -> None:
    count, overlap = 3000, Overlap(5, 10, 5)
    by_slot = trials(sketch, overlap, count, seed=4).sum(axis=0)
    assert np.all(abs(by_slot - count / 2) <= SIGMAS * math.sqrt(count / 4))


@both_sketches
@pytest.mark.parametrize("size", [1, 10, 1000])
@call_kernels.compiled
def test_disjoint_sets_agree_nowhere(sketch: str, size: int) -> None:
    assert not trials(sketch, Overlap(size, 0, size), 50).any()


def hits(sketch: str, overlap: Overlap, banding: Banding, count: int) -> int:
    """Count the trials in which all rows of a band agree."""
    agreed = trials(sketch, overlap, count, slots=banding.slots, seed=5)
    bands = agreed.reshape(count, banding.bands, banding.rows)
    return int(np.any(np.all(bands, axis=2), axis=1).sum())


CURVE = [
    Overlap(7, 6, 7),
    Overlap(3, 4, 3),
    Overlap(5, 10, 5),
    Overlap(2, 6, 2),
    Overlap(30, 140, 30),
    Overlap(100, 800, 100),
]


@pytest.mark.parametrize("banding", [Banding(20, 5), Banding(10, 10), Banding(50, 2)], ids=str)
@pytest.mark.parametrize("overlap", CURVE, ids=str)
@call_kernels.compiled
def test_classic_band_hits_follow_the_curve(overlap: Overlap, banding: Banding) -> None:
    count, p = 500 if sum(overlap) <= 500 else 100, banding.chance(overlap.similarity)
    found = hits("classic", overlap, banding, count)
    assert abs(found - count * p) <= SIGMAS * math.sqrt(count * p * (1 - p)) + 1


@pytest.mark.parametrize("banding", [Banding(20, 5), Banding(10, 10), Banding(50, 2)], ids=str)
@pytest.mark.parametrize("overlap", CURVE, ids=str)
@call_kernels.compiled
def test_fast_band_hits_are_on_the_right_side_of_the_curve(overlap: Overlap, banding: Banding) -> None:
    """Less variance makes a steeper curve: no fewer hits than 1 - (1 - s^r)^b above the middle, no more below it."""
    count, p = 2000 if sum(overlap) <= 500 else 500, banding.chance(overlap.similarity)
    found = hits("fast", overlap, banding, count)
    fence = SIGMAS * math.sqrt(count * p * (1 - p)) + 1
    if p >= 0.5:
        assert found >= count * p - fence
    if p <= 0.5:
        assert found <= count * p + fence


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("union", [10, 20, 100, 1000])
@call_kernels.compiled
def test_tuned_bands_keep_the_promise_at_the_threshold(threshold: float, union: int) -> None:
    recall, count = 0.95, 3000 if union <= 100 else 1000
    shared = round(threshold * union)
    overlap = Overlap((union - shared) // 2, shared, union - shared - (union - shared) // 2)
    found = hits("fast", overlap, tune(overlap.similarity, recall), count)
    assert found >= count * recall - SIGMAS * math.sqrt(count * recall * (1 - recall))
