"""The prefix filter in plain Python, from its definition. Nothing here imports lookalike."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from naive import measured

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

COUNTED = 65000
LOW = 1 << 47

Goal = tuple[int, float]
"""A measure and a threshold."""

Marks = tuple[list[int], list[int]]
"""What two bits tell of each slot, and how far each counter has counted."""


def prefix_length(size: int, goal: Goal) -> int:
    """Return one more than the elements of a set that another, a part of it at best, may lack to reach the goal."""
    measure, threshold = goal
    return size + 1 - next(part for part in range(1, size + 1) if measured(measure, part, size, part) >= threshold)


def sample(elements: Sequence[int], goal: Goal, cutoff: int) -> list[int]:
    """Return the elements below the cutoff, or all if these are fewer than a prefix has."""
    early = [h for h in elements if h < cutoff]
    enough = not elements or len(early) >= prefix_length(len(elements), goal)
    return early if enough else list(elements)


def marks(sets: Sequence[Collection[int]], slots: int, counters: int, sides: Sequence[int] = ()) -> Marks:
    """Return 1 for each slot that held one element, 3 for several, and counts of all but the first; or the sides."""
    had: defaultdict[int, list[int]] = defaultdict(list)
    for i, one in enumerate(sets):
        for h in one:
            had[h % slots].append(sides[i] if sides else 0)
    states, counts = [0] * slots, [0] * counters
    for slot, found in had.items():
        on_sides = (1 if 1 in found or 3 in found else 0) + (2 if 2 in found or 3 in found else 0)
        states[slot] = on_sides if sides else min(2 * len(found) - 1, 3)
        counts[slot * counters // slots] += len(found) if sides else len(found) - 1
    return states, [min(count, COUNTED) for count in counts]


def frequency(h: int, marked: Marks) -> int:
    """Return 1 for an element that no pair can share, else one more than its counter has."""
    states, counts = marked
    slot = h % len(states)
    return 1 if states[slot] != 3 else min(counts[slot * len(counts) // len(states)], COUNTED) + 1


def in_order(elements: Iterable[int], cutoff: int, marked: Marks) -> list[tuple[bool, int, int]]:
    """Order elements: those below the cutoff first, then the rare ones, then by what is left of the hash."""
    return sorted((h >= cutoff, frequency(h, marked), h % LOW) for h in elements)


def order_key(place: tuple[bool, int, int]) -> int:
    """Pack what an element is ordered by into 64 bits: 1, 16 and 47 of them."""
    late, count, low = place
    return int(f"{late:b}{count:016b}{low:047b}", 2)


def prefix(elements: Collection[int], goal: Goal, cutoff: int, marked: Marks) -> list[tuple[int, int]]:
    """Return the key of each element of a prefix that may be shared, and how many elements come from its like on."""
    if not elements:
        return []
    order = in_order(elements, cutoff, marked)
    first = order[: prefix_length(len(order), goal)]
    return [(order_key(place), len(order) - order.index(place)) for place in first if place[1] > 1]


def can_reach(rest: int, one: int, two: int, goal: Goal) -> bool:
    """Return whether sets of two sizes that have `rest` elements in common reach the threshold."""
    measure, threshold = goal
    return measured(measure, rest, one, two) >= threshold
