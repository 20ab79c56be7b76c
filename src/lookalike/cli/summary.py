"""The summary of a command on a terminal: names and values, then notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from lookalike.cli.flags import with_flags
from lookalike.cli.options import FLAGS
from lookalike.summary import plural
from lookalike.write.formats import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rich.console import Console

    from lookalike.summary import Summary
    from lookalike.tuning.recall import Measured, Share

SMALL_SHARE = 0.01
"""Share of the time up to which it is not shown that it belongs to no stage."""


def print_summary(console: Console, summary: Summary, outputs: Mapping[str, Path]) -> None:
    """Print what a run found, what it skipped, how long it took, and which files it wrote."""
    print_facts(console, rows_of(summary), outputs)
    print_notes(console, summary.notes)


def print_facts(console: Console, facts: Iterable[tuple[str, str]], outputs: Mapping[str, Path]) -> None:
    """Print names and values, and which files were written: aligned, and on lines of their own in a log."""
    facts = [*facts, *([("wrote", ", ".join(map(shown, outputs.values())))] if outputs else [])]
    if not console.is_terminal:
        width = max((len(name) for name, _ in facts), default=0)
        for name, value in facts:
            console.print(Text(f"{name:{width}}  {value}".rstrip()), soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(name, escape(value))
    console.print(grid)


def print_notes(console: Console, notes: Iterable[str]) -> None:
    """Print what a reader should not miss."""
    for note in notes:
        console.print(Text(f"Note: {with_flags(note, FLAGS)}.", style="yellow"), soft_wrap=not console.is_terminal)


def rows_of(summary: Summary) -> list[tuple[str, str]]:
    """Return the names and values of a summary: of nearest items, of a deduplication, or of pairs."""
    items, found = ("items", f"{summary.items:,}"), found_by(summary)
    if "nearest" in summary.seconds:
        measure = f"{summary.measure} on {summary.shingle}"
        recall = "1 (exact search)" if summary.exact else recall_of_nearest(summary)
        return [items, ("nearest", found), ("measure", measure), ("recall", recall), *costs(summary)]
    deduplicated = is_deduplicated(summary)
    return [
        items,
        *(deduplicated_rows(summary) if deduplicated else ()),
        ("pairs", found),
        ("threshold", f"{summary.measure} {summary.threshold:g} on {summary.shingle}, {search_of(summary)}"),
        ("chance", chance_of(summary)),
        *measured_rows(summary.measured, "at least " if deduplicated else ""),
        *costs(summary),
    ]


def is_deduplicated(summary: Summary) -> bool:
    """Return whether the run also clustered the pairs."""
    return "cluster" in summary.seconds


def found_by(summary: Summary) -> str:
    """Return the number of pairs, and what they were found among."""
    links = " that link clusters" if is_deduplicated(summary) else ""
    found = f"{summary.pairs:,}{links}, from {plural(summary.candidates, 'candidate')} compared"
    return found + (f" and {plural(summary.copies, 'exact copy', 'exact copies')}" if summary.copies else "")


def search_of(summary: Summary) -> str:
    """Return how candidates were found."""
    return "exact search" if summary.exact else f"{summary.bands} bands of {summary.rows} rows"


def chance_of(summary: Summary) -> str:
    """Return the probability of finding a pair, by its similarity or distance."""
    if summary.exact:
        return "1 of being found (exact search)"
    return ", ".join(f"{chance:.4f} at {value}" for value, chance in summary.chance.items()) + " of being found"


def deduplicated_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield how many items were kept and removed."""
    share = summary.removed / max(summary.items, 1)
    yield "kept", f"{summary.kept:,}"
    yield "removed", f"{summary.removed:,} ({share:.1%}) from {plural(summary.clusters, 'cluster')}"


def costs(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the time of each stage, and the memory used."""
    total = summary.seconds.get("total", sum(summary.seconds.values()))
    shown = {stage: took for stage, took in summary.seconds.items() if stage != "total"}
    if shown.get("other", 0.0) < SMALL_SHARE * total:
        shown.pop("other", None)
    stages = ", ".join(f"{stage} {took:.2f}" for stage, took in shown.items())
    yield "seconds", f"{total:.2f}: {stages}; {plural(summary.threads, 'thread')}"
    yield "memory", f"{summary.peak_memory_bytes / 1e6:,.0f} MB at peak"


def measured_rows(measured: Measured | None, at_least: str) -> Iterator[tuple[str, str]]:
    """Yield the measured recall: of all pairs, then by similarity."""
    if measured is None:
        return
    overall, items = measured.overall, sampled_items(measured)
    if overall.recall is None:
        yield "recall", f"not measured: no pairs among the sample of {items}"
        return
    recall = f"{known_recall(measured)}, predicted {at_least}{overall.predicted:.4f}"
    yield "recall", f"{recall}: {overall.found:,} of {plural(overall.pairs, 'pair')} of {items}"
    for share in measured.bins:
        if share.pairs:
            name = f"{share.low:.3f} to {share.high:.3f}:" if share.low < share.high else "exact copies:"
            recall = f"{share.recall:.4f}{interval(share)}, predicted {share.predicted:.4f}"
            yield "", f"{name:15} {recall}: {share.found:,} of {share.pairs:,}"


def recall_of_nearest(summary: Summary) -> str:
    """Return the share of the nearest items that was found, if it was measured, and the share requested."""
    requested, measured = f"{summary.recall:g} requested", summary.measured
    if measured is None or measured.overall.recall is None:
        return f"{requested}, not measured"
    share = measured.overall
    return (
        f"{known_recall(measured)}, {requested}: {share.found:,} of the {share.pairs:,} nearest of "
        f"{sampled_items(measured)}"
    )


def known_recall(measured: Measured) -> str:
    """Return the measured recall with its confidence interval."""
    confidence = f" with {measured.confidence:.0%} confidence"
    return f"{measured.overall.recall:.4f} measured{interval(measured.overall, confidence)}"


def sampled_items(measured: Measured) -> str:
    """Return the number of items on which recall was measured."""
    return f"{'all ' if measured.complete else ''}{plural(measured.sampled, 'item')}"


def interval(share: Share, confidence: str = "") -> str:
    """Return the confidence interval of a recall in brackets; nothing if the recall is known exactly."""
    low, high = share.interval
    return f" ({low:.4f} to {high:.4f}{confidence})" if low < high else ""
