"""Recall as it is measured on a sample, and its interval."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

T = TypeVar("T")


def shared_with(few: Sequence[Collection[T]], items: Sequence[Iterable[T]], least: float) -> set[tuple[int, int, int]]:
    """Count what each item shares with each of the few; keep what is at least that share of the latter, and not 0."""
    found = set()
    for (i, item), (j, one) in itertools.product(enumerate(items), enumerate(few)):
        shared = len(set(item) & set(one))
        if shared and shared / len(one) >= least:
            found.add((i, j, shared))
    return found


def found_of(
    sample: Iterable[int],
    truth: Mapping[tuple[int, int], float],
    found: Collection[tuple[int, int]],
    within: Callable[[float], bool],
) -> tuple[int, int]:
    """Count the true pairs of each sampled item whose similarity is within a range, and how many were found."""
    pairs = [pair for item in sample for pair, s in truth.items() if item in pair and within(s)]
    return len(pairs), sum(pair in found for pair in pairs)


def nearest_found(best: list[float], listed: list[float]) -> int:
    """Count how many of the best scores were listed; of equals any one will do."""
    left = list(best)
    for score in listed:
        if score in left:
            left.remove(score)
    return len(best) - len(left)


def wilson(share: float, count: float, z: float) -> tuple[float, float]:
    """Return the least and the greatest share of all that z deviations explain, by halving."""

    def explained(p: float) -> bool:
        return (share - p) ** 2 <= z * z * p * (1 - p) / count

    def end(outside: float) -> float:
        inside = share
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if explained(middle) else (inside, middle)
        return inside

    return end(0.0), end(1.0)
