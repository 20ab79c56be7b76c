"""Top-k search: the items most similar to each item, with exact scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import RecipeError
from lookalike.lsh.buckets import Seen
from lookalike.measures.base import CLASSES
from lookalike.neighbours.best import Best
from lookalike.tuning.recall import CONFIDENCE, Measured, certain, draw, share_of_nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.run import Run
    from lookalike.neighbours.best import Finder
    from lookalike.options import Settings
    from lookalike.recipe import Recipe

LOWEST_SIMILARITY = 1e-9
"""A similarity that any two items reach if they share anything."""


@dataclass(frozen=True, slots=True)
class Found:
    """The nearest items of each query."""

    queries: NDArray[np.int32]
    best: Best
    seen: Seen
    recall: float
    """The recall guaranteed: 1 if the search is exact."""
    measured: Measured | None


def find_nearest(run: Run, collected: Collected, k: int, recall: float, *, min_score: float) -> Found:
    """Find the k nearest items of each item, with at least this score; measure the recall on request."""
    queries, among = sides(collected)
    seen, recipe = Seen(1), collected.items.recipe
    with run.stages.stage("nearest", len(queries)) as advance, run.stages.timed("nearest"):
        best = Best.of(len(queries), min(k, max(len(among), 1)))
        finder = collected.items.nearest(queries, among, best.items.shape[1], recall)
        for answered in best.take(finder.answer(queries, best.items.shape[1], seen)):
            advance(answered)
    best = best.at_least(min_score)
    promised = 1.0 if finder.exact is finder else recall
    return Found(
        queries, best, seen, promised, measure_nearest(run, recipe, finder, queries, best, min_score, promised)
    )


def without_bands(settings: Settings) -> Settings:
    """Return settings that read all items but sign none. The default threshold accepts any score."""
    if settings.get("exact_copies"):
        raise RecipeError("`exact_copies` is for deduplicate and find_pairs. Leave it out: equal items are nearest")
    measures = [cls for (_, name), cls in CLASSES.items() if name == settings.get("measure")]
    anything = float(np.finfo(np.float64).max) if any(cls.is_distance for cls in measures) else LOWEST_SIMILARITY
    return {"threshold": anything, **settings, "recall": 1.0}


def sides(collected: Collected) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the items to query, and the items to search."""
    known = np.flatnonzero(collected.copies.original >= 0).astype(np.int32)
    boundary = collected.boundary
    return (known, known) if boundary is None else (known[known < boundary], known[known >= boundary])


def measure_nearest(
    run: Run, recipe: Recipe, finder: Finder, queries: NDArray[np.int32], best: Best, min_score: float, promised: float
) -> Measured | None:
    """Answer a sample of the queries exactly and count how many of these answers were found, on request.

    If the finder is exact, there is nothing to measure, and no item is sampled.
    """
    if not run.sampled:
        return None
    if finder.exact is finder:
        return Measured(0, len(queries), CONFIDENCE, certain(best.scores, recipe.measure), ())
    rows = draw(np.arange(len(queries)), run.sampled, recipe.seed)
    with run.stages.stage("measure", len(rows)) as advance, run.stages.timed("measure"):
        truth = Best.of(len(rows), best.items.shape[1])
        for answered in truth.take(finder.exact.answer(queries[rows], best.items.shape[1], Seen(1))):
            advance(answered)
        complete = len(rows) == len(queries)
        scores = truth.at_least(min_score).scores, best.scores[rows]
        share = share_of_nearest(*scores, recipe.measure, promised, complete=complete)
        return Measured(len(rows), len(queries), CONFIDENCE, share, ())
