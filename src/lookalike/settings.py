"""Settings that come from a recipe: a file, a dict, or that of an earlier run.

A recipe is written with the names of options, in TOML or JSON, and so is what `--json` prints of a run. The JSON of
`Recipe.to_json` is read as well. Nothing in a recipe is ignored: a name that is no option is refused, and so is an
argument that says something else.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from lookalike.errors import InputError, RecipeError
from lookalike.options import CLUSTERING, OPTIONS, option
from lookalike.recipe import FORMAT, Recipe

if TYPE_CHECKING:
    from lookalike.options import Settings

NAMES = tuple(option.name for option in OPTIONS if option.on_command_line and option.name != "recipe")
"""Options that a recipe may set."""

OWN: dict[str, Any] = {**{option.name: option.default for option in CLUSTERING}, "k": 10}
"""Arguments of single functions and commands that a recipe may set, and their defaults."""

RECALL = "recall"
BANDING = ("bands", "rows")


def with_recipe(settings: Settings, **own: Any) -> tuple[Settings, dict[str, Any]]:  # noqa: ANN401 - any argument
    """Return settings with those of their `recipe`, and the function's own arguments, with defaults for None."""
    given = {name: value for name, value in settings.items() if name != "recipe"}
    recipe = settings.get("recipe")
    found = {} if recipe is None else read_recipe(recipe, own)
    refuse_contradiction(found, {name: value for name, value in {**given, **own}.items() if value is not None})
    merged = {**found, **given}
    return cast("Settings", {name: merged[name] for name in merged if name not in own}), {
        name: value if value is not None else found.get(name, OWN[name]) for name, value in own.items()
    }


def read_recipe(recipe: object, own: Iterable[str] = ()) -> dict[str, Any]:
    """Return the settings of a recipe, by their names; `own` are the arguments that only this function has."""
    if isinstance(recipe, Recipe):
        return recipe.settings()
    if isinstance(recipe, (str, Path)):
        return settings_in(load(Path(recipe)), (*NAMES, *own))
    if isinstance(recipe, Mapping):
        return settings_in(recipe, (*NAMES, *own))
    raise RecipeError(f"`recipe` must be a Recipe, a dict, or the path of a JSON or TOML file. Got {recipe!r}")


def load(path: Path) -> Mapping[str, Any]:
    """Return what a file holds, in JSON or TOML."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        found = json.loads(text) if text.lstrip().startswith(("{", "[")) and path.suffix != ".toml" else None
        found = tomllib.loads(text) if found is None else found
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Check the name") from error
    except ValueError as error:  # of either format, and of UTF-8
        raise RecipeError(f"{path} is not a recipe in JSON or TOML: {error}") from error
    if not isinstance(found, Mapping):
        raise RecipeError(f"{path} is not a recipe: it must be an object with the names of options as keys")
    return found


def settings_in(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the settings that a recipe holds, each checked; a null is the same as none."""
    if isinstance(values.get("recipe"), Mapping):  # a run, as --json prints it
        values = {**without_version(values["recipe"]), **values.get("options", {})}
    if "shingling" in values:
        return Recipe.from_json(json.dumps(values)).settings()
    given = without_version(values)
    known = tuple(names)
    for name, value in given.items():
        if name not in known:
            raise RecipeError(f"The recipe has {name!r}, which is not an option here{nearest_name(name, known)}")
        if value is not None and not fits(name, value):
            raise RecipeError(f"`{name}` has a value of another type in the recipe. Got {value!r}")
    return {name: alone(value) for name, value in given.items() if value is not None}


def alone(value: Any) -> Any:  # noqa: ANN401 - any setting
    """Return the only element of a list that has one, which means the same; any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def without_version(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe without the number of its format; raise if that is not ours. A word is a format of files."""
    found = values.get("format")
    if isinstance(found, str) or found is None:
        return dict(values)
    if found != FORMAT:
        raise RecipeError(f"This version reads recipes of format {FORMAT}. Got format {found}")
    return {name: value for name, value in values.items() if name != "format"}


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the one that was probably meant, or all of them."""
    known = tuple(known)
    close = difflib.get_close_matches(name.lower().replace("-", "_").lstrip("_"), known, 1)
    return f"; did you mean {close[0]!r}?" if close else f". The options are {', '.join(known)}"


def fits(name: str, value: object) -> bool:
    """Return whether a value is of the type of an option, as far as JSON and TOML have it."""
    kind = type(OWN[name]) if name in OWN else option(name).type
    if isinstance(value, list):
        return list[str] in get_args(kind) and all(isinstance(one, str) for one in value)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, bool)
    return isinstance(value, str) or (name == "weight" and isinstance(value, bool))


def refuse_contradiction(recipe: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise where an argument says something else than the recipe."""
    for name, value in given.items():
        if name in recipe and recipe[name] != value:
            raise RecipeError(f"`{name}` is {value!r}, but the recipe has {recipe[name]!r}. Leave one of them out")
    for one, others in ((RECALL, BANDING), *((name, (RECALL,)) for name in BANDING)):
        for other in others:
            if one in given and other in recipe and one not in recipe:
                raise RecipeError(f"`{one}` contradicts the recipe, which has `{other}`. Leave one of them out")
