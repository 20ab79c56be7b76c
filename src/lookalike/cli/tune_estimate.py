"""Estimates from a sample, as text: the similarities of a collection and the costs of bandings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lookalike.cli.flags import with_flags
from lookalike.cli.options import FLAGS
from lookalike.summary import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.measures import Measure
    from lookalike.tuning.estimate import Estimate
    from lookalike.tuning.sample import Bin

AROUND = 7
"""Number of bandings shown on either side of the one chosen."""


def describe_estimate(found: Estimate) -> Iterator[str]:
    """Yield the lines of an estimate: the sample, the similarities, the costs, the candidates to expect."""
    yield ""
    size = "" if found.shingles is None else f"; {found.shingles:,.1f} shingles per item on average"
    yield f"Sampled {found.sampled:,} of the {found.compared:,} distinct items ({found.items:,} read){size}."
    yield from ("", *similarity_table(found), "", *cost_table(found), "")
    best = found.best
    yield (
        f"Expected: {best.candidates:,.0f} candidates (standard error {best.error:,.0f}), "
        f"{best.false_candidates:,.0f} of them false."
    )
    yield f"The band keys of all items take {best.key_bytes / 1e6:,.1f} MB on disk."
    yield (
        "This is the mean over all seeds. Items made from one template become candidates together or not at all, so "
        "runs vary; most have fewer."
    )
    if found.exact_seconds is not None:
        yield exact_search(found)
    yield from (f"Note: {with_flags(note, FLAGS)}." for note in found.notes)


def exact_search(found: Estimate) -> str:
    """Return how an exact search compares with the bands."""
    time = f"An exact search takes {found.exact_seconds:.3f} seconds"
    if found.exact:
        return f"{time}, no longer than these bands, and misses nothing: a run uses it unless bands are given."
    return f"{time}, longer than these bands."


def similarity_table(found: Estimate) -> list[str]:
    """Return the lines of a table: the number of pairs by similarity, in the sample and among all items."""
    rows = [
        (bin_range(one, found.measure), f"{one.sampled:,}", f"{one.pairs:,.0f}", f"{one.error:,.0f}")
        for one in found.bins
    ]
    return table((found.measure.column, "pairs in sample", "pairs in total", "standard error"), rows)


def bin_range(one: Bin, measure: Measure) -> str:
    """Return the range of a bin. Sets that share nothing are not counted, and a distance of 0 is that of a copy."""
    if math.isinf(one.high):
        return f"more than {one.low:.4g}"
    low = f"{one.low:.4g}" if one.low or measure.counts_zero else "more than 0"
    return f"{low} to {one.high:.4g}"


def cost_table(found: Estimate) -> Iterator[str]:
    """Yield the lines of a table: the cost of bandings in seconds, by their number of rows; the cheapest is marked."""
    at = found.costs.index(found.best)
    shown = found.costs[max(at - AROUND, 0) : at + AROUND + 1]
    rows = []
    for one in shown:
        seconds = (f"{part:.3f}" for part in (one.sign, one.sort, one.meet, one.verify, one.seconds))
        mark = "*" if one is found.best else ""
        rows.append((f"{mark}{one.banding.rows}", str(one.banding.bands), f"{one.candidates:,.0f}", *seconds))
    yield from table(("rows", "bands", "candidates", "sign", "sort", "meet", "verify", "seconds"), rows)
    if left_out := len(found.costs) - len(shown):
        yield f"{plural(left_out, 'more expensive banding')} not shown; use --json to list all."
    yield "* marks the cheapest. Seconds are for one core of one machine, without reading: only their ratios matter."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with all columns aligned to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
