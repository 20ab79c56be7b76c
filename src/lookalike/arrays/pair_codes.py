"""Codes of pairs: two items as one number, so that pairs can be sorted, looked up and deduplicated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pair_codes(one: NDArray[np.integer[Any]], two: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return a number per pair, whichever item comes first. Codes sort as (lesser item, greater item) would.

    >>> pair_codes(np.array([1, 2]), np.array([2, 1])).tolist()
    [4294967298, 4294967298]
    """
    codes: NDArray[np.int64] = np.minimum(one, two).astype(np.int64)
    codes <<= 32
    codes |= np.maximum(one, two)
    return codes


def lookup_scores(
    left: NDArray[np.integer[Any]],
    right: NDArray[np.integer[Any]],
    similarity: NDArray[np.float64],
    one: NDArray[np.integer[Any]],
    two: NDArray[np.integer[Any]],
    best: float,
) -> NDArray[np.float64]:
    """Return the scores of items `one` and `two` among listed pairs: `best` for an item and itself, NaN if not listed.

    If a pair is listed twice, its first score is returned.
    """
    pairs = pair_codes(left, right)
    order = np.argsort(pairs, kind="stable")
    wanted = pair_codes(one, two)
    out = np.where(one == two, best, np.nan)
    if len(pairs):
        found = order[np.minimum(np.searchsorted(pairs, wanted, sorter=order), len(pairs) - 1)]
        known = pairs[found] == wanted
        out[known] = similarity[found[known]]
    return out
