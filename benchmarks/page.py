"""Generate docs/explanation/benchmarks.md and its plots from the benchmark results.

    python benchmarks/page.py

The page depends only on the files in benchmarks/results.
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import figures
import side_page
from cells import as_share, seconds, times, why
from compare import LARGE, SMALL
from corpora import REAL
from rows import RESULTS, Results, Row, Sides

from lookalike.report.plots import save

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "explanation" / "benchmarks.md"
TEXT = HERE / "page.md"
SHOWN = "made-100000"
"""Corpus shown in the plots."""

SIDES = ("sets", "vectors", "index", "index-1000000")
NOTHING = "There are no results yet: run `make bench`."
ORDER = [*SMALL, *LARGE, *REAL]
WHAT = {
    "django": "Django's documentation in four versions",
    "mdn": "MDN's pages about the web",
    "bible": "verses of the Bible in seven English translations",
}
PLOTS = {
    "time": "Time, and the share of each stage",
    "memory": "Peak memory of the process tree",
    "quality": "Recall and precision of clusters",
    "growth": "Time by number of documents",
    "sets": "Time by threshold",
    "vectors": "Queries per second, seconds to build, and recall",
}


def read(folder: Path = RESULTS) -> list[Results]:
    """Return the results of all corpora, in the order in which they are run."""
    files = [path for path in sorted(folder.glob("*.json")) if "tools" in json.loads(path.read_text(encoding="utf-8"))]
    place = {name: i for i, name in enumerate(ORDER)}
    return [Results.read(path) for path in sorted(files, key=lambda path: place.get(path.stem, len(place)))]


def shown(every: Sequence[Results]) -> Results | None:
    """Return the results to plot: those of 100,000 synthetic documents, or else the first."""
    return next((results for results in every if results.path.stem == SHOWN), every[0] if every else None)


def plots_of_texts(every: Sequence[Results]) -> dict[str, Callable[[], Figure]]:
    """Return the functions that draw the plots of texts, for those that have results."""
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


def plots_of_sides(sets: Sides, vectors: Sides) -> dict[str, Callable[[], Figure]]:
    """Return the functions that draw the plots of sets and vectors, for those that have results."""
    pairs, nearest = side_page.pairs_of(sets, "threshold"), side_page.nearest_of(vectors)
    drawn: dict[str, Callable[[], Figure]] = {"sets": lambda: figures.thresholds(pairs)} if pairs else {}
    return {**drawn, "vectors": lambda: figures.answers(nearest)} if nearest else drawn


def page(every: Sequence[Results], sides: Mapping[str, Sides]) -> str:
    """Return the page as Markdown."""
    sets, vectors, index, large = (sides[name] for name in SIDES)
    text = TEXT.read_text(encoding="utf-8")
    one = shown(every)
    caption = f"The plots of time, memory and quality show {described(one)}.\n\n" if one else ""
    tables = [f"### {results.path.stem}\n\n{described(results)}.\n\n{table(results)}" for results in every]
    drawn = {name: picture(name) for name in plots_of_sides(sets, vectors)}
    parts = {
        "machines": "\n".join(machines(every)) or NOTHING,
        "plots": caption + "\n\n".join(map(picture, plots_of_texts(every))),
        "tables": "\n\n".join(tables),
        "sets: machines": "\n".join(machines_of_sides(sets)) or NOTHING,
        "sets: plot": drawn.get("sets", ""),
        "sets: table": side_page.table_of_sets(sets) if sets.tools else "",
        "vectors: machines": "\n".join(machines_of_sides(vectors)) or NOTHING,
        "vectors: plot": drawn.get("vectors", ""),
        "vectors: nearest": side_page.table_of_nearest(vectors) if vectors.tools else "",
        "vectors: pairs": side_page.table_of_pairs(vectors) if vectors.tools else "",
        "index: machines": "\n".join(machines_of_sides(index)) or NOTHING,
        "index: table": side_page.table_of_index(index) if index.tools else "",
        "index: words": side_page.words_on_index(index, large),
    }
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def picture(name: str) -> str:
    """Return the Markdown image of a plot."""
    return f"![{PLOTS[name]}](../images/benchmark-{name}.svg)"


def machines(every: Sequence[Results]) -> list[str]:
    """Return when and where the results were measured: one line per machine and setting."""
    when: dict[str, list[str]] = {}
    for results in every:
        facts = results.facts
        versions, settings = facts["versions"], facts["settings"]
        where = (
            f"{described_machine(facts['machine'])}; Python {versions['python']}; {settings['threads']} threads "
            f"per tool; shingles of {settings['words']} words, threshold {settings['threshold']:g}"
        )
        when.setdefault(where, []).append(facts["date"])
    return dated(when)


def machines_of_sides(found: Sides) -> list[str]:
    """Return when and where sets, vectors or indexes were measured, and notes on tools.

    If there are several machines, each line lists the tools measured on it.
    """
    when: dict[str, list[str]] = {}
    which: dict[str, list[str]] = {}
    for tool, entry in found.tools.items():
        where = f"{described_machine(entry['machine'])}; {found.count:,} items; {entry['threads']} threads per tool"
        when.setdefault(where, []).append(entry["date"])
        which.setdefault(where, []).append(tool)
    alone = len(when) == 1
    lines = dated({where if alone else f"{', '.join(which[where])}: {where}": dates for where, dates in when.items()})
    return lines + [wrapped(f"{tool}: {entry['note']}") for tool, entry in found.tools.items() if "note" in entry]


def described_machine(machine: dict[str, Any]) -> str:
    """Describe a machine."""
    memory = f"{machine['memory_bytes'] / 2**30:.0f} GiB"
    return f"{machine['cpu']}, {machine['cores']} cores, {memory}, {machine['system']}"


def dated(when: dict[str, list[str]]) -> list[str]:
    """Return one line per description, with the first and last date of its measurements."""
    return [wrapped(f"{' to '.join(sorted({min(dates), max(dates)}))}: {what}") for what, dates in when.items()]


def wrapped(text: str) -> str:
    """Format a sentence as a Markdown list item."""
    return textwrap.fill(f"- {text}.", 120, subsequent_indent="  ")


def described(results: Results) -> str:
    """Describe a corpus and its size."""
    facts = results.facts["corpus"]
    kind = {"made": "synthetic documents", "short": "synthetic short texts"}.get(
        facts["name"].partition("-")[0], "documents"
    )
    what = f" ({WHAT[facts['name']]})" if facts["name"] in WHAT else ""
    size = f"{facts['bytes'] / 1e6:,.0f} MB, {facts['true_pairs']:,} true pairs"
    return f"{facts['documents']:,} {kind}{what}, {size}"


def table(results: Results) -> str:
    """Return the table of a corpus: the fastest tool first, those without a result last."""
    ours = results.rows.get(figures.OURS, {}).get("median_seconds")
    lines = [
        "| tool | version | seconds | times lookalike | memory | recall | precision | of pairs: recall | precision |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: |",
        *(line(row, ours) for row in figures.measured(results)),
        *(f"| {row['tool']} | {row['version']} | {why(row)} | | | | | | |" for row in figures.unmeasured(results)),
    ]
    return "\n".join(lines)


def line(row: Row, ours: float | None) -> str:
    """Return the table row of a tool that has a result."""
    once = ", once" if len(row["seconds"]) == 1 else ""
    pairs = row["pairs"] or {"recall": None, "precision": None}
    right = [as_share(found[name]) for found in (row["clusters"], pairs) for name in ("recall", "precision")]
    size = f"{row['peak_bytes'] / 1e6:,.0f} MB"
    values = [
        row["tool"],
        row["version"],
        seconds(row["median_seconds"]) + once,
        times(row["median_seconds"], ours),
        size,
        *right,
    ]
    return f"| {' | '.join(values)} |"


def read_sides() -> dict[str, Sides]:
    """Return the results for sets, vectors and indexes."""
    return {name: Sides.read(RESULTS / f"{name}.json") for name in SIDES}


def main() -> None:
    """Generate the page and its plots."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    every = read()
    sides = read_sides()
    for name, draw in {**plots_of_texts(every), **plots_of_sides(sides["sets"], sides["vectors"])}.items():
        save(draw(), PAGE.parents[1] / "images" / f"benchmark-{name}.svg")
    PAGE.write_text(page(every, sides), encoding="utf-8")


if __name__ == "__main__":
    main()
