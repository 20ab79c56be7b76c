"""Postings in plain Python, from their definition. Nothing here imports lookalike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Posting = tuple[int, int]
"""A key and the member that has it."""


def packed(posting: Posting) -> int:
    """Write a posting as one number: the upper half of the key, then the member."""
    key, member = posting
    return int(f"{key:064b}"[:32] + f"{member:032b}", 2)


def directory(postings: Sequence[int], bits: int) -> list[int]:
    """Count the postings before each cell, and before the end; a cell is what the first `bits` of 64 say."""
    cells = [int(f"{posting:064b}"[:bits], 2) for posting in postings]
    return [sum(other < cell for other in cells) for cell in range(2**bits + 1)]


def found(bands: Sequence[Sequence[Posting]], keys: Sequence[Sequence[int]], items: Sequence[int]) -> list[Posting]:
    """Compare all keys of all items with all postings of their band: (item, member) where the upper half is equal."""
    return sorted(
        (item, member)
        for postings, row in zip(bands, keys, strict=True)
        for item, key in zip(items, row, strict=True)
        for other, member in postings
        if key // 2**32 == other // 2**32
    )
