"""Find similar items among many: documents, sets, vectors; verified, with the recall you ask for.

    find_pairs    which of these resemble each other?
    deduplicate   keep one of each
    nearest       what is most similar to each?
    compare       how similar are these two, and why?
    trace         signatures, bands, buckets and candidates of a small collection, to look at
    tune          bands and rows from threshold and recall
    Index         has anything like this been seen before? On disk, for services and daily use
    read_items    the items of files, frames and lists, as the others read them

`estimate_costs` says what bands and rows cost a given collection; `balance` chooses them by weights of errors.

Everything loads when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it: importing `typing` takes longer than everything else here

if TYPE_CHECKING:
    from lookalike.comparison import Comparison, SetComparison, TextComparison
    from lookalike.errors import (
        IndexLockedError,
        InputError,
        LookalikeError,
        MissingExtraError,
        OutputError,
        RecipeError,
    )
    from lookalike.estimate import Estimate, estimate_costs
    from lookalike.explain import compare
    from lookalike.features.shingling import Shingling
    from lookalike.index import Added, Index, Match, Matches
    from lookalike.lsh.banding import Banding
    from lookalike.measures import Measure
    from lookalike.pipeline import deduplicate, find_pairs, nearest
    from lookalike.read import Items, read_items
    from lookalike.recipe import Recipe
    from lookalike.results import Clusters, Deduplicated, Nearest, Pairs
    from lookalike.summary import Summary
    from lookalike.tracing import Trace, trace
    from lookalike.tuning.recall import Measured
    from lookalike.tuning.tune import balance, tune

__version__ = "0.1.0"

__all__ = [
    "Added",
    "Banding",
    "Clusters",
    "Comparison",
    "Deduplicated",
    "Estimate",
    "Index",
    "IndexLockedError",
    "InputError",
    "Items",
    "LookalikeError",
    "Match",
    "Matches",
    "Measure",
    "Measured",
    "MissingExtraError",
    "Nearest",
    "OutputError",
    "Pairs",
    "Recipe",
    "RecipeError",
    "SetComparison",
    "Shingling",
    "Summary",
    "TextComparison",
    "Trace",
    "balance",
    "compare",
    "deduplicate",
    "estimate_costs",
    "find_pairs",
    "nearest",
    "read_items",
    "trace",
    "tune",
]

_HOMES = {
    "comparison": ("Comparison", "SetComparison", "TextComparison"),
    "errors": ("IndexLockedError", "InputError", "LookalikeError", "MissingExtraError", "OutputError", "RecipeError"),
    "estimate": ("Estimate", "estimate_costs"),
    "explain": ("compare",),
    "features.shingling": ("Shingling",),
    "index": ("Added", "Index", "Match", "Matches"),
    "lsh.banding": ("Banding",),
    "measures": ("Measure",),
    "pipeline": ("deduplicate", "find_pairs", "nearest"),
    "read": ("Items", "read_items"),
    "recipe": ("Recipe",),
    "results": ("Clusters", "Deduplicated", "Nearest", "Pairs"),
    "tracing": ("Trace", "trace"),
    "summary": ("Summary",),
    "tuning.recall": ("Measured",),
    "tuning.tune": ("balance", "tune"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - see TYPE_CHECKING

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
