"""SplitMix64: numbers that look random and follow from a seed alone, the same on every platform.

Signatures and samples depend on them: golden tests hold them. All arithmetic is modulo 2^64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def random_numbers(seed: int, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the numbers at these places, from 0 on, of the sequence that a seed begins.

    >>> random_numbers(1, np.arange(2)).tolist()
    [10451216379200822465, 13757245211066428519]
    """
    return scramble((places.astype(np.uint64) + np.uint64(1)) * GOLDEN + np.uint64(seed))


def scramble(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each number, by the finaliser of SplitMix64: no two are the same."""
    numbers = numbers ^ (numbers >> np.uint64(30))
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    return numbers
