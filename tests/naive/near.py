"""The nearest in plain Python: by comparing with all. Nothing here imports lookalike."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

Scored = tuple[int, float]
"""An item and its score."""


def best(scored: Iterable[Scored], k: int, own: int | None = None) -> list[Scored]:
    """Return the k items of the greatest scores, the greatest first; of equals, the least item; never its own."""
    return sorted((one for one in scored if one[0] != own), key=lambda one: (-one[1], one[0]))[:k]


def nearest(
    asked: Collection[int],
    sets: Mapping[int, Collection[int]],
    similarity: Callable[[Collection[int], Collection[int]], float],
    least: float,
    k: int,
    own: int | None = None,
) -> list[Scored]:
    """Compare a set with all that share anything with it, by their items; return the best that reach `least`."""
    scored = [(item, similarity(asked, one)) for item, one in sets.items() if set(asked) & set(one)]
    return best([one for one in scored if one[1] >= least], k, own)


def lists(sets: Sequence[Collection[int]]) -> list[tuple[int, list[int]]]:
    """List each element with the places of the sets that have it, in order."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(sets):
        for element in one:
            places[element].append(place)
    return sorted(places.items())


def runs(keys: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return where each run of equal keys begins and ends."""
    found, begin = {}, 0
    for key, run in itertools.groupby(keys):
        end = begin + len(list(run))
        found[key] = begin, end
        begin = end
    return found


def shared_elements(sets: Sequence[Sequence[int]], states: Sequence[int]) -> list[tuple[int, int]]:
    """List (element, place of the set that has it) where the slot of an element was seen more than once."""
    return [(element, i) for i, one in enumerate(sets) for element in one if states[element % len(states)] == 3]


def bound_by_leaders(known: Sequence[float], full: Sequence[float], k: int, own: int | None) -> float:
    """Return the least full score of the k + 1 places that are known to score best, without one's own.

    What is known to score 0 does not count. If there are fewer than k, return -1.
    """
    leaders = best([one for one in enumerate(known) if one[1] > 0], k + 1)
    scores = [full[place] for place, _ in leaders if place != own]
    return min(scores) if len(scores) >= k else -1.0
