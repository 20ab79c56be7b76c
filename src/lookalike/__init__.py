"""Find similar items among many: near-duplicate documents, verified, with the recall you ask for.

    find_pairs    which of these resemble each other?
    deduplicate   keep one of each
    compare       how similar are these two, and why?
    tune          bands and rows from threshold and recall

Names load when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.compare import Comparison as Comparison
    from lookalike.compare import compare as compare
    from lookalike.errors import InputError as InputError
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.errors import MissingExtraError as MissingExtraError
    from lookalike.errors import OutputError as OutputError
    from lookalike.errors import RecipeError as RecipeError
    from lookalike.pipeline import deduplicate as deduplicate
    from lookalike.pipeline import find_pairs as find_pairs
    from lookalike.recipe import Banding as Banding
    from lookalike.recipe import Recipe as Recipe
    from lookalike.recipe import Shingling as Shingling
    from lookalike.results import Clusters as Clusters
    from lookalike.results import Deduplicated as Deduplicated
    from lookalike.results import Pairs as Pairs
    from lookalike.results import Summary as Summary
    from lookalike.tune import tune as tune

__version__ = "0.1.0"

_HOMES = {
    "compare": ("Comparison", "compare"),
    "errors": ("InputError", "LookalikeError", "MissingExtraError", "OutputError", "RecipeError"),
    "pipeline": ("deduplicate", "find_pairs"),
    "recipe": ("Banding", "Recipe", "Shingling"),
    "results": ("Clusters", "Deduplicated", "Pairs", "Summary"),
    "tune": ("tune",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605 - the public names, from the table above


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
