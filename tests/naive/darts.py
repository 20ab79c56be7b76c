"""Slow references for weighted sets: dicts of elements (hashes) to weights. Nothing here imports lookalike."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, TypeVar

import naive

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

T = TypeVar("T", bound="Hashable")

MODULUS, FIRST, SECOND, BASE, EMPTY = naive.MODULUS, naive.FIRST, naive.SECOND, naive.BASE, naive.EMPTY
BIAS = 1 << 16
STRIPS = ((-8, -4, 4), (-16, -8, 8), (-32, -16, 16), (-64, -32, 32))
"""From 2^this to 2^that of an octave's unit; and how many octaves share a hash."""


def weighted_jaccard(one: Mapping[T, float], two: Mapping[T, float]) -> float:
    """Return the sum of the lesser weights over that of the greater ones."""
    elements = set(one) | set(two)
    both = math.fsum(min(one.get(e, 0.0), two.get(e, 0.0)) for e in elements)
    return both / math.fsum(max(one.get(e, 0.0), two.get(e, 0.0)) for e in elements)


def all_pairs(sets: Sequence[Mapping[T, float]], threshold: float) -> dict[tuple[int, int], float]:
    """Compare every two weighted sets and return the pairs that reach the threshold; an empty one resembles nothing."""
    found = {}
    for (i, one), (j, two) in itertools.combinations(enumerate(sets), 2):
        if one and two and (similarity := weighted_jaccard(one, two)) >= threshold:
            found[i, j] = similarity
    return found


def scramble(h: int) -> int:
    """Mix a number."""
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % MODULUS
    h = (h ^ h >> 27) * 0x94D049BB133111EB % MODULUS
    return h ^ h >> 31


def again(h: int) -> int:
    """Return another hash of what a hash is of."""
    h = (h ^ h >> 32) * FIRST % MODULUS
    return h ^ h >> 32


def distance(h: int) -> float:
    """Return the distance that a hash gives a dart from the one before."""
    zeros = next(i for i in range(64) if i == 63 or h >> i & 1)
    return zeros * math.log(2) - math.log(0.5 + (h >> 12) / 2**53)


def poisson(mean: Decimal, h: int) -> int:
    """Return the least number that is not exceeded with a chance above h / 2^64, by Poisson's law."""
    with localcontext() as context:
        context.prec = 50
        chance = Decimal(0)
        for n in itertools.count():
            chance += (-mean).exp() * mean**n / math.factorial(n)
            if h < int(chance * MODULUS):
                return n
    raise AssertionError


def darts(element: int, octave: int, width: float) -> Iterator[int]:
    """Yield the darts of an octave on the board of an element, left of a width in units of the octave."""
    h, at = scramble((element + (octave + BIAS) * SECOND) % MODULUS), 1 / 16
    while True:
        dart = scramble(h)
        h = (h + BASE) % MODULUS
        at += distance(again(dart))
        if at >= width:
            break
        yield dart
    for strip, (low, high, octaves) in enumerate(STRIPS):
        h = scramble((element + (octave // octaves + BIAS) * SECOND + (strip + 1) * BASE) % MODULUS)
        for n in range(poisson((Decimal(2) ** high - Decimal(2) ** low) * octaves, h)):
            dart = scramble((h + (n + 1) * BASE) % MODULUS)
            place = again(dart)
            at = 2.0**low + (2.0**high - 2.0**low) * ((place >> 11) / 2**53)
            if place % octaves == octave % octaves and at < width:
                yield dart


def dart_sketch(weights: Mapping[int, float], seed: int, slots: int) -> list[int]:
    """Throw octave after octave, from one on in which no dart can hit, until no slot is empty."""
    signature = [EMPTY] * slots
    lowest = -65 - math.frexp(max(weights.values()))[1]
    for octave in itertools.count(lowest):
        for element, weight in weights.items():
            for dart in darts(element ^ seed, octave, math.ldexp(weight, octave)):
                slot = (dart >> 44) * slots >> 20
                signature[slot] = min(signature[slot], (octave + BIAS) << 44 | dart % (1 << 44))
        if EMPTY not in signature:
            return signature
    raise AssertionError


def fingerprint(weights: Mapping[int, int]) -> tuple[int, int]:
    """Return two sums over elements and the bits of their weights."""
    hashes = [scramble((element + bits * SECOND) % MODULUS) for element, bits in weights.items()]
    return sum(hashes) % MODULUS, sum(map(again, hashes)) % MODULUS
