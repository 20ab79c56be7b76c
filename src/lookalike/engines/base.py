"""What an engine is: a place where a recipe is carried out, with the same answers everywhere.

An engine is a module that offers `find_pairs`, `deduplicate` and `nearest` with the same settings and results. It has
its own way of collecting items, searching and clustering; the recipe, the plan, the kinds and the measures are shared.
`tests/conformance` runs over every engine named here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from lookalike.errors import RecipeError
from lookalike.measures import one_of

if TYPE_CHECKING:
    from lookalike.options import Cluster
    from lookalike.results import Deduplicated, Nearest, Pairs

ENGINES = {"local": "lookalike.pipeline"}
"""The module of each engine, by name."""


class Engine(Protocol):
    """The operations of an engine."""

    def find_pairs(self, items: Any, *, against: Any = None, **settings: Any) -> Pairs:  # noqa: ANN401 - any items
        """Find all pairs of similar items."""

    def deduplicate(
        self,
        items: Any,  # noqa: ANN401 - any items
        *,
        keep: str | None = None,
        cluster: Cluster | None = None,
        **settings: Any,  # noqa: ANN401
    ) -> Deduplicated:
        """Keep one item of each cluster of similar items."""

    def nearest(self, items: Any, k: int | None = None, *, against: Any = None, **settings: Any) -> Nearest:  # noqa: ANN401
        """Find the k most similar others of each item."""


def engine_named(name: str) -> Engine:
    """Return the engine of a name.

    >>> engine_named("local").deduplicate(["a b c d e f", "A b c d e f!"]).kept
    ['a b c d e f']
    """
    if name not in ENGINES:
        raise RecipeError(f"`engine` must be {one_of(ENGINES)}. Got {name!r}")
    return cast("Engine", import_module(ENGINES[name]))
