"""The sketch of weighted sets: equal to its reference, and with the collision probability that it promises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

import naive
import naive.darts
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.kernels import darts

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weights = Mapping[int, float]

SIGMAS = 4.5
"""Of the binomial; one in 150,000 comparisons would be further off by chance, and the seeds are fixed."""

weights = st.floats(1e-6, 1e6) | st.sampled_from([0.5, 1.0, 2.0, 3.0]) | st.floats(1e-300, 1e280)
sets = st.dictionaries(strategies.hashes, weights, min_size=1, max_size=12)


def sketch(one: Weights, slots: int, seed: int = 1, area: int | None = None) -> NDArray[np.uint64]:
    """Sign one weighted set."""
    signature = np.empty(slots, np.uint64)
    elements, held = call_kernels.uint64(one), np.array(list(one.values()))
    start = round(math.log2(slots * (math.log(slots) + 0.6))) if area is None else area
    darts.dart_sketch(elements, held, np.uint64(seed), start, signature)
    return signature


def sigmas(agreed: int, slots: int, similarity: float) -> float:
    """Return how far a number of equal slots is from the one to be expected."""
    return (agreed - slots * similarity) / math.sqrt(slots * similarity * (1 - similarity))


# the reference


@pytest.mark.slow
@given(one=sets, slots=st.integers(1, 30), seed=strategies.numbers)
def test_sketch(one: dict[int, float], slots: int, seed: int) -> None:
    assert call_kernels.ints(sketch(one, slots, seed)) == naive.darts.dart_sketch(one, seed, slots)


@given(one=sets, slots=st.integers(1, 30), area=st.integers(-8, 12))
def test_where_it_starts_does_not_matter(one: dict[int, float], slots: int, area: int) -> None:
    assert np.array_equal(sketch(one, slots, area=area), sketch(one, slots))


@given(one=sets, slots=st.integers(1, 30), seed=strategies.numbers)
def test_order_does_not_matter(one: dict[int, float], slots: int, seed: int) -> None:
    assert np.array_equal(sketch(dict(reversed(one.items())), slots, seed), sketch(one, slots, seed))


@pytest.mark.slow
@given(one=sets, two=sets)
def test_sketches_merge(one: dict[int, float], two: dict[int, float]) -> None:
    """The hits of greater weights are those of both."""
    union = {e: max(one.get(e, 0.0), two.get(e, 0.0)) for e in (*one, *two)}
    assert np.array_equal(np.minimum(sketch(one, 16), sketch(two, 16)), sketch(union, 16))


@call_kernels.uncached
def write_distance(h: np.uint64, out: NDArray[np.float64]) -> None:
    out[0] = darts.distance(h)


@pytest.mark.slow
@given(strategies.numbers | st.integers(0, 63).map(lambda i: 1 << i) | st.just(0))
def test_distance(h: int) -> None:
    out = np.empty(1)
    write_distance(np.uint64(h), out)
    assert out[0] == pytest.approx(naive.darts.distance(h), rel=1e-14, abs=1e-15)
    assert out[0] >= 0


@given(st.integers(0, 3), strategies.numbers)
def test_counts(strip: int, h: int) -> None:
    low, high, bits = darts.STRIPS[strip]
    mean = (Decimal(2) ** high - Decimal(2) ** low) * (1 << bits)
    assert int(np.searchsorted(darts.COUNTS[strip], np.uint64(h), side="left")) == naive.darts.poisson(mean, h)


@given(one=sets)
def test_fingerprints(one: dict[int, float]) -> None:
    bits = np.array(list(one.values())).view(np.uint64)
    first, second = darts.fingerprint_pairs(call_kernels.uint64(one), bits)
    expected = naive.darts.fingerprint(dict(zip(one, call_kernels.ints(bits), strict=True)))
    assert (int(first), int(second)) == expected


def test_batches() -> None:
    """As the stage calls it: sets one after the other, one of them empty."""
    collection: list[dict[int, float]] = [{5: 1.0, 9: 2.5}, {}, {7: 1e-9}]
    packed = [np.array([*one, *np.array(list(one.values())).view(np.uint64)], np.uint64) for one in collection]
    numbers = np.concatenate(packed)
    sizes = call_kernels.int64(map(len, collection))
    begins = 2 * (np.cumsum(sizes) - sizes)
    keys, prints = np.zeros((4, 3), np.uint64), np.empty((3, 2), np.uint64)
    darts.sign_weights(numbers, begins, sizes, (np.uint64(3), 4, 2, np.empty(8, np.uint64)), prints, keys)
    for i, one in enumerate(collection):
        expected = naive.band_keys(naive.darts.dart_sketch(one, 3, 8), 2) if one else [0] * 4
        assert call_kernels.ints(keys[:, i]) == expected
    assert call_kernels.ints(prints[1]) == [0, 0]
    assert len({tuple(call_kernels.ints(one)) for one in prints}) == 3


GOLDEN = [
    "0x10000e6b8ad23b30",
    "0x1000079d0d0a0095",
    "0x10002a5863db72e8",
    "0xfffe15c26c7bd66",
    "0xffff0ed0aff3d95",
    "0x100015031509289b",
]


def test_golden() -> None:
    """Saved results would depend on these: they are the same on every machine."""
    signature = sketch({0x9E3779B97F4A7C15: 2.5, 0xC2B2AE3D27D4EB4F: 0.125, 0xD6E8FEB86659FD93: 1e-3}, 6, 42)
    assert [f"{value:#x}" for value in call_kernels.ints(signature)] == GOLDEN


# the promise


def related(rng: np.random.Generator, size: int, scale: float, spread: float) -> tuple[dict[int, float], ...]:
    """Make two sets of a scale: some weights differ a little, some a lot, some elements only one has."""
    names = [int(name) for name in rng.integers(0, 1 << 63, 2 * size)]
    one = dict(zip(names[:size], (scale * rng.lognormal(0, spread, size)).tolist(), strict=True))
    factors = rng.lognormal(0, rng.choice([0, 0.1, 0.5, 2], size))
    two = {name: weight * factor for (name, weight), factor in zip(one.items(), factors.tolist(), strict=True)}
    for name in names[: size // 5]:
        del two[name]
    two |= dict(
        zip(names[size : size + size // 5], (scale * rng.lognormal(0, spread, size // 5)).tolist(), strict=True)
    )
    return one, two


@call_kernels.compiled
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9, 1e-290, 1e270])
@pytest.mark.parametrize("size", [1, 2, 5, 30, 1000])
def test_slots_agree_with_the_chance_of_the_similarity(size: int, scale: float) -> None:
    rng = np.random.default_rng([size, int(math.log10(scale)) + 1000])
    for spread in (0.0, 1.0, 5.0):
        for heavier in (1.0, 3.0, 1e-3, 100.0):
            one, two = related(rng, size, scale, spread)
            two = {name: heavier * weight for name, weight in two.items()}
            similarity = naive.darts.weighted_jaccard(one, two)
            agreed = int(np.count_nonzero(sketch(one, 4096) == sketch(two, 4096)))
            if 0 < similarity < 1:
                assert abs(sigmas(agreed, 4096, similarity)) < SIGMAS, (spread, heavier)


X, Y, Z = 0x5851F42D4C957F2D, 0x14057B7EF767814F, 0x2545F4914F6CDD1D
MANY = {i * X % (1 << 64): 1.0 for i in range(1, 21)}
PAIRS: dict[str, tuple[Weights, Weights]] = {
    "half": ({X: 1.0}, {X: 0.5}),
    "a little less": ({X: 1.0}, {X: 0.93}),
    "a little": ({X: 1e-7}, {X: 5e-9}),
    "two": ({X: 1.0, Y: 1.0}, {X: 1.0}),
    "a light one more": ({X: 1.0, Y: 0.01}, {X: 1.0}),
    "turned round": ({X: 1.0, Y: 0.1}, {X: 0.1, Y: 1.0}),
    "three": ({X: 1e9, Y: 3e8, Z: 7e8}, {X: 9e8, Y: 7e8, Z: 1e7}),
    "half of them": (MANY, dict(list(MANY.items())[:10])),
    "half of each": (MANY, dict.fromkeys(MANY, 0.5)),
}


@pytest.mark.slow
@call_kernels.compiled
@pytest.mark.parametrize("slots", [1, 2, 7])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_few_slots_agree_with_the_same_chance(pair: tuple[Weights, Weights], slots: int) -> None:
    """Where few darts decide, those of light elements and of strips count the most."""
    one, two = pair
    similarity = naive.darts.weighted_jaccard(one, two)
    seeds = naive.odd_numbers(slots, 10_000)
    agreed = sum(int(np.count_nonzero(sketch(one, slots, seed) == sketch(two, slots, seed))) for seed in seeds)
    assert abs(sigmas(agreed, len(seeds) * slots, similarity)) < SIGMAS


@call_kernels.compiled
def test_slots_are_independent_enough_for_bands() -> None:
    """All rows of a band agree with the chance s^r."""
    one, two = related(np.random.default_rng(4), 30, 1.0, 1.0)
    similarity = naive.darts.weighted_jaccard(one, two)
    whole = 0
    for seed in naive.odd_numbers(5, 2000):
        agree = (sketch(one, 100, seed) == sketch(two, 100, seed)).reshape(20, 5)
        whole += int(np.count_nonzero(agree.all(axis=1)))
    assert abs(sigmas(whole, 2000 * 20, similarity**5)) < SIGMAS
