"""What people see: the summary of a run, pairs on a terminal."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from lookalike.summary import plural
from lookalike.write.values import csv_batch, csv_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from lookalike.results import Nearest, Pairs
    from lookalike.summary import Summary
    from lookalike.tuning.recall import Measured, Share

PAIRS_SHOWN = 20


def print_summary(console: Console, summary: Summary, outputs: dict[str, Path]) -> None:
    """Say what was found, removed and skipped, how long it took, and where the results are."""
    print_facts(console, rows_of(summary), outputs)
    print_notes(console, summary.notes)


def print_facts(console: Console, facts: list[tuple[str, str]], outputs: dict[str, Path]) -> None:
    """Print names and values, and where the results are."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(name, value)
    if outputs:
        grid.add_row("wrote", escape(", ".join(map(str, outputs.values()))))
    console.print(grid)


def print_notes(console: Console, notes: Iterable[str]) -> None:
    """Print what a reader should not miss."""
    for note in notes:
        console.print(Text(f"Note: {note}.", style="yellow"))


def rows_of(summary: Summary) -> list[tuple[str, str]]:
    """Return the lines of a summary, name and value."""
    s = summary
    deduplicated = "cluster" in s.seconds
    found = (
        f"{s.pairs:,}{' that link clusters' if deduplicated else ''}, from {plural(s.candidates, 'candidate')} compared"
    )
    if s.copies:
        found += f" and {plural(s.copies, 'exact copy', 'exact copies')}"
    chances = ", ".join(f"{chance:.4f} at {similarity}" for similarity, chance in s.chance.items())
    seconds = ", ".join(f"{stage} {took:.2f}" for stage, took in s.seconds.items() if stage != "total")
    search = "exact search" if s.exact else f"{s.bands} bands of {s.rows} rows"
    rows = [("items", f"{s.items:,}")]
    took = [
        ("seconds", f"{s.seconds.get('total', sum(s.seconds.values())):.2f}: {seconds}; {s.threads} threads"),
        ("memory", f"{s.peak_memory_bytes / 1e6:,.0f} MB at most"),
    ]
    if "nearest" in s.seconds:
        return [
            *rows,
            ("nearest", found),
            ("measure", f"{s.measure} on {s.shingle}"),
            ("recall", "1, by exact search" if s.exact else recall_of_nearest(s)),
            *took,
        ]
    if deduplicated:
        rows.append(("kept", f"{s.kept:,}"))
        rows.append(
            ("removed", f"{s.removed:,} ({s.removed / max(s.items, 1):.1%}) from {plural(s.clusters, 'cluster')}")
        )
    return [
        *rows,
        ("pairs", found),
        ("threshold", f"{s.measure} {s.threshold:g} on {s.shingle}, {search}"),
        ("chance", "1 to be found, by exact search" if s.exact else f"{chances} to be found"),
        *measured_rows(s.measured, "at least " if deduplicated else ""),
        *took,
    ]


def measured_rows(measured: Measured | None, least: str) -> Iterator[tuple[str, str]]:
    """Yield the lines about the recall that was measured: of all pairs, then by similarity."""
    if measured is None:
        return
    items = f"{'all ' if measured.complete else ''}{plural(measured.sampled, 'item')}"
    overall = measured.overall
    if overall.recall is None:
        yield "recall", f"not measured, for want of pairs: {items} sampled"
        return
    confidence = f" with {measured.confidence:.0%} confidence"
    recall = f"{overall.recall:.4f} measured{between(overall, confidence)}, predicted {least}{overall.predicted:.4f}"
    yield "recall", f"{recall}: {overall.found:,} of {plural(overall.pairs, 'pair')} of {items}"
    for share in measured.bins:
        if share.pairs:
            name = f"{share.low:.3f} to {share.high:.3f}:" if share.low < share.high else "exact copies:"
            recall = f"{share.recall:.4f}{between(share)}, predicted {share.predicted:.4f}"
            yield "", f"{name:15} {recall}: {share.found:,} of {share.pairs:,}"


def recall_of_nearest(summary: Summary) -> str:
    """Return how many of the nearest were found, if that was measured, and how many were asked for."""
    asked, measured = f"{summary.recall:g} asked for", summary.measured
    if measured is None or measured.overall.recall is None:
        return f"{asked}, not measured"
    share, items = measured.overall, f"{'all ' if measured.complete else ''}{plural(measured.sampled, 'item')}"
    known = f"{share.recall:.4f} measured{between(share, f' with {measured.confidence:.0%} confidence')}"
    return f"{known}, {asked}: {share.found:,} of the {share.pairs:,} nearest of {items}"


def between(share: Share, confidence: str = "") -> str:
    """Return where a recall is, in brackets; nothing where it is known exactly."""
    low, high = share.interval
    return f" ({low:.4f} to {high:.4f}{confidence})" if low < high else ""


def print_table(found: Pairs | Nearest) -> None:
    """Print what was found: a short table on a terminal, all of it separated by tabs elsewhere."""
    print_rows(found.to_arrow())


def print_rows(found: pa.Table) -> None:
    """Print the rows of a table in the same way."""
    if sys.stdout.isatty():
        table = Table(*(Column(escape(name), overflow="fold") for name in found.column_names))
        for row in found.slice(0, PAIRS_SHOWN).to_pylist():
            table.add_row(*map(shown_cell, row.values()))
        console = Console()
        console.print(table)
        if len(found) > PAIRS_SHOWN:
            console.print(f"… and {len(found) - PAIRS_SHOWN:,} more; -o FILE writes them all")
        return
    writer = csv.writer(Lines(), delimiter="\t", lineterminator="\r\n")
    writer.writerow(found.column_names)
    schema = csv_schema(found.schema)
    for batch in found.to_batches():
        writer.writerows(zip(*(column.to_pylist() for column in csv_batch(batch, schema).columns), strict=True))
    sys.stdout.flush()


class Lines:
    """Takes lines of CSV that end as those of Windows, so that a carriage return in a cell is quoted."""

    def write(self, line: str) -> None:
        """Print a line."""
        sys.stdout.write(line.removesuffix("\r\n") + "\n")


def shown_cell(cell: Any) -> str:  # noqa: ANN401 - any value of a table
    """Return a cell as a terminal shows it."""
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else escape(str(cell))
