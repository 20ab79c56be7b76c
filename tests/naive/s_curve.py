"""The chance that a pair becomes a candidate."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def chance(similarity: float, bands: int, rows: int) -> float:
    """Return the probability that a pair agrees in all rows of at least one band."""
    missed = 1.0
    for _ in range(bands):
        missed *= 1 - similarity**rows
    return 1 - missed


def keeps_promise(threshold: float, recall: float, bands: int, rows: int) -> bool:
    """Return, with 60 digits, whether a pair at the threshold is found with at least the chance asked for."""
    with localcontext() as context:
        context.prec = 60
        return 1 - (1 - Decimal(threshold) ** rows) ** bands >= Decimal(recall)


def least_bands(threshold: float, recall: float, rows: int) -> int:
    """Return the least number of bands that keeps the promise, by trying one after the other."""
    return next(bands for bands in itertools.count(1) if keeps_promise(threshold, recall, bands, rows))


def shared_cells(one: Sequence[float], two: Sequence[float], widths: Sequence[float]) -> float:
    """Return in how many features two are in one cell on average, if cells of a width begin anywhere."""
    return sum(max(0.0, 1 - abs(a - b) / width) for a, b, width in zip(one, two, widths, strict=True))
