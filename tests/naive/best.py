"""The best of what was found, from the definitions."""

from __future__ import annotations

from collections.abc import Sequence


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


def in_cells(
    asked: Sequence[float], cells: Sequence[int], begins: Sequence[int], rows: Sequence[Sequence[float]], wanted: int
) -> list[tuple[int, float]]:
    """Return the places of the rows of some cells with the greatest products; of equals, the one that came first."""
    places = [place for cell in cells for place in range(begins[cell], begins[cell + 1])]
    scored = [(place, sum(a * b for a, b in zip(asked, rows[place], strict=True))) for place in places]
    best = sorted(scored, key=lambda one: -one[1])[:wanted]
    return best + [(-1, float("-inf"))] * (wanted - len(best))
