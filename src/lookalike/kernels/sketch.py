"""Signatures and band keys of sets of shingles.

`fast_sketch` is Fast Similarity Sketching (Dahlgaard, Knudsen and Thorup, 2017): round i < k throws every element into
one of k slots; rounds k..2k-1 throw every element into slot i - k. A slot keeps the lowest (round, fraction) it sees,
and the throwing ends when no slot is empty. A set of n elements costs n + O(k log k), not n * k.

`classic_sketch` is textbook MinHash: k universal hash functions (a x + b) mod p, and the minimum of each.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.hashing import FIRST, SECOND
from lookalike.kernels.jit import inline, kernel
from lookalike.kernels.shingles import fingerprint

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
PRIME = np.uint64(4294967311)
"""The lowest prime above 2^32, for classic MinHash on the upper half of a hash."""

LOW_HALF = np.uint64(0xFFFFFFFF)

MANY = 16
"""The number of elements from which counting the empty slots is faster than mispredicted branches."""


@inline
def throw(h, multiplier, slots):
    """Return the slot and the 32-bit fraction of an element for a round's multiplier."""
    p = (h ^ (h >> np.uint64(32))) * multiplier
    high = p >> np.uint64(32)
    return high * np.uint64(slots) >> np.uint64(32), (p ^ high) & LOW_HALF


@kernel
def fast_sketch(elements, multipliers, signature):
    """Write the signature of a set that is not empty. `multipliers` has two odd numbers per slot.

    While many slots are empty, it is unpredictable whether an element hits one: every throw is then a minimum without a
    branch, and the empty slots are counted afterwards. When few slots are left, hardly any element hits one.
    """
    slots = signature.size
    signature[:] = EMPTY
    empty = slots
    i = 0
    while i == 0 or (empty > slots >> 3 and elements.size >= MANY and i < slots):
        value = np.uint64(i) << np.uint64(32)
        for h in elements:
            slot, fraction = throw(h, multipliers[i], slots)
            signature[slot] = min(signature[slot], value | fraction)
        empty = 0
        for slot in range(slots):
            empty += signature[slot] == EMPTY
        i += 1
    while empty > 0:
        value = np.uint64(i) << np.uint64(32)
        for h in elements:
            slot, fraction = throw(h, multipliers[i], slots)
            if i >= slots:
                slot = np.uint64(i - slots)
            held = signature[slot]
            if held > value | fraction:
                signature[slot] = value | fraction
                empty -= held == EMPTY
        i += 1


@kernel
def classic_sketch(elements, multipliers, signature):
    """Write the MinHash signature of a set. `multipliers` has a and b per slot, of which the low 32 bits are used."""
    for slot in range(signature.size):
        a = multipliers[2 * slot] & LOW_HALF
        b = multipliers[2 * slot + 1] & LOW_HALF
        minimum = EMPTY
        for h in elements:
            minimum = min(minimum, (a * (h >> np.uint64(32)) + b) % PRIME)
        signature[slot] = minimum


@inline
def band_key(signature, begin, rows, band):
    """Return the key of a band: a hash of its slots."""
    key = np.uint64(band + 1) * SECOND
    for row in range(begin, begin + rows):
        key = (key ^ signature[row]) * FIRST
        key ^= key >> np.uint64(32)
    return key * SECOND


@kernel
def sign_batch(grams, counts, sketch, prints, keys):
    """Write the fingerprint of each item, and its key in each band.

    `grams` holds the shingles of the items, one item after another. `sketch` is (multipliers, rows, classic, room for a
    signature). For an item without shingles, `keys[band, i]` is not written, and the fingerprint is (0, 0).
    """
    multipliers, rows, classic, signature = sketch
    begin = 0
    for item in range(counts.size):
        one = grams[begin : begin + counts[item]]
        begin += counts[item]
        prints[item, 0], prints[item, 1] = fingerprint(one)
        if one.size == 0 or keys.shape[0] == 0:
            continue
        if classic:
            classic_sketch(one, multipliers, signature)
        else:
            fast_sketch(one, multipliers, signature)
        for band in range(keys.shape[0]):
            keys[band, item] = band_key(signature, band * rows, rows, band)
