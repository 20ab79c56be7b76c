"""Estimates, from a sample of a collection, what each banding would cost there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.checks import check_count
from lookalike.engines.local.collect import collect
from lookalike.engines.local.run import Run
from lookalike.errors import InputError, RecipeError
from lookalike.read.notes import notes_on
from lookalike.settings import with_recipe
from lookalike.tuning.bandings import sampled_bandings, short_bandings
from lookalike.tuning.estimate import Cost, Estimate, cost_of
from lookalike.tuning.sample import Tally
from lookalike.tuning.tune import FALSE_CANDIDATES, MAX_ROWS, check_recall, slot_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.lsh.banding import Banding
    from lookalike.options import Settings
    from lookalike.recipe import Recipe
    from lookalike.tuning.sample import Sample

__all__ = ["Cost", "Estimate", "estimate_costs"]


def estimate_costs(items: Any, *, sample_size: int = 500, **settings: Unpack[Settings]) -> Estimate:  # noqa: ANN401 - whatever holds items
    """Estimate from a sample of the items what each banding would cost, and so choose the cheapest.

    So many items are drawn, and compared with all the others: sets exactly, vectors with as many as 131,072 of the
    others, in single precision. The other arguments are those of `find_pairs`.

    >>> estimate_costs(["the cat sat on the mat", "a dog", "the cat sat"], shingle="words:2").bins[4].pairs
    1.0
    """
    check_count("sample_size", sample_size)
    settings, _ = with_recipe(settings)
    if settings.get("bands") is not None or settings.get("rows") is not None:
        raise RecipeError("An estimate chooses `bands` and `rows`. Leave them out, and ask its `cost` about others")
    recall = settings.get("recall", 0.99)
    check_recall(recall)
    with Run({**settings, "recall": 1.0}, items) as run:
        asked = run.asked.recipe
        if not asked.measure.takes_bits:  # how many there are is known when they are read
            slot_at(asked.measure, asked.threshold, recall)
        collected = collect(run, searched=False)
        recipe, count = collected.items.recipe, collected.items.count
        slot_at(recipe.measure, recipe.threshold, recall)
        sample, drawn = take_sample(collected, recipe, sample_size)
        costs = collected.items.costs(drawn, sample.compared)
    bandings = estimated_bandings(recipe, recall)
    return Estimate(
        items=count,
        compared=sample.compared,
        sampled=len(sample),
        shingles=costs.mean_size,
        measure=recipe.measure,
        threshold=recipe.threshold,
        recall=recall,
        exact_seconds=costs.exact,
        bins=sample.bins(recipe.measure),
        costs=tuple(cost_of(banding, sample, costs, count) for banding in bandings),
        _sample=sample,
        _costs=costs,
        notes=tuple(notes_on(run.sources)),
    )


def take_sample(collected: Collected, recipe: Recipe, size: int) -> tuple[Sample, NDArray[np.int32]]:
    """Compare so many items with the others; return also which."""
    originals = collected.compared.originals
    if not len(originals):
        raise InputError("There is nothing to sample: no item has a shingle. Leave the sample out")
    random = np.random.default_rng(recipe.seed)
    items = np.sort(random.choice(originals, min(size, len(originals)), replace=False))
    tally = Tally(len(items), recipe)
    others = collected.items.compare_sample(items, originals, tally, random)
    return tally.sample(len(originals), others), items


def estimated_bandings(recipe: Recipe, recall: float) -> Iterable[Banding]:
    """Return the bandings to choose from, as a run does."""
    if recipe.measure.unrelated_slot is not None:
        return sampled_bandings(recipe, recall)
    return short_bandings(
        recipe.measure.slot_chance(recipe.threshold, recipe.threshold), recall, FALSE_CANDIDATES, MAX_ROWS
    )
