"""The HTML page of a report: self-contained, without scripts or requests, with inline styles and plots."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import lookalike
from lookalike.kinds import kind_of
from lookalike.report import plots
from lookalike.report.excerpt import Passage, is_code, name, passages
from lookalike.report.facts import Facts, label, percent, sources_of
from lookalike.results import Pairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lookalike.examples import Example, Side
    from lookalike.report.facts import Result
    from lookalike.summary import Summary
    from lookalike.tuning.recall import Share

FILES = 50
"""Maximum number of files listed by name."""

BORDERLINE = {
    "above": (
        "Just above the threshold",
        "The least similar items that count as duplicates. If these are not duplicates to you, raise the threshold.",
    ),
    "below": (
        "Just below the threshold",
        "The most similar items that were compared and rejected. If these are duplicates to you, lower the threshold.",
    ),
}
"""Heading and explanation of each kind of example that shows where the threshold draws the line."""

OF_DISTANCES = {
    "above": (
        "Just within the threshold",
        "The most distant items that count as duplicates. If these are not duplicates to you, lower the threshold.",
    ),
    "below": (
        "Just beyond the threshold",
        "The closest items that were compared and rejected. If these are duplicates to you, raise the threshold.",
    ),
}
"""The same for distances, where smaller is closer."""

CLUSTERS = {
    "chained": (
        "Removed, but unlike their keeper",
        "The removed items least similar to their keeper: only chains of others connect them. Stars keep such items.",
    ),
    "largest": (
        "Largest clusters",
        "Each keeper with the member that is least similar to it. Pairs shown above are left out.",
    ),
    "typical": (
        "Typical clusters",
        "Random clusters of median size: each keeper with the member that is least similar to it.",
    ),
}
"""Heading and explanation of each kind of example that shows clusters."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with its heading and caption."""

    heading: str
    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An example, prepared for the template."""

    similarity: str
    cluster: str
    """Size of the cluster, or empty."""
    sides: tuple[tuple[str, str, list[Passage]], ...]
    """Role, ID and passages of both items."""
    remark: str
    running: bool
    """Whether it is prose, which is easier to read in a proportional font."""


def make_page(result: Result, summary: Summary) -> str:
    """Return the report of a run as HTML."""
    facts = Facts(result, summary)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    package = files("lookalike.report")
    template = environment.from_string((package / "page.html").read_text("utf-8"))
    return template.render(
        facts=facts,
        s=summary,
        style=Markup((package / "style.css").read_text("utf-8")),  # noqa: S704 - ours
        plots=make_plots(facts),
        measured=list(map(measured_row, (*summary.measured.bins, summary.measured.overall)))
        if summary.measured
        else [],
        recall=percent(summary.recall),
        inputs=inputs(result),
        borderline=groups(result, OF_DISTANCES if result.recipe.measure.is_distance else BORDERLINE),
        clusters=groups(result, CLUSTERS),
        words="words" if result.recipe.shingling.feature.is_prose else "tokens",
        version=lookalike.__version__,
        made=f"{dt.datetime.now(dt.UTC):%Y-%m-%d, %H:%M} UTC",
    )


def make_plots(facts: Facts) -> list[Plot]:
    """Return the plots that apply to a run."""
    s = facts.summary
    found = [s_curve(facts)]
    if len(facts.near):
        found.append(histogram(facts))
    if facts.sizes:
        items = sum(size * count for size, count in facts.sizes.items())
        caption = f"{items:,} items are in {s.clusters:,} clusters; the largest has {max(facts.sizes):,} items."
        found.append(plot("Cluster sizes", plots.sizes(facts.sizes), "sizes", caption))
    if s.measured:
        caption = (
            f"An exact scan found the true partners of {s.measured.sampled:,} sampled items. Points show the share "
            "that the run found, lines what the S-curve predicts."
        )
        figure = plots.recall(s.measured.bins, s.measured.confidence, facts.measure.column)
        found.append(plot("Measured recall", figure, "recall", caption))
    return found


def s_curve(facts: Facts) -> Plot:
    """Plot the probability of being found against the similarity."""
    s = facts.summary
    if facts.result.recipe.banding is None:
        caption = f"The search was exact: it found every pair at {facts.reached}, and no other."
    else:
        chances = ", ".join(f"{percent(chance)} at {similarity}" for similarity, chance in s.chance.items())
        caption = f"Probability that a pair is found: {chances}. False candidates cost time, but are never reported."
    return plot("Probability of being found", facts.result.recipe.plot(), "curve", caption)


def histogram(facts: Facts) -> Plot:
    """Plot the similarities of pairs, or of members to their keepers."""
    column = facts.measure.column.capitalize()
    if facts.deduplicated:
        heading, what = (
            f"{column} to the keeper",
            f"{len(facts.near):,} near-duplicates, each compared with its keeper.",
        )
    else:
        heading, what = f"{column} of pairs", f"{len(facts.near):,} pairs of near-duplicates."
    if facts.copies:
        what += f" {facts.copies:,} exact copies ({facts.measure.column} {facts.measure.best:g}) are not shown."
    if below := facts.summary.below_threshold:
        beyond = "beyond" if facts.measure.is_distance else "below"
        what += f" {below:,} (grey) are {beyond} the threshold: other items connect them to their keeper."
    up = "removed items" if facts.deduplicated else "pairs"
    draw = plots.distances if facts.measure.is_distance else plots.histogram
    return plot(heading, draw(facts.near, facts.summary.threshold, up), "similarity", what)


def plot(heading: str, figure: Figure, name: str, caption: str) -> Plot:
    """Return a plot with its figure as inline SVG."""
    return Plot(heading, Markup(plots.as_svg(figure, name, f"{heading}. {caption}")), caption)  # noqa: S704 - ours


def measured_row(share: Share) -> tuple[str, ...]:
    """Return a row of the table of measured recall."""
    low, high = share.interval
    return (
        f"{share.low:.2f} to {share.high:.2f}" if share.low < share.high else f"{share.low:g}",
        f"{share.pairs:,}",
        f"{share.found:,}",
        "" if share.recall is None else percent(share.recall),
        "" if share.recall is None else f"{percent(low)} to {percent(high)}",
        "" if share.predicted is None else percent(share.predicted),
    )


def inputs(result: Result) -> list[tuple[str, list[str], int]]:
    """Return a description of each collection, its first files, and the number of other files."""
    found = []
    for source in sources_of(result):
        paths = [label(path) for path in source.paths[:FILES]]
        kind = f"{len(source.paths):,} file{'s' * (len(source.paths) != 1)}" if paths else "items in memory"
        if paths and source.format:
            kind += f", {source.format}"
        found.append((kind, paths, len(source.paths) - len(paths)))
    return found


def groups(result: Result, kinds: dict[str, tuple[str, str]]) -> list[tuple[str, str, list[Shown]]]:
    """Return the examples of some kinds, with a heading and an explanation for each."""
    found = []
    for kind, (heading, sentence) in kinds.items():
        shown = [show(example, result) for example in result.examples if example.kind == kind]
        if shown:
            found.append((heading, sentence, shown))
    return found


def roles(example: Example, result: Result) -> tuple[str, str]:
    """Return the roles of the two items of an example."""
    if example.size is not None:
        return "keeper", "member"
    return ("left", "right") if isinstance(result, Pairs) or example.kind == "below" else ("keeper", "member")


def show(example: Example, result: Result) -> Shown:
    """Prepare an example for the page."""
    kind = kind_of(result.recipe)

    def prepare(role: str, side: Side) -> tuple[str, str, list[Passage]]:
        return role, name(side.id), passages(side, kind.excerpt_unit)

    cluster = "" if example.size is None else f"cluster of {example.size:,} items"
    sides = (example.left, example.right)
    remark = ""
    if not any(side.differs for side in sides):
        remark = (
            ""
            if not kind.has_parts
            else "All shingles are identical."
            if example.similarity == 1
            else "Every token is part of a shared shingle: only the order or the number of occurrences differs."
        )
    prepared = tuple(prepare(role, side) for role, side in zip(roles(example, result), sides, strict=True))
    running = result.recipe.shingling.feature.is_prose and not any(is_code(side.text) for side in sides)
    return Shown(f"{example.similarity:.4f}", cluster, prepared, remark, running)
