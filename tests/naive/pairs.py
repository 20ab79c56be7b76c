"""Pairs by comparing all with all, and the clusters they make."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from typing import TYPE_CHECKING, TypeVar

from naive.set_measures import jaccard, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

T = TypeVar("T")


def all_pairs(
    sets: Sequence[Collection[T]],
    threshold: float,
    measure: Callable[[Collection[T], Collection[T]], float] = jaccard,
) -> dict[tuple[int, int], float]:
    """Compare every two sets and return the pairs that reach the threshold; an empty set resembles nothing."""
    found = {}
    for (i, one), (j, two) in itertools.combinations(enumerate(sets), 2):
        if one and two and (similarity := measure(one, two)) >= threshold:
            found[i, j] = similarity
    return found


def least_overlap(one: int, two: int, goal: tuple[int, float]) -> int:
    """Return the least overlap with which sets of two sizes reach the threshold; one too many if none does."""
    measure, threshold = goal
    most = min(one, two)
    return next((shared for shared in range(most + 1) if measured(measure, shared, one, two) >= threshold), most + 1)


def components(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return, for each item, the least item that pairs connect it to, by breadth-first search."""
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for one, two in pairs:
        neighbours[one].add(two)
        neighbours[two].add(one)
    roots = [-1] * count
    for start in range(count):
        if roots[start] >= 0:
            continue
        roots[start] = start
        queue = deque([start])
        while queue:
            for item in neighbours[queue.popleft()]:
                if roots[item] < 0:
                    roots[item] = start
                    queue.append(item)
    return roots


def stars(
    order: Sequence[int], scores: Mapping[tuple[int, int], float], same: Sequence[Collection[T]] = ()
) -> dict[int, int]:
    """Return the keeper of each item: itself, unless it resembles a kept item before it in `order`.

    `scores` has those of similar items. Of several kept items, the most similar is its keeper; then the first. Where
    the sets of items are given, equal ones share a keeper.
    """
    similar: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for (one, two), score in scores.items():
        similar[one][two] = similar[two][one] = score
    keepers: dict[int, int] = {}
    for item in order:
        if copied := [other for other in keepers if same and same[item] and same[other] == same[item]]:
            keepers[item] = keepers[copied[0]]
            continue
        kept = [other for other in keepers if keepers[other] == other and other in similar[item]]
        keepers[item] = max(kept, key=lambda other: similar[item][other], default=item)
    return keepers
