"""Compare tools on the same corpora, with the same shingles, threshold and threads.

    python benchmarks/compare.py [CORPUS ...] [--tool TOOL ...] [--again] [--repeats 3] [--threads N] [--limit MINUTES]

Without a corpus: all of the plan. Results go to benchmarks/results/CORPUS.json after every tool. What is there is not
run again unless `--again` is given, so a comparison that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from cells import as_share
from corpora import DATA, REAL, VARIABLE, Corpus, UnknownCorpusError, corpus, real_corpora, tenth_of
from environments import InstallError, Tool, tools
from process import Limits, Outcome, Settings, cores, in_words, run
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rows import RESULTS, Results, Row
from truth import Truth, truth

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SMALL = ("made-10000",)
LARGE = ("made-100000", "short-100000", "made-1000000", "short-1000000")
"""The plan, real corpora between. A tool is left out where a tenth of the corpus shows that it would take too long."""

WARM_UP = "made-1000"
ONCE_FROM = 100
"""Seconds: a run that takes longer is not repeated."""


@dataclass(frozen=True)
class Comparison:
    """What is asked of every tool, and how."""

    settings: Settings
    limits: Limits
    repeats: int = 3
    again: bool = False
    results: Path = RESULTS
    data: Path = DATA

    def file(self, name: str) -> Results:
        """Return the results of a corpus."""
        return Results.read(self.results / f"{name}.json")

    def too_much(self, tool: Tool, name: str) -> str:
        """Say why a tool is not run on a corpus, by what it needed for a tenth of it; "" if it should be."""
        tenth = tenth_of(name)
        row = self.file(tenth).rows.get(tool.name) if tenth else None
        if tenth is None or row is None:
            return ""
        if "seconds" not in row:
            return f"not run: no result for {tenth}"
        if 10 * row["median_seconds"] > self.limits.seconds:
            needed = f"ten times its {row['median_seconds']:,.0f} s for {tenth}"
            return f"not run: {needed} are more than {in_words(self.limits.seconds)}"
        before = self.file(tenth_of(tenth) or "").rows.get(tool.name, {}).get("peak_bytes", 0)
        expected = row["peak_bytes"] + 9 * (row["peak_bytes"] - before if before else row["peak_bytes"])
        if expected > self.limits.bytes:
            return f"not run: after {row['peak_bytes'] / 1e9:.1f} GB for {tenth}, it would take {expected / 1e9:.0f} GB"
        return ""

    def wanted(self, tool: Tool, row: Row | None) -> bool:
        """Whether a tool is to be run: always, if there is no result of the version that is installed."""
        with suppress(InstallError):  # it will be said in the tool's row
            tool.python()
        return self.again or row is None or "skipped" in row or row["version"] != tool.version()

    def measure(self, tool: Tool, on: Corpus, warm_up: Corpus, true: Truth, step: Step) -> Row:
        """Run a tool some times and say what it took, or why it failed."""
        if too_much := self.too_much(tool, on.name):
            return {"tool": tool.name, "version": tool.version(), "skipped": too_much}
        outcomes: list[Outcome] = []
        try:
            python = tool.python()
            while len(outcomes) < (self.repeats if not outcomes or outcomes[0].facts["seconds"] < ONCE_FROM else 1):
                step(f"{len(outcomes) + 1} of {self.repeats}")
                outcomes.append(run(python, tool.adapter, on.path, self.settings, self.limits, warm_up.path))
                if outcomes[-1].failed:
                    return {"tool": tool.name, "version": tool.version(), "failed": outcomes[-1].failed}
            return row_of(tool, outcomes, true)
        except (InstallError, WrongResultError) as error:
            return {"tool": tool.name, "version": tool.version(), "failed": str(error)}


class WrongResultError(ValueError):
    """An adapter has given back what cannot be judged."""


@dataclass(frozen=True)
class Step:
    """Says on the bar what is being done."""

    progress: Progress
    task: TaskID
    what: str

    def __call__(self, doing: str) -> None:
        """Say it."""
        self.progress.update(self.task, description=f"{self.what}: {doing}")


def row_of(tool: Tool, outcomes: list[Outcome], true: Truth) -> Row:
    """Return a tool's row: medians, the stages of the run in the middle, and how right the first result is."""
    first, count = outcomes[0], len(true.clusters)
    if len(first.clusters) != count:
        raise WrongResultError(f"it gave clusters of {len(first.clusters):,} documents, not of {count:,}")
    middle = sorted(outcomes, key=lambda outcome: outcome.facts["seconds"])[(len(outcomes) - 1) // 2]
    _, sizes = np.unique(first.clusters, return_counts=True)
    return {
        "tool": tool.name,
        "package": first.facts["package"],
        "version": first.facts["version"],
        "seconds": [round(outcome.facts["seconds"], 4) for outcome in outcomes],
        "median_seconds": round(statistics.median(outcome.facts["seconds"] for outcome in outcomes), 4),
        "stages": {stage: round(seconds, 4) for stage, seconds in middle.facts["stages"].items()},
        "import_seconds": round(middle.facts["import_seconds"], 4),
        "wall_seconds": round(statistics.median(outcome.wall_seconds for outcome in outcomes), 3),
        "peak_bytes": int(statistics.median(outcome.peak_bytes for outcome in outcomes)),
        "clusters": {"count": int((sizes > 1).sum()), **asdict(true.of_clusters(first.clusters))},
        "pairs": None if first.pairs is None else {"count": len(first.pairs), **asdict(true.of_pairs(first.pairs))},
    }


def compare(name: str, which: list[Tool], comparison: Comparison, console: Console) -> None:
    """Run tools on one corpus; leave out those whose result is there."""
    with bar(console) as progress:
        task = progress.add_task(f"{name}: corpus", total=len(which))
        on, warm_up = corpus(name, comparison.data), corpus(WARM_UP, comparison.data)
        progress.update(task, description=f"{name}: truth")
        true = truth(on.path, comparison.settings.threshold, comparison.settings.words)
        facts = {"name": name, **on.facts(), "true_pairs": len(true.pairs)}
        found = comparison.file(name)
        if not found.comparable(comparison.settings):
            console.print(f"{name}: other settings or another machine than before, so all is measured again")
            found = Results(found.path, {})
        for tool in which:
            step = Step(progress, task, f"{name}: {tool.name}")
            step("installing")
            if comparison.wanted(tool, found.rows.get(tool.name)):
                row = comparison.measure(tool, on, warm_up, true, step)
                found.put(row, facts, comparison.settings)
                console.print(f"{name}: {tool.name} {in_short(row)}", highlight=False, markup=False)
            progress.advance(task)
        progress.update(task, description=name)
    console.print(table(found))


@contextmanager
def bar(console: Console) -> Iterator[Progress]:
    """Show a bar while something is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, refresh_per_second=2) as progress:
        yield progress


def in_short(row: Row) -> str:
    """Say a row in a line."""
    if "seconds" not in row:
        return str(row.get("failed") or row.get("skipped"))
    right = row["clusters"]
    found = f"recall {as_share(right['recall'])}, precision {as_share(right['precision'])}"
    return f"{row['median_seconds']:.3g} s, {row['peak_bytes'] / 1e6:,.0f} MB, {found}"


def table(found: Results) -> Table:
    """Show all rows, the fastest first."""
    shown = Table(title=f"{found.path.stem}: {found.facts.get('corpus', {}).get('true_pairs', 0):,} true pairs")
    for heading in ("tool", "version", "seconds", "MB", "recall", "precision"):
        shown.add_column(heading, justify="left" if heading in ("tool", "version") else "right")
    for row in sorted(found.rows.values(), key=lambda row: (row.get("median_seconds", np.inf), row["tool"])):
        if "seconds" in row:
            right = (as_share(row["clusters"][name]) for name in ("recall", "precision"))
            values = (f"{row['median_seconds']:,.2f}", f"{row['peak_bytes'] / 1e6:,.0f}", *right)
        else:
            values = (in_short(row), "", "", "")
        shown.add_row(row["tool"], row["version"], *values)
    return shown


def plan(console: Console) -> list[str]:
    """Name the corpora of the whole comparison; say which are left out."""
    real = real_corpora()
    if missing := [name for name in REAL if name not in real]:
        console.print(f"left out: {', '.join(missing)}; {VARIABLE} names no folder that has them")
    return [*SMALL, *real, *LARGE]


def main(arguments: list[str] | None = None) -> None:
    """Compare, corpus by corpus."""
    every = {tool.name: tool for tool in tools()}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", help="made-N, short-N, or real text by its name")
    parser.add_argument("--tool", action="append", choices=every, help="only this one; may be given several times")
    parser.add_argument("--again", action="store_true", help="run what has a result already, or failed")
    parser.add_argument("--repeats", type=int, default=3, help=f"runs, for one that takes less than {ONCE_FROM} s")
    parser.add_argument("--threads", type=int, default=len(cores()), help="and cores, for every tool")
    parser.add_argument("--limit", type=float, default=15, help="minutes until a run is stopped")
    given = parser.parse_args(arguments)
    if not 1 <= given.threads <= len(cores()):
        parser.error(f"--threads must be from 1 to {len(cores())}, the cores there are; got {given.threads}")
    console = Console(stderr=True)
    limits = Limits(seconds=60 * given.limit)
    comparison = Comparison(Settings(threads=given.threads), limits, given.repeats, given.again)
    which = [every[name] for name in given.tool or every]
    try:
        for name in given.corpus or plan(console):
            compare(name, which, comparison, console)
    except UnknownCorpusError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
