"""Sums of pages, from their definition; imports nothing of lookalike."""

from __future__ import annotations

PAGE = 4096
START = 0xCBF29CE484222325
FACTOR = 0x9E3779B97F4A7C15
ALL = (1 << 64) - 1


def page_sums(data: bytes) -> list[int]:
    """Return the sum of each 4096 bytes: words of 64 bits, mixed in one after the other."""
    sums = []
    for begin in range(0, len(data), PAGE):
        page = data[begin : begin + PAGE]
        total = START
        for at in range(0, len(page), 8):
            total = (total ^ int.from_bytes(page[at : at + 8], "little")) * FACTOR & ALL
            total ^= total >> 29
        sums.append(total)
    return sums


def runs_are_right(data: bytes, sums: list[int], runs: list[tuple[int, int]]) -> bool:
    """Return whether all pages with bytes of some runs have their sums."""
    made = page_sums(data)
    pages = {page for begin, end in runs for page in range(begin // PAGE, -(-end // PAGE))}
    return all(made[page] == sums[page] for page in pages)
