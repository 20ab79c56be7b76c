"""Slices of approximately equal weight, to cut a sequence of tasks into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def slices(weights: NDArray[np.int64], limit: int) -> Iterator[slice]:
    """Cut a sequence of tasks into slices of approximately `limit` weight each."""
    total = np.cumsum(weights)
    begin = 0
    while begin < len(total):
        before = total[begin - 1] if begin else 0
        end = max(int(np.searchsorted(total, before + limit, side="right")), begin + 1)
        yield slice(begin, end)
        begin = end
