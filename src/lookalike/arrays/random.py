"""SplitMix64: pseudo-random numbers that depend on a seed alone and are the same on every platform.

Signatures and samples depend on them, so golden tests pin them. All arithmetic is modulo 2^64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def random_numbers(seed: int, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the numbers at the given positions, counted from 0, of the sequence that starts from a seed.

    >>> random_numbers(1, np.arange(2)).tolist()
    [10451216379200822465, 13757245211066428519]
    """
    return scramble((positions.astype(np.uint64) + np.uint64(1)) * GOLDEN + np.uint64(seed))


def scramble(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each number, by the finaliser of SplitMix64: distinct numbers have distinct hashes."""
    numbers = numbers ^ (numbers >> np.uint64(30))
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    return numbers
