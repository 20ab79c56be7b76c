"""The numbers of a run, and the sentences a reader should not miss."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lookalike.engines.local.expand import LARGEST_GROUP
from lookalike.resources.progress import peak_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.lsh.buckets import Seen
    from lookalike.recipe import Recipe
    from lookalike.tuning.recall import Measured

SMALLEST = 3
"""Characters below which nearly all texts share shingles."""

WIDE = 0.1
"""Width of an interval for the recall from which a larger sample is advised."""

SHOWN = (0.7, 0.8, 0.9)
"""Similarities whose chance is always shown; the threshold's is too."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did, in numbers, and what a reader should know about them."""

    items: int
    kept: int
    removed: int
    pairs: int
    clusters: int
    candidates: int
    copies: int
    """Items whose shingles are those of an earlier item."""
    nulls: int
    empty: int
    """Items without a shingle, nulls included: never compared, always kept."""
    short: int
    """Items with a single shingle: they match only as a whole."""
    shingle: str
    measure: str
    sketch: str
    bands: int
    rows: int
    threshold: float
    recall: float
    """Chance of a pair exactly at the threshold to be found; or of the nearest, the share that was asked for."""
    chance: dict[str, float]
    """Chance of a pair of each similarity to be found."""
    measured: Measured | None
    """What a sample, searched exactly, says of the recall; none if that was not asked for."""
    threads: int
    seconds: dict[str, float]
    memory: dict[str, int]
    """The most memory held up to the end of each stage, in bytes."""
    peak_memory_bytes: int
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the search was exact: it has no bands, nor anything else that may miss some."""
        return self.bands == 0 and self.recall == 1

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {**asdict(self), "notes": list(self.notes)}


def summarise(
    run: Run,
    collected: Collected,
    seen: Seen,
    measured: Measured | None = None,
    *,
    pairs: int,
    clusters: int = 0,
    kept: int | None = None,
    condensed: int = 0,
) -> Summary:
    """Write down what a run did."""
    recipe, items = run.recipe, collected.items
    return Summary(
        items=items.count,
        kept=items.count if kept is None else kept,
        removed=0 if kept is None else items.count - kept,
        pairs=pairs,
        clusters=clusters,
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
        seconds={stage: round(seconds, 4) for stage, seconds in run.stages.seconds.items()},
        memory=dict(run.stages.memory),
        peak_memory_bytes=peak_memory(),
        notes=(*remarks(run, collected, condensed), *(doubts(measured) if recipe.banding else ())),
    )


def shown(recipe: Recipe) -> set[float]:
    """Return the values of the measure whose chance is shown."""
    if recipe.measure.is_distance:
        return {recipe.threshold / 2, recipe.threshold, 1.5 * recipe.threshold}
    return {*SHOWN, recipe.threshold}


def remarks(run: Run, collected: Collected, condensed: int) -> Iterator[str]:
    """Yield what was skipped or cut short, and what might be done better."""
    items = collected.items
    if items.empty:
        nulls = f", {items.nulls:,} of them null" if items.nulls else ""
        has, they = (
            ("item has", "it is kept and matches") if items.empty == 1 else ("items have", "they are kept and match")
        )
        names = {"elements": "element", "weights": "element", "vectors": "vector", "bits": "bit"}
        what = names.get(run.recipe.shingling.kind, "shingle")
        yield f"{items.empty:,} {has} no {what}{nulls}: {they} nothing"
    compared = items.count - items.empty
    if compared and items.fragile - items.empty > compared / 2:
        yield (
            f"in {(items.fragile - items.empty) / compared:.0%} of the items a single changed {unit(run)} brings the "
            f"similarity below {run.recipe.threshold:g}, so short are they: try {advice(run)}"
        )
    if condensed:
        yield (
            f"{condensed:,} items are in groups of more than {LARGEST_GROUP:,} with the same shingles: in each group "
            "the first stands for all, and only pairs with it are listed"
        )


def doubts(measured: Measured | None) -> Iterator[str]:
    """Yield what keeps the measured recall from being known well, and how large a sample would do."""
    if measured is None or measured.complete:
        return
    low, high = measured.overall.interval
    if high - low > WIDE:
        wanted = min(round_up(measured.sampled * ((high - low) / WIDE) ** 2), measured.population)
        seen = f"{plural(measured.overall.pairs, 'pair')} of {plural(measured.sampled, 'item')}"
        yield (
            f"the recall measured is uncertain ({low:.2f} to {high:.2f}), with {seen}: sample {wanted:,} items to know "
            "it better"
        )


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> plural(1, "cluster"), plural(2, "cluster")
    ('1 cluster', '2 clusters')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def round_up(number: float) -> int:
    """Round a number up to one digit and zeros.

    >>> round_up(1234.5)
    2000
    """
    step: int = 10 ** (len(str(math.ceil(number))) - 1)
    return math.ceil(number / step) * step


def unit(run: Run) -> str:
    """Name the tokens of a run."""
    return {"words": "word", "chars": "character", "bytes": "byte", "tokens": "token"}[run.recipe.shingling.kind]


def advice(run: Run) -> str:
    """Suggest what suits shorter items."""
    kind, size = run.recipe.shingling.kind, run.recipe.shingling.size
    if kind == "words":
        return "the shingle words:2" if size > 2 else "the shingle chars:5"  # noqa: PLR2004 - two words carry an order
    if size > SMALLEST:
        return f"the shingle {kind}:{max(size // 2, SMALLEST)}"
    return "a lower threshold"
