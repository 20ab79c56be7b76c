"""What a sample says of a collection, as tables of plain characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.estimate import Estimate

AROUND = 7
"""Numbers of rows shown on either side of the one chosen."""


def estimate_told(found: Estimate) -> Iterator[str]:
    """Yield the lines about an estimate: the sample, the similarities, the costs, the candidates to expect."""
    yield ""
    yield (
        f"Sampled {found.sampled:,} of the {found.compared:,} items that differ ({found.items:,} read); "
        f"a set has {found.shingles:,.1f} shingles on average."
    )
    yield from ("", *similarity_table(found), "", *cost_table(found), "")
    best = found.best
    yield (
        f"Expected: {best.candidates:,.0f} candidates (standard error {best.error:,.0f}), "
        f"{best.false_candidates:,.0f} of them in vain."
    )
    yield "A mean over all seeds: items of one template meet together or not at all, so runs vary, most of them below."


def similarity_table(found: Estimate) -> list[str]:
    """Return how many pairs the sample has of each similarity, and how many that makes among all items."""
    rows = []
    for one in found.bins:
        low = f"{one.low:.4g}" if one.low else "more than 0"
        rows.append((f"{low} to {one.high:.4g}", f"{one.sampled:,}", f"{one.pairs:,.0f}", f"{one.error:,.0f}"))
    return table(("similarity", "pairs sampled", "pairs among all", "standard error"), rows)


def cost_table(found: Estimate) -> Iterator[str]:
    """Yield what bandings cost, in seconds, by their number of rows; the cheapest is marked."""
    at = found.costs.index(found.best)
    shown = found.costs[max(at - AROUND, 0) : at + AROUND + 1]
    rows = []
    for one in shown:
        seconds = (f"{part:.3f}" for part in (one.sign, one.sort, one.meet, one.verify, one.seconds))
        mark = "*" if one is found.best else ""
        rows.append((f"{mark}{one.banding.rows}", str(one.banding.bands), f"{one.candidates:,.0f}", *seconds))
    yield from table(("rows", "bands", "candidates", "sign", "sort", "meet", "verify", "seconds"), rows)
    if left_out := len(found.costs) - len(shown):
        yield f"{left_out} more that cost more; --json has all."
    yield "* is the cheapest. Seconds are those of one core of one machine, without reading: only ratios matter."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, all columns to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
