"""The record of a run: what --json prints beside the numbers, so that `--recipe` can repeat the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike import __version__
from lookalike.options import AGAINST, READING, RECIPE, names
from lookalike.recipe import FORMAT
from lookalike.results import Deduplicated, Nearest, Pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

REPEATED = (*names("copies"), *READING, *AGAINST, *names("checking"), "keep", "cluster", "k")
"""Options other than those of the recipe that decide what a run returns."""


def record(
    result: Pairs | Deduplicated | Nearest, settings: Mapping[str, Any], inputs: Sequence[Path], against: Sequence[Path]
) -> dict[str, Any]:
    """Return version, inputs, recipe and other options of a run."""
    options = {**settings, **own_options(result)}
    return {
        "version": __version__,
        "inputs": [str(path) for path in inputs],
        "against": [str(path) for path in against],
        "columns": columns_of(result),
        "recipe": {"format": FORMAT, **recipe_of(result, settings)},
        "options": {name: options[name] for name in REPEATED if name in options},
        "exact": result.summary.exact,
    }


def own_options(result: Pairs | Deduplicated | Nearest) -> dict[str, Any]:
    """Return the options that only the command of this result has."""
    if isinstance(result, Deduplicated):
        return {"keep": result.keep, "cluster": result.summary.cluster}
    return {"k": result.k} if isinstance(result, Nearest) else {}


def recipe_of(result: Pairs | Deduplicated | Nearest, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that give the same result: the bands that were chosen, if any."""
    found = result.recipe.settings()
    if not isinstance(result, Nearest):
        return found
    decided = {name: settings[name] for name in RECIPE if name in settings}
    fixed = {name: value for name, value in found.items() if name not in ("threshold", "recall")}
    return {**fixed, **decided, "recall": settings.get("recall", result.summary.recall)}


def columns_of(result: Pairs | Deduplicated | Nearest) -> list[str]:
    """Return the columns that were compared."""
    sources = (result.source,) if isinstance(result, Deduplicated) else getattr(result, "sources", ())
    return sorted({source.text_column for source in sources})
