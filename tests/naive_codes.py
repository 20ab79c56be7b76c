"""Codes of bits in plain Python, from their definition. Nothing here imports lookalike.

A code is a list of words of 64 bits, in three parts, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = (2, 6, 8)
"""Words in each part."""


def pack(products: Sequence[float]) -> list[int]:
    """Write 1 for each product above 0, else 0, and take 64 of them as a word, the first as its highest bit."""
    signs = "".join("1" if product > 0 else "0" for product in products)
    return [int(signs[begin : begin + 64], 2) for begin in range(0, len(signs), 64)]


def apart(one: Sequence[int], two: Sequence[int], parts: int = 3) -> int:
    """Count the bits in which two codes differ in their first parts."""
    words = sum(PARTS[:parts])
    return sum((a ^ b).bit_count() for a, b in zip(one[:words], two[:words], strict=True))


def passing(query: Sequence[int], codes: Sequence[Sequence[int]], most: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the places of the codes that are close enough in one part; and of these, those that are so in two."""
    first = [place for place, code in enumerate(codes) if apart(query, code, 1) <= most[0]]
    return first, [place for place in first if apart(query, codes[place], 2) <= most[1]]


def near(query: Sequence[int], codes: Sequence[Sequence[int]], most: Sequence[int], wanted: int) -> list[int]:
    """Return the places, in order, of those that pass and differ least in all parts; of equals, the first."""
    by_distance = sorted(passing(query, codes, most)[1], key=lambda place: (apart(query, codes[place]), place))
    return sorted(by_distance[:wanted])


def rank(query: Sequence[int], codes: Sequence[Sequence[int]], place: int) -> int:
    """Count the codes that differ from a query by no more than one of them does."""
    return sum(apart(query, code) <= apart(query, codes[place]) for code in codes)


def above_bounds(
    products: Sequence[Sequence[float]], bounds: Sequence[float], first: int, room: int
) -> tuple[list[tuple[int, int]], int]:
    """Return the places of products that reach the bound of their row, and the row that this came to.

    A row is only begun if there would be room for all of it.
    """
    found: list[tuple[int, int]] = []
    for row in range(first, len(products)):
        if room - len(found) < len(products[row]):
            return found, row
        found += [(row, column) for column, product in enumerate(products[row]) if product >= bounds[row]]
    return found, len(products)
