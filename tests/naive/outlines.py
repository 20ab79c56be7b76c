"""Outlines of sets in plain Python, from their definition. Nothing here imports lookalike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive import measured

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Goal = tuple[int, float]
"""A measure and a threshold."""


def outline(elements: Collection[int], words: int) -> list[int]:
    """Return the words of an outline: each bit is the parity of the elements that belong to it."""
    belong = [((h >> 40) % words, (h >> 56) % 64) for h in elements]
    return [sum(belong.count((word, bit)) % 2 << bit for bit in range(64)) for word in range(words)]


def most_shared(one: Collection[int], two: Collection[int], words: int) -> int:
    """Return how much two sets share at most, as their outlines tell it."""
    both = zip(outline(one, words), outline(two, words), strict=True)
    return (len(one) + len(two) - sum((left ^ right).bit_count() for left, right in both)) // 2


def candidates(
    entries: Sequence[tuple[int, int]],
    rows: Sequence[tuple[int, int, int]],
    sets: Sequence[Collection[int]],
    goal: Goal,
    words: int,
) -> list[tuple[int, int]]:
    """Return the pivots of each row with the entries after them that may reach the threshold.

    An entry is an owner and how much of its set is left.
    """
    found = []
    for first, last, end in rows:
        for pivot in range(first, last):
            one, left = entries[pivot]
            for two, right in entries[pivot + 1 : end]:
                shared = min(left, right, most_shared(sets[one], sets[two], words))
                if measured(goal[0], shared, len(sets[one]), len(sets[two])) >= goal[1]:
                    found.append((one, two))
    return found


def all_candidates(
    pivots: tuple[int, int], order: Sequence[int], sets: Sequence[Collection[int]], goal: Goal, words: int
) -> set[tuple[int, int]]:
    """Return the pivots, which are positions in an order, with all sets after them that may reach the threshold."""
    return {
        (order[one], two)
        for one in range(*pivots)
        for two in order[one + 1 :]
        if most_similar(sets[order[one]], sets[two], goal[0], words) >= goal[1]
    }


def most_similar(one: Collection[int], two: Collection[int], measure: int, words: int) -> float:
    """Return how similar two sets are at most, as their sizes and outlines tell it."""
    shared = min(most_shared(one, two, words), len(one), len(two))
    return measured(measure, shared, len(one), len(two))
