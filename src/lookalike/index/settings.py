"""Settings of an index: its recipe, its fields, and how long to wait for another writer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lookalike.checks import check_number, plain_number
from lookalike.errors import RecipeError
from lookalike.kinds import kind_of
from lookalike.options import RECIPE, DirectSettings, RecipeSource, Settings
from lookalike.plan import DEFAULT_KIND, kind_asked, lasting_recipe
from lookalike.recipe import Recipe
from lookalike.settings import with_recipe


def choose_recipe(recipe: RecipeSource | None, settings: DirectSettings) -> Recipe:
    """Return the recipe of a new index, or the one that settings and a file or a dict of them describe."""
    if recipe is not None and not isinstance(recipe, Recipe):
        settings, recipe = with_recipe({**settings, "recipe": recipe})[0], None
    given = settings.keys() - {"threads"}
    if unknown := given - {*RECIPE}:
        raise TypeError(f"{min(unknown)!r} is not a setting of an index")
    if recipe is not None and given:
        raise RecipeError("Pass either a recipe or settings, not both")
    asked = cast("Settings", settings)
    return recipe or lasting_recipe(asked, kind_asked(asked) or DEFAULT_KIND)


def check_fields(fields: Sequence[str], recipe: Recipe) -> None:
    """Raise unless `fields` are distinct names that the index does not use itself."""
    own = ("id", kind_of(recipe).column, "query", recipe.measure.column)
    if isinstance(fields, str) or not isinstance(fields, Sequence) or not all(map(is_name, fields)):
        raise RecipeError(f"`fields` must be a list of names. Got {fields!r}")
    if set(own) & set(fields) or len(set(fields)) < len(fields):
        raise RecipeError(
            f"`fields` must be distinct names other than {', '.join(own)}, which an index has anyway. "
            f"Got {', '.join(fields)}"
        )


def is_name(name: object) -> bool:
    """Return whether a value is a valid column name."""
    return isinstance(name, str) and bool(name) and name.isprintable()


def check_timeout(timeout: float) -> float:
    """Return how many seconds to wait; raise unless it is a number of at least 0."""
    timeout = plain_number(timeout)
    check_number("timeout", timeout)
    if not timeout >= 0:
        raise RecipeError(f"`timeout` must be a number of seconds, at least 0. Got {timeout!r}")
    return timeout
