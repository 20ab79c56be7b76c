"""Top k: for each item the most similar others, with exact scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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

LOWEST = 1e-9
"""A similarity that all items have that share anything."""


@dataclass(frozen=True, slots=True)
class Found:
    """The nearest items of each query."""

    queries: NDArray[np.int32]
    best: Best
    seen: Seen
    recall: float
    """The recall promised: 1 if the search misses nothing."""
    measured: Measured | None


def find_nearest(run: Run, collected: Collected, k: int, recall: float, *, min_score: float) -> Found:
    """Find the k nearest items of each, with at least this score; measure the recall if asked to."""
    queries, among = sides(collected)
    seen, recipe = Seen(1), collected.items.recipe
    with run.stages.stage("nearest", len(queries)) as advance, run.stages.timed("nearest"):
        best = Best.of(len(queries), min(k, max(len(among), 1)))
        finder = collected.items.nearest(queries, among, best.items.shape[1], recall)
        for answered in best.take(finder.answer(queries, best.items.shape[1], seen)):
            advance(answered)
    run.stages.seconds["nearest"] -= run.stages.seconds.get("cells", 0.0)
    best = best.beyond(min_score)
    promised = 1.0 if finder.exact is finder else recall
    return Found(
        queries, best, seen, promised, measure_nearest(run, recipe, finder, queries, best, min_score, promised)
    )


def without_bands(settings: Settings) -> Settings:
    """Return settings by which all items are read and none is signed; a threshold that nothing fails, without one."""
    measures = [cls for (_, name), cls in CLASSES.items() if name == settings.get("measure")]
    anything = float(np.finfo(np.float64).max) if any(cls.is_distance for cls in measures) else LOWEST
    return {"threshold": anything, **settings, "recall": 1.0}


def sides(collected: Collected) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the items whose nearest are wanted, and those among which they are looked for."""
    known = np.flatnonzero(collected.copies.original >= 0).astype(np.int32)
    boundary = collected.boundary
    return (known, known) if boundary is None else (known[known < boundary], known[known >= boundary])


def measure_nearest(
    run: Run, recipe: Recipe, finder: Finder, questions: NDArray[np.int32], best: Best, least: float, asked: float
) -> Measured | None:
    """Answer a sample of the questions exactly and count how many of these answers were given, if that is wanted.

    Where the finder misses nothing there is nothing to measure, and no item is sampled.
    """
    if not run.sampled:
        return None
    if finder.exact is finder:
        return Measured(0, len(questions), CONFIDENCE, certain(best.scores, recipe.measure), ())
    rows = draw(np.arange(len(questions)), run.sampled, recipe.seed)
    with run.stages.stage("measure", len(rows)) as advance, run.stages.timed("measure"):
        truth = Best.of(len(rows), best.items.shape[1])
        for answered in truth.take(finder.exact.answer(questions[rows], best.items.shape[1], Seen(1))):
            advance(answered)
        complete = len(rows) == len(questions)
        scores = truth.beyond(least).scores, best.scores[rows]
        share = share_of_nearest(*scores, recipe.measure, asked, complete=complete)
        return Measured(len(rows), len(questions), CONFIDENCE, share, ())
