"""Summary of a run: its numbers, and notes on what a reader should know about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.engines.local.expand import LARGEST_GROUP
from lookalike.read.notes import notes_on, passed_over
from lookalike.resources.progress import COMPILATION, peak_memory
from lookalike.summary import Summary, recall_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.features.shingling import Shingling
    from lookalike.kinds import Collection, Kind
    from lookalike.lsh.buckets import Seen
    from lookalike.recipe import Recipe
    from lookalike.tuning.recall import Measured

SHOWN = (0.7, 0.8, 0.9)
"""Similarities whose chance is always shown, in addition to the threshold's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a run found."""

    pairs: int
    clusters: int = 0
    kept: int | None = None
    """The number of items kept; None if none were to be removed."""
    cluster: str = ""
    """What a cluster is."""
    below: int = 0
    """Removed items that are not similar enough to their keeper."""
    condensed: int = 0
    """Items in groups of copies too large to pair all of them."""


def summarise(
    run: Run,
    recipe: Recipe,
    collected: Collected,
    seen: Seen,
    counts: Counts,
    measured: Measured | None = None,
) -> Summary:
    """Summarise what a run did."""
    items = collected.items
    return Summary(
        items=items.count,
        kept=items.count if counts.kept is None else counts.kept,
        removed=0 if counts.kept is None else items.count - counts.kept,
        pairs=counts.pairs,
        clusters=counts.clusters,
        cluster=counts.cluster,
        below_threshold=counts.below,
        candidates=seen.proposed,
        copies=collected.copies.count,
        nulls=items.nulls,
        empty=items.empty,
        short=items.single,
        shingle=str(recipe.shingling),
        measure=recipe.measure.name,
        sketch=recipe.sketch,
        bands=recipe.banding.bands if recipe.banding else 0,
        rows=recipe.banding.rows if recipe.banding else 0,
        threshold=recipe.threshold,
        recall=recipe.recall,
        chance={f"{s:.15g}": recipe.chance(s) for s in sorted(shown(recipe))},
        measured=measured,
        threads=run.threads.count,
        seconds=seconds_of(run),
        memory=dict(run.stages.memory),
        peak_memory_bytes=peak_memory(),
        passed_over=passed_over(run.sources),
        notes=(
            *notes_on(run.sources, rows=counts.kept is not None),
            *run.notes,
            *run_notes(run.kind, recipe, items, counts.condensed),
            *chain_notes(recipe, counts.below),
            *(recall_notes(measured) if recipe.banding else ()),
        ),
    )


def seconds_of(run: Run) -> dict[str, float]:
    """Return the time of each stage, in the order in which they ended, and of compilation."""
    found = run.stages.seconds
    return {stage: round(found[stage], 4) for stage in (*run.stages.memory, COMPILATION) if stage in found}


def shown(recipe: Recipe) -> set[float]:
    """Return the values of the measure whose chance is shown."""
    if recipe.measure.is_distance:
        return {recipe.threshold / 2, recipe.threshold, 1.5 * recipe.threshold}
    return {*SHOWN, recipe.threshold}


def run_notes(kind: Kind, recipe: Recipe, items: Collection, condensed: int) -> Iterator[str]:
    """Yield notes on items skipped or condensed, and on settings that may suit the items better."""
    if items.empty:
        nulls = f", {items.nulls:,} of them null" if items.nulls else ""
        has, they = (
            ("item has", "it is kept and matches") if items.empty == 1 else ("items have", "they are kept and match")
        )
        lacks = "value" if recipe.shingling.feature.whole else kind.lacks or kind.part
        yield f"{items.empty:,} {has} no {lacks}{nulls}: {they} nothing"
    compared = items.count - items.empty
    feature = recipe.shingling.feature
    if compared and items.fragile - items.empty > compared / 2:
        yield (
            f"{(items.fragile - items.empty) / compared:.0%} of the items are so short that changing a single "
            f"{feature.unit} lowers the similarity below {recipe.threshold:g}: try {advice(recipe.shingling)}"
        )
    if condensed:
        yield (
            f"{condensed:,} items are in groups of more than {LARGEST_GROUP:,} with the same shingles: only pairs with "
            "the first item of each group are listed"
        )


def chain_notes(recipe: Recipe, below: int) -> Iterator[str]:
    """Yield a note on removed items that do not resemble their keeper."""
    if below:
        items, are, them = ("item", "is", "it") if below == 1 else ("items", "are", "them")
        where = "farther from their keeper" if recipe.measure.is_distance else "less similar to their keeper"
        yield (
            f"{below:,} removed {items} {are} {where} than the threshold: chains of other items connect {them} to it; "
            "`cluster='star'` removes only what resembles its keeper"
        )


def advice(shingling: Shingling) -> str:
    """Suggest settings that suit shorter items."""
    feature, size = shingling.feature, shingling.size
    if size > feature.min_size:
        return f"the shingle {shingling.kind}:{feature.min_size if feature.short else max(size // 2, feature.min_size)}"
    return f"the shingle {feature.short}" if feature.short else "a lower threshold"
