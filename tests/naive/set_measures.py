"""Measures of how similar two sets are, from the definitions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection

T = TypeVar("T")


def jaccard(one: Collection[T], two: Collection[T]) -> float:
    """Return the size of the intersection over that of the union."""
    return len(set(one) & set(two)) / len(set(one) | set(two))


def dice(one: Collection[T], two: Collection[T]) -> float:
    """Return twice the size of the intersection over the sum of both sizes."""
    return 2 * len(set(one) & set(two)) / (len(set(one)) + len(set(two)))


def cosine(one: Collection[T], two: Collection[T]) -> float:
    """Return the cosine of the angle between two sets, as vectors of zeros and ones."""
    return len(set(one) & set(two)) / math.sqrt(len(set(one)) * len(set(two)))


def containment(one: Collection[T], two: Collection[T]) -> float:
    """Return the share of the first set that the second has too."""
    return len(set(one) & set(two)) / len(set(one))


def overlap(one: Collection[T], two: Collection[T]) -> float:
    """Return the share of the smaller set that the larger has too."""
    return max(containment(one, two), containment(two, one))


MEASURES = (jaccard, dice, cosine, overlap)
"""In the order of their codes."""


def measured(measure: int, shared: int, one: int, two: int) -> float:
    """Return the similarity of sets of two sizes that share so much."""
    return MEASURES[measure](range(one), range(one - shared, one - shared + two))
