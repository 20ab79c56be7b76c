"""Bare loops to compare with: tokenise, hash every shingle once, and nothing else."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

K = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(nogil=True, cache=True)
def bare_words(data: Any, offsets: Any, n: int) -> Any:  # noqa: ANN401 - arrays
    """Hash the word n-grams of ASCII texts; return the sum of the hashes, so that nothing is left out."""
    total = np.uint64(0)
    window = np.zeros(n, np.uint64)
    for item in range(offsets.size - 1):
        words = 0
        h = np.uint64(0)
        inside = False
        for i in range(offsets[item], offsets[item + 1] + 1):
            c = data[i] if i < offsets[item + 1] else np.uint8(32)
            if 65 <= c <= 90:
                c += np.uint8(32)
            if 97 <= c <= 122 or 48 <= c <= 57 or c == 95:
                h = (h ^ np.uint64(c)) * K
                inside = True
            elif inside:
                window[words % n] = h
                words += 1
                if words >= n:
                    gram = np.uint64(0)
                    for j in range(n):
                        gram = (gram ^ window[(words + j) % n]) * K
                    total += gram
                h = np.uint64(0)
                inside = False
    return total


@numba.njit(nogil=True, cache=True)
def bare_chars(data: Any, offsets: Any, k: int) -> Any:  # noqa: ANN401 - arrays
    """Hash the character k-grams of ASCII texts by a rolling hash; return the sum of the hashes."""
    total = np.uint64(0)
    leaving = np.uint64(1)
    for _ in range(k):
        leaving *= K
    for item in range(offsets.size - 1):
        h = np.uint64(0)
        begin = offsets[item]
        for i in range(begin, offsets[item + 1]):
            h = h * K + np.uint64(data[i])
            if i - begin >= k:
                h -= leaving * np.uint64(data[i - k])
            if i - begin >= k - 1:
                total += (h ^ h >> np.uint64(32)) * K
    return total
