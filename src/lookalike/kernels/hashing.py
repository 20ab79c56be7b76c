"""The hash of a token. It must never change: saved results depend on it, and golden tests pin it.

    token   its UTF-8 bytes in chunks of eight, little-endian, the last padded with zeros:
            h = 0; for each chunk: h = (h ^ chunk) * FIRST; h = h ^ (h >> 32); then h * SECOND
            a whole text that ends in zeros has one more chunk: its length and the byte 255, which never occurs in UTF-8
    number  (a code point, a byte, a token id): the same with the number as the only chunk, and h = FIRST at the start,
            so that 0 is a token like any other
    sign    (ASCII punctuation, if it is kept): the token of the single byte 128 + its code
    shingle tokens t1..tn: p = t1 * BASE^(n-1) + ... + tn; p = (p ^ (p >> 32)) * FIRST; p ^ (p >> 29); 0 becomes 1

All arithmetic is modulo 2^64. The polynomial rolls along the text with two multiplications per shingle, whatever n is.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import inline

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xC2B2AE3D27D4EB4F)
NO_TEXT = np.uint64(0xFF << 56)
BASE = np.uint64(0xD6E8FEB86659FD93)


@inline
def absorb(h, chunk):
    """Mix one chunk of a token into its hash."""
    h = (h ^ chunk) * FIRST
    return h ^ (h >> np.uint64(32))


@inline
def hash_number(number):
    """Hash a token that is a number."""
    return absorb(FIRST, np.uint64(number)) * SECOND


@inline
def finish(p):
    """Return the hash of a shingle's polynomial; never 0, so that 0 can mark an empty slot."""
    p = (p ^ (p >> np.uint64(32))) * FIRST
    p = p ^ (p >> np.uint64(29))
    return p if p != np.uint64(0) else np.uint64(1)


def base_power(n: int) -> np.uint64:
    """Return BASE^n, the weight of a token that leaves a window of n + 1."""
    return np.uint64(pow(int(BASE), n, 1 << 64))
