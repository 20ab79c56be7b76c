"""What a sample says of a collection, as tables of plain characters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.measures import Measure
    from lookalike.tuning.estimate import Estimate
    from lookalike.tuning.sample import Bin

AROUND = 7
"""Numbers of rows shown on either side of the one chosen."""


def estimate_told(found: Estimate) -> Iterator[str]:
    """Yield the lines about an estimate: the sample, the similarities, the costs, the candidates to expect."""
    yield ""
    size = "" if found.shingles is None else f"; a set has {found.shingles:,.1f} shingles on average"
    yield f"Sampled {found.sampled:,} of the {found.compared:,} items that differ ({found.items:,} read){size}."
    yield from ("", *similarity_table(found), "", *cost_table(found), "")
    best = found.best
    yield (
        f"Expected: {best.candidates:,.0f} candidates (standard error {best.error:,.0f}), "
        f"{best.false_candidates:,.0f} of them in vain."
    )
    yield f"Band keys of all items take {best.key_bytes / 1e6:,.1f} MB on disk."
    yield "A mean over all seeds: items of one template meet together or not at all, so runs vary, most of them below."
    if found.exact_seconds is not None:
        yield exact_told(found)


def exact_told(found: Estimate) -> str:
    """Return how bands compare with no bands at all."""
    taken = f"Comparing all with all takes {found.exact_seconds:.3f} seconds"
    if found.exact:
        return f"{taken}, no more than these bands, and misses nothing: a run does that unless it is given bands."
    return f"{taken}, more than these bands."


def similarity_table(found: Estimate) -> list[str]:
    """Return how many pairs the sample has of each similarity, and how many that makes among all items."""
    rows = [
        (between(one, found.measure), f"{one.sampled:,}", f"{one.pairs:,.0f}", f"{one.error:,.0f}")
        for one in found.bins
    ]
    return table((found.measure.column, "pairs sampled", "pairs among all", "standard error"), rows)


def between(one: Bin, measure: Measure) -> str:
    """Name the values of a bin. Sets that share nothing are not counted, and a distance of 0 is a copy's."""
    if math.isinf(one.high):
        return f"more than {one.low:.4g}"
    low = f"{one.low:.4g}" if one.low or measure.of == "vectors" else "more than 0"
    return f"{low} to {one.high:.4g}"


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
