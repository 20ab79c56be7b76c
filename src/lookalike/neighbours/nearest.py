"""Top k: for each item the most similar others, with exact scores.

Sets are looked for by lists of who has an element, and vectors are compared with all; or, if some may be missed, only
with those in the cells nearest to them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.checks import plain_number
from lookalike.engines.local.collect import collect
from lookalike.engines.local.run import Run
from lookalike.errors import RecipeError
from lookalike.kinds.space import SetSpace, VectorSpace, WeightSpace
from lookalike.lsh.buckets import Seen
from lookalike.neighbours.best import Best
from lookalike.neighbours.sets import Listed, Scanned
from lookalike.neighbours.vectors import find_vectors
from lookalike.results import Nearest, nearest_table
from lookalike.summary import doubts, summarise
from lookalike.tuning.recall import CONFIDENCE, Measured, certain, draw, share_of_nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.neighbours.best import Finder
    from lookalike.options import Settings

LEAST = 1e-9
"""A similarity that whatever shares anything has."""


def nearest(items: Any, k: int = 10, *, against: Any = None, **settings: Unpack[Settings]) -> Nearest:  # noqa: ANN401 - whatever holds items
    """Find the k most similar others of each item, or the k of `against` that are most similar to it.

    Scores are exact. Of vectors by cosine, some of the k may be others than the very nearest, as `recall` allows: by
    default 0.99 of them, in the mean, are the nearest. With `measure_recall`, the nearest of so many items are looked
    for exactly, to say how many of them were found; where nothing can be missed, the recall is 1 without that. A
    threshold leaves out what is less similar. What shares nothing with an item is not listed, so there may be fewer
    than k. By containment, it is the item that is in the others.

    >>> nearest([{1, 2, 3}, {1, 2}, {2, 3, 4}], k=1)
    Nearest: 1 each of 3 items
      left  right  rank  similarity
      0     1      1     0.6667
      1     0      1     0.6667
      2     0      1     0.5000
    """
    k = plain_number(k)
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise RecipeError(f"`k` must be a whole number, at least 1. Got {k!r}")
    if settings.get("bands") is not None or settings.get("rows") is not None:
        raise RecipeError("`bands` and `rows` are for pairs. Leave them out: the nearest are found without")
    wanted = plain_number(settings.get("recall", 0.99))
    with Run(without_bands(settings), items, against) as run:
        collected = collect(run, searched=False)
        questions, among = sides(collected)
        seen = Seen(1)
        with run.stages.stage("nearest", len(questions)) as advance, run.stages.timed("nearest"):
            best = Best.of(len(questions), min(k, max(len(among), 1)))
            finder = find(run, collected, questions, among, best.items.shape[1], wanted)
            for answered in best.take(finder.answer(questions, best.items.shape[1], seen)):
                advance(answered)
        run.stages.seconds["nearest"] -= run.stages.seconds.get("cells", 0.0)
        least = run.recipe.least_score if "threshold" in settings else -np.inf
        best = best.beyond(least)
        recall = 1.0 if finder.exact is finder else wanted
        measured = measure(run, finder, questions, best, least, recall)
        table, count = nearest_table(collected, questions, best.items, best.scores, run.recipe.measure)
        summary = summarise(run, collected, seen, measured, pairs=count)
        notes = (*summary.notes, *(doubts(measured) if recall < 1 else ()))
        return Nearest(table, replace(summary, recall=recall, notes=notes), k, run.recipe)


def without_bands(settings: Settings) -> Settings:
    """Return settings by which all items are read and none is signed; a threshold that nothing fails, without one."""
    distance = settings.get("measure") in ("euclidean", "hamming")
    anything = float(np.finfo(np.float64).max) if distance else LEAST
    return {"threshold": anything, **settings, "recall": 1.0}


def sides(collected: Collected) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the items whose nearest are wanted, and those among which they are looked for."""
    known = np.flatnonzero(collected.copies.original >= 0).astype(np.int32)
    boundary = collected.boundary
    return (known, known) if boundary is None else (known[known < boundary], known[known >= boundary])


def find(
    run: Run, collected: Collected, questions: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float
) -> Finder:
    """Return what finds the nearest of items of this kind."""
    space = collected.space
    if isinstance(space, VectorSpace):
        return find_vectors(run, space.family, questions, among, k, recall)
    if isinstance(space, SetSpace) and not isinstance(space, WeightSpace):
        return Listed(run, space, among)
    return Scanned(space, among)


def measure(
    run: Run, finder: Finder, questions: NDArray[np.int32], best: Best, least: float, asked: float
) -> Measured | None:
    """Answer a sample of the questions exactly and count how many of these answers were given, if that is wanted.

    Where the finder misses nothing there is nothing to measure, and no item is sampled.
    """
    if not run.sampled:
        return None
    if finder.exact is finder:
        return Measured(0, len(questions), CONFIDENCE, certain(best.scores, run.recipe.measure), ())
    rows = draw(np.arange(len(questions)), run.sampled, run.recipe.seed)
    with run.stages.stage("measure", len(rows)) as advance, run.stages.timed("measure"):
        truth = Best.of(len(rows), best.items.shape[1])
        for answered in truth.take(finder.exact.answer(questions[rows], best.items.shape[1], Seen(1))):
            advance(answered)
        complete = len(rows) == len(questions)
        scores = truth.beyond(least).scores, best.scores[rows]
        share = share_of_nearest(*scores, run.recipe.measure, asked, complete=complete)
        return Measured(len(rows), len(questions), CONFIDENCE, share, ())
