"""Signatures and band keys of weighted sets, by throwing darts (after Christiani, DartMinHash, 2020).

Every element has a board with the weight on the x-axis and the rank on the y-axis, both from 0 to infinity. Darts are
spread over it uniformly at random, one per unit of area on average, and each belongs to one of k slots. An item is hit
by the darts to the left of its elements' weights, and each slot keeps the hit of lowest rank. The lowest hit of two
items together is a hit of both with the chance sum(min) / sum(max): the weighted Jaccard similarity.

The positions of darts depend on hashes alone. Ranks from 2^e to 2^(e+1) are octave e; its unit of weight is 2^-e, so
one dart per unit is expected there as well. From 1/16 of a unit on, the distances between the darts of an octave are
those of a Poisson process. Light elements do not reach that far. The strip before 1/16 is merged with the strips of
neighbouring octaves, and so are the narrower strips before it, the narrower, the more of them (`STRIPS`): one hash
decides how many darts a merged strip has, usually none. The cost therefore does not depend on the scale of weights. No
dart is thrown before the last strip, in the first 2^-64 of a unit.

Darts are thrown at an item from the bottom up, octave by octave, until no slot is empty: that takes approximately
k log k darts, and a few hashes per element. Numbers are only added, subtracted, multiplied and divided, so results are
the same on every machine.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np

from lookalike.kernels.hashing import BASE, FIRST, SECOND
from lookalike.kernels.jit import inline, kernel, trailing_zeros
from lookalike.kernels.sketch import EMPTY, band_key

BEGIN = -4
"""Darts are thrown one by one from 2^BEGIN of an octave's unit on."""

STRIPS = ((-8, -4, 2), (-16, -8, 3), (-32, -16, 4), (-64, -32, 5))
"""Strips before BEGIN: (low, high, bits) spans 2^low to 2^high of a unit, and merges 2^bits octaves."""

BIAS = 1 << 16
"""Added to octaves, which may be negative."""

RANK_BITS, SLOT_BITS = np.uint64(44), np.uint64(20)
RANK = np.uint64((1 << 44) - 1)
"""The high bits of a dart's hash determine its slot, the low bits are its rank within the octave."""

ONE = np.uint64(1)
UNIT = 2.0**-53
MAX_EXPONENT = 64
POWERS = 2.0 ** np.arange(-MAX_EXPONENT, MAX_EXPONENT)
"""The powers of two, from the lowest that is needed."""


def logarithm(number: float) -> float:
    """Return the natural logarithm, correctly rounded on every machine, which `math.log` does not guarantee."""
    with localcontext() as context:
        context.prec = 50
        return float(Decimal(number).ln())


LN2 = logarithm(2.0)
MIDDLES = 0.5 + (np.arange(128) + 0.5) / 256
INVERSES = 1 / MIDDLES
LOGARITHMS = np.array([-logarithm(middle) for middle in MIDDLES.tolist()])
"""Tables for -ln of numbers in [1/2, 1)."""


def poisson(mean: float) -> list[int]:
    """Return, for 0, 1, 2, ... darts, the greatest hash that gives at most that many."""
    with localcontext() as context:
        context.prec = 50
        term = total = (-Decimal(mean)).exp()
        bounds = []
        for n in range(1, 40):
            bounds.append(min(int(total * (1 << 64)), 1 << 64) - 1)
            term *= Decimal(mean) / n
            total += term
        return bounds


COUNTS = np.array([poisson((2.0**high - 2.0**low) * 2**bits) for low, high, bits in STRIPS], np.uint64)
LOWS, HIGHS, BITS = np.array(STRIPS).T.copy()


@inline
def scramble(h):
    """Mix a number (the finaliser of SplitMix64)."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@inline
def rehash(h):
    """Return a second hash, derived from a hash."""
    h = (h ^ (h >> np.uint64(32))) * FIRST
    return h ^ (h >> np.uint64(32))


@inline
def distance(h):
    """Return a distance of a Poisson process: -ln of a number in (0, 1), which is 2^-zeros times x, in [1/2, 1).

    ln is computed from the nearest of the middles c and (x - c) / c, with an error below 1e-15, since the C library's
    logarithm differs between machines.
    """
    zeros = trailing_zeros(h | ONE << np.uint64(63))
    middle = h >> np.uint64(57)
    x = 0.5 + np.float64(np.int64(h >> np.uint64(12))) * UNIT
    r = (x - MIDDLES[middle]) * INVERSES[middle]
    q = r * r
    return zeros * LN2 + LOGARITHMS[middle] - r + q * ((0.5 - r * (1 / 3)) + q * (0.25 - r * 0.2))


@inline
def value_of(octave, fraction):
    """Return the value that a slot keeps of a dart. Values sort as ranks do."""
    return np.uint64(octave + BIAS) << RANK_BITS | fraction


@inline
def hit(signature, dart, octave):
    """Keep a dart in its slot if it is the lowest so far."""
    slot = (dart >> RANK_BITS) * np.uint64(signature.size) >> SLOT_BITS
    signature[slot] = min(signature[slot], value_of(octave, dart & RANK))


@kernel
def throw_octave(element, weight, octave, signature):
    """Throw the darts of an octave up to a weight, in its units."""
    h = scramble(element + np.uint64(octave + BIAS) * SECOND)
    at = POWERS[BEGIN + MAX_EXPONENT]
    while True:
        dart = scramble(h)
        h += BASE
        at += distance(rehash(dart))
        if at >= weight:
            return
        hit(signature, dart, octave)


@kernel
def throw_strip(element, mantissa, exponent, strip, group, signature):
    """Throw the darts of a strip of merged octaves at an element of weight mantissa * 2^exponent."""
    h = scramble(element + np.uint64(group + BIAS) * SECOND + np.uint64(1 + strip) * BASE)
    n = 0
    while h > COUNTS[strip, n]:
        n += 1
        dart = scramble(h + np.uint64(n) * BASE)
        position = rehash(dart)
        octave = (group << BITS[strip]) + np.int64(position & np.uint64((1 << BITS[strip]) - 1))
        low, high = POWERS[LOWS[strip] + MAX_EXPONENT], POWERS[HIGHS[strip] + MAX_EXPONENT]
        at = low + (high - low) * (np.float64(np.int64(position >> np.uint64(11))) * UNIT)
        power = min(exponent + octave, 0)
        if power > LOWS[strip] and at < mantissa * POWERS[power + MAX_EXPONENT]:
            hit(signature, dart, octave)


@inline
def first_group(strip, exponent):
    """Return the first group of octaves in which an element below 2^exponent overlaps the strip."""
    return LOWS[strip] + 1 - exponent >> BITS[strip]


@kernel
def throw_all(element, weight, limit, signature):
    """Throw the darts of all octaves below a limit at an element."""
    mantissa, exponent = math.frexp(weight)
    for octave in range(BEGIN + 1 - exponent, limit):
        throw_octave(element, mantissa * POWERS[exponent + octave + MAX_EXPONENT], octave, signature)
    for strip in range(LOWS.size):
        for group in range(first_group(strip, exponent), (limit - 1 >> BITS[strip]) + 1):
            throw_strip(element, mantissa, exponent, strip, group, signature)


@kernel
def throw_next(element, weight, octave, signature):
    """Throw the darts of one more octave, and of the strips that begin with it."""
    mantissa, exponent = math.frexp(weight)
    if exponent + octave > BEGIN:
        throw_octave(element, mantissa * POWERS[exponent + octave + MAX_EXPONENT], octave, signature)
    for strip in range(LOWS.size):
        group = octave >> BITS[strip]
        if group << BITS[strip] == octave and group >= first_group(strip, exponent):
            throw_strip(element, mantissa, exponent, strip, group, signature)


@kernel
def is_below(signature, bound):
    """Return whether the values of all slots are below a bound."""
    largest = np.uint64(0)
    for value in signature:
        largest = max(largest, value)
    return largest < bound


@kernel
def dart_sketch(elements, weights, seed, area, signature):
    """Write the signature of a weighted set that is not empty.

    All octaves below a limit are thrown element by element; their area is at most 2^area, and at least half of that.
    Then one octave is thrown at a time, until every slot has a dart that is below all later ones. (A strip may reach
    into later octaves: its darts there do not count as a reason to stop.)
    """
    signature[:] = EMPTY
    largest = weights[0]
    for weight in weights:
        largest = max(largest, weight)
    mantissa, scale = math.frexp(largest)
    total = 0.0
    for weight in weights:
        total += weight / largest
    octave = area - scale - math.frexp(total * mantissa)[1]
    for i in range(elements.size):
        throw_all(elements[i] ^ seed, weights[i], octave, signature)
    while not is_below(signature, value_of(octave, np.uint64(0))):
        for i in range(elements.size):
            throw_next(elements[i] ^ seed, weights[i], octave, signature)
        octave += 1


@kernel
def sign_weights(numbers, begins, sizes, sketch, prints, keys):
    """Write the fingerprint of each weighted set, and its key in each band.

    A set is packed as `pack` does, and begins at `begins[item]`. `sketch` is (seed, area, rows, room for a signature).
    For an empty set, `keys[band, item]` is not written, and the fingerprint is (0, 0).
    """
    seed, area, rows, signature = sketch
    weights = numbers.view(np.float64)
    for item in range(begins.size):
        begin, middle = begins[item], begins[item] + sizes[item]
        end = middle + sizes[item]
        prints[item, 0], prints[item, 1] = fingerprint_pairs(numbers[begin:middle], numbers[middle:end])
        if sizes[item] == 0 or keys.shape[0] == 0:
            continue
        dart_sketch(numbers[begin:middle], weights[middle:end], seed, area, signature)
        for band in range(keys.shape[0]):
            keys[band, item] = band_key(signature, band * rows, rows, band)


@kernel
def fingerprint_pairs(elements, bits):
    """Return two sums over elements and their weights. The first is 0 only if there are no elements."""
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(elements.size):
        h = scramble(elements[i] + bits[i] * SECOND)
        first += h
        second += rehash(h)
    return first if first != np.uint64(0) or elements.size == 0 else ONE, second
