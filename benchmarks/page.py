"""Write docs/explanation/benchmarks.md and its plots from the results of the comparison.

    python benchmarks/page.py

The page depends on nothing but the files in benchmarks/results.
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import figures
from compare import LARGE, SMALL, as_share
from corpora import REAL
from rows import RESULTS, Results, Row

from lookalike.report.plots import save

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "explanation" / "benchmarks.md"
TEXT = HERE / "page.md"
SHOWN = "made-100000"
"""The corpus of the plots."""

ORDER = [*SMALL, *LARGE, *REAL]
WHAT = {
    "django": "Django's documentation in four versions",
    "mdn": "MDN's pages about the web",
    "bible": "verses of the Bible in seven English translations",
}
PLOTS = {
    "time": "Time, and which share of it each stage takes",
    "memory": "Peak memory of the process tree",
    "quality": "Recall and precision of clusters",
    "growth": "Time over the number of documents",
}


def read(folder: Path = RESULTS) -> list[Results]:
    """Read the results of all corpora, in the order of the plan."""
    files = [path for path in sorted(folder.glob("*.json")) if "tools" in json.loads(path.read_text(encoding="utf-8"))]
    place = {name: i for i, name in enumerate(ORDER)}
    return [Results.read(path) for path in sorted(files, key=lambda path: place.get(path.stem, len(place)))]


def shown(every: Sequence[Results]) -> Results | None:
    """Choose the corpus for the plots: 100,000 made documents, or else the first there is."""
    return next((results for results in every if results.path.stem == SHOWN), every[0] if every else None)


def plots(every: Sequence[Results]) -> dict[str, Callable[[], Figure]]:
    """Return how to draw the plots there are results for."""
    one = shown(every)
    if one is None:
        return {}
    made = [results for results in every if results.path.stem.startswith("made-")]
    drawn: dict[str, Callable[[], Figure]] = {
        "time": lambda: figures.time(one),
        "memory": lambda: figures.memory(one),
        "quality": lambda: figures.quality(one),
    }
    return {**drawn, "growth": lambda: figures.growth(made)} if len(made) > 1 else drawn


def page(every: Sequence[Results]) -> str:
    """Write the page."""
    text = TEXT.read_text(encoding="utf-8")
    one = shown(every)
    pictures = [f"![{PLOTS[name]}](../images/benchmark-{name}.svg)" for name in plots(every)]
    caption = f"The plots of time, memory and quality are of {described(one)}.\n\n" if one else ""
    tables = [f"### {results.path.stem}\n\n{described(results)}.\n\n{table(results)}" for results in every]
    parts = {
        "machines": "\n".join(machines(every)) or "There are no results yet: run `make bench`.",
        "plots": caption + "\n\n".join(pictures),
        "tables": "\n\n".join(tables),
    }
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def machines(every: Sequence[Results]) -> list[str]:
    """Say where and when results were measured: a line for each machine and setting."""
    when: dict[str, list[str]] = {}
    for results in every:
        facts = results.facts
        machine, versions, settings = facts["machine"], facts["versions"], facts["settings"]
        where = (
            f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, "
            f"{machine['system']}; Python {versions['python']}; every tool had {settings['threads']} threads; "
            f"shingles of {settings['words']} words, threshold {settings['threshold']:g}"
        )
        when.setdefault(where, []).append(facts["date"])
    lines = [f"- {' to '.join(sorted({min(dates), max(dates)}))}: {where}." for where, dates in when.items()]
    return [textwrap.fill(line, 120, subsequent_indent="  ") for line in lines]


def described(results: Results) -> str:
    """Say what a corpus is and how large."""
    facts = results.facts["corpus"]
    kind = {"made": "made documents", "short": "made short texts"}.get(facts["name"].partition("-")[0], "documents")
    what = f" ({WHAT[facts['name']]})" if facts["name"] in WHAT else ""
    size = f"{facts['bytes'] / 1e6:,.0f} MB, {facts['true_pairs']:,} true pairs"
    return f"{facts['documents']:,} {kind}{what}, {size}"


def table(results: Results) -> str:
    """Write the table of a corpus: the fastest first, those without a result last."""
    ours = results.rows.get(figures.OURS, {}).get("median_seconds")
    lines = [
        "| tool | version | seconds | times lookalike | memory | recall | precision | of pairs: recall | precision |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: |",
        *(line(row, ours) for row in figures.measured(results)),
        *(f"| {row['tool']} | {row['version']} | {why(row)} | | | | | | |" for row in figures.unmeasured(results)),
    ]
    return "\n".join(lines)


def line(row: Row, ours: float | None) -> str:
    """Write the row of a tool that has a result."""
    once = ", once" if len(row["seconds"]) == 1 else ""
    times = f"{row['median_seconds'] / ours:.2g}" if ours and row["median_seconds"] < 10 * ours else ""
    times = times or (f"{row['median_seconds'] / ours:,.0f}" if ours else "")
    pairs = row["pairs"] or {"recall": None, "precision": None}
    right = [as_share(found[name]) for found in (row["clusters"], pairs) for name in ("recall", "precision")]
    size = f"{row['peak_bytes'] / 1e6:,.0f} MB"
    values = [row["tool"], row["version"], figures.seconds(row["median_seconds"]) + once, times, size, *right]
    return f"| {' | '.join(values)} |"


def why(row: Row) -> str:
    """Say why there is no result, in a cell of a table."""
    said = str(row["skipped"] if "skipped" in row else f"failed: {row['failed']}")
    return said.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def main() -> None:
    """Write the page and its plots."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    every = read()
    for name, draw in plots(every).items():
        save(draw(), PAGE.parents[1] / "images" / f"benchmark-{name}.svg")
    PAGE.write_text(page(every), encoding="utf-8")


if __name__ == "__main__":
    main()
