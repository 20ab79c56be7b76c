"""Keys and scores of vectors in plain Python, from their definitions. Nothing here imports lookalike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from naive import FIRST, MODULUS, SECOND, absorb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LANES = 8


def absorb_all(h: int, chunks: Iterable[int]) -> int:
    """Take chunks into a hash, one after the other."""
    for chunk in chunks:
        h = absorb(h, chunk)
    return h


def fingerprint(words: Sequence[int]) -> tuple[int, int]:
    """Hash words in two ways; a first hash of 0 becomes 1."""
    first, second = absorb_all(FIRST, words), absorb_all(SECOND, words)
    return first * SECOND % MODULUS or 1, second * FIRST % MODULUS


def band_key(band: int, chunks: Iterable[int]) -> int:
    """Hash what a band has, beginning with which one it is."""
    return absorb_all((band + 1) * SECOND % MODULUS, chunks) * FIRST % MODULUS


def in_bands(slots: Sequence[int], rows: int) -> list[Sequence[int]]:
    """Cut slots into bands of so many rows."""
    return [slots[begin : begin + rows] for begin in range(0, len(slots), rows)]


def bits_key(band: int, bits: Sequence[int]) -> int:
    """Hash bits as words of 64, the first as the highest bit; last comes what is left over, if only 0."""
    text = "".join(map(str, bits))
    whole = len(text) // 64 * 64
    return band_key(band, [int("0" + text[at : at + 64], 2) for at in range(0, whole + 1, 64)])


def cells_key(band: int, cells: Sequence[int]) -> int:
    """Hash cells, which may be below 0."""
    return band_key(band, [cell % MODULUS for cell in cells])


def sides(products: Sequence[float]) -> list[int]:
    """Return on which side of each plane a vector is; on the plane counts as below."""
    return [int(product > 0) for product in products]


def cells(numbers: Sequence[float], widths: Sequence[float], shifts: Sequence[float]) -> list[int]:
    """Return the cell of each number, given the width of cells and their shift as a share of it."""
    return [math.floor(n / width + shift) for n, width, shift in zip(numbers, widths, shifts, strict=True)]


def bit(row: bytes, place: int) -> int:
    """Return a bit of a row of bytes, the highest of the first byte being the first."""
    return int("".join(f"{byte:08b}" for byte in row)[place])


def lane_sum(terms: Sequence[float]) -> float:
    """Add up every eighth of some numbers, beginning with each of the first eight; then add up these sums."""
    total = 0.0
    for lane in range(LANES):
        in_lane = 0.0
        for term in terms[lane::LANES]:
            in_lane += term
        total += in_lane
    return total


def products(one: Sequence[float], two: Sequence[float]) -> list[float]:
    """Multiply the numbers of two vectors."""
    return [a * b for a, b in zip(one, two, strict=True)]


def squares(one: Sequence[float], two: Sequence[float]) -> list[float]:
    """Square how far apart the numbers of two vectors are."""
    return [(a - b) * (a - b) for a, b in zip(one, two, strict=True)]


def close_features(one: Sequence[float], two: Sequence[float], tolerances: Sequence[float]) -> int:
    """Count the features in which two vectors are apart by no more than a tolerance."""
    return sum(abs(a - b) <= most for a, b, most in zip(one, two, tolerances, strict=True))


def bits_apart(one: Sequence[int], two: Sequence[int]) -> int:
    """Count the bits in which two rows of words differ."""
    return sum(f"{a ^ b:b}".count("1") for a, b in zip(one, two, strict=True))


def above(
    products: Sequence[Sequence[float]], least: float, diagonal: int, room: int
) -> tuple[list[tuple[int, int]], int]:
    """Return the places of products that are large enough, and the row that this came to.

    From `diagonal` on, if it is not -1, a row meets itself, the next row one column later; only what is right of it
    counts. A row is only begun if there would be room for all that counts.
    """
    found: list[tuple[int, int]] = []
    for row, some in enumerate(products):
        columns = [column for column in range(len(some)) if diagonal < 0 or column > diagonal + row]
        if len(found) + len(columns) > room:
            return found, row
        found += [(row, column) for column in columns if some[column] >= least]
    return found, len(products)
