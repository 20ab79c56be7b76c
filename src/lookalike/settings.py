"""Settings that come from a recipe: a file, a dict, or that of an earlier run.

A recipe is written with the names of options, in TOML or JSON, and so is what `--json` prints of a run. Names may also
be those of flags: exact-copies, or strip-accents. The JSON of `Recipe.to_json` is read as well. Nothing in a recipe is
ignored: a name that is no option is refused, and so is an argument that says something else.
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

NEGATIVES = {option.negative[2:].replace("-", "_"): option.name for option in OPTIONS if option.negative}
"""Options by the names of the flags that turn them off, such as strip_accents."""

RESULTS = frozenset({"bytes", "queries", "slots", "signature_bytes", "similarity", "is_pair"})
"""Keys of what commands print that is not about a run."""

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


def read_recipe(recipe: object, own: Iterable[str] = (), names: Iterable[str] = NAMES) -> dict[str, Any]:
    """Return the settings of a recipe, by their names.

    `names` are the options that it may set here; `own` are the arguments that only this function has.
    """
    known = (*names, *own)
    if isinstance(recipe, Recipe):
        return recipe.settings()
    if isinstance(recipe, (str, Path)):
        return settings_in(load(Path(recipe)), known)
    if isinstance(recipe, Mapping):
        return settings_in(recipe, known)
    raise RecipeError(f"`recipe` must be a Recipe, a dict, or the path of a JSON or TOML file. Got {recipe!r}")


def load(path: Path) -> Mapping[str, Any]:
    """Return what a file holds, in JSON or TOML."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        is_json = text.lstrip().startswith(("{", "[")) and path.suffix != ".toml"
        found = json.loads(text, object_pairs_hook=without_repetition) if is_json else tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Check the name") from error
    except ValueError as error:  # of either format, and of UTF-8
        raise RecipeError(f"{path} is not a recipe in JSON or TOML: {error}") from error
    if not isinstance(found, Mapping):
        raise RecipeError(f"{path} is not a recipe: it must be an object with the names of options as keys")
    return found


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of a JSON object; raise if a key is there twice, as TOML does."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"it has the key {name!r} twice")
        found[name] = value
    return found


def settings_in(values: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that a recipe holds, each checked; a null is the same as none."""
    if isinstance(values.get("recipe"), Mapping):  # a run, as --json prints it
        recipe, options = values["recipe"], values.get("options")
        return settings_in(recipe, known) | settings_in(options if isinstance(options, Mapping) else {}, known)
    if "shingling" in values:
        return Recipe.from_json(json.dumps(values)).settings()
    refuse_results(values)
    found: dict[str, Any] = {}
    for typed, value in without_version(values).items():
        name, turns_off = meant(typed, known)
        if name in found:
            raise RecipeError(f"The recipe has `{name}` twice: {typed!r} means it too. Leave one of them out")
        if value is None:
            continue
        if not fits(name, value):
            shown = repr(typed) if turns_off else f"`{name}`"
            raise RecipeError(f"{shown} in the recipe must be {expected(name)}. Got {value!r}")
        found[name] = not value if turns_off else alone(value)
    return found


def refuse_results(values: Mapping[str, Any]) -> None:
    """Raise if this is what a command prints about an index, a banding or two items: it may name a few options too."""
    if found := next((name for name in values if name in RESULTS), None):
        raise RecipeError(
            f"This JSON holds results, such as {found!r}, but no recipe of a run. Give what `--json` prints of dedup, "
            "pairs, nearest or trace, or a file with options by their names"
        )


def meant(typed: str, known: tuple[str, ...]) -> tuple[str, bool]:
    """Return the option that a name in a recipe means, and whether the name is that of the flag that turns it off.

    >>> meant("strip-accents", ("accents",))
    ('accents', True)
    """
    name = str(typed).replace("-", "_")
    option, turns_off = NEGATIVES.get(name, name), name in NEGATIVES
    if option not in known:
        elsewhere = turns_off or name in NAMES or name in OWN
        hint = all_names(known) if elsewhere else nearest_name(name, known)
        raise RecipeError(f"The recipe has {typed!r}, which is not an option here{hint}")
    return option, turns_off


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


def nearest_name(name: str, known: tuple[str, ...]) -> str:
    """Return the end of a message about an unknown name: the one that was probably meant, or all of them."""
    reverses = [reverse for reverse, option in NEGATIVES.items() if option in known]
    close = difflib.get_close_matches(name.lower().lstrip("_"), [*known, *reverses], 1)
    return f"; did you mean {close[0]!r}?" if close else all_names(known)


def all_names(known: tuple[str, ...]) -> str:
    """Return the end of a message that lists the options."""
    return f". The options are {', '.join(known)}"


def fits(name: str, value: object) -> bool:
    """Return whether a value is of the type of an option, as far as JSON and TOML have it."""
    kind = type_of(name)
    if isinstance(value, list):
        return list[str] in get_args(kind) and all(isinstance(one, str) for one in value)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, bool)
    return isinstance(value, str) or (bool in get_args(kind) and isinstance(value, bool))


def type_of(name: str) -> Any:  # noqa: ANN401 - a type, or a union of them
    """Return the type of an option."""
    return type(OWN[name]) if name in OWN else option(name).type


def expected(name: str) -> str:
    """Return what values `fits` takes, for messages.

    >>> expected("threshold"), expected("bands"), expected("text")
    ('a number', 'a whole number', 'text or a list of texts')
    """
    kind = type_of(name)
    if list[str] in get_args(kind):
        return "text or a list of texts"
    if bool in get_args(kind):
        return "text, true or false"
    return {float: "a number", int: "a whole number", bool: "true or false"}.get(kind, "text")


def refuse_contradiction(recipe: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise where an argument says something else than the recipe."""
    for name, value in given.items():
        if name not in recipe or recipe[name] == value:
            continue
        if isinstance(value, bool) and isinstance(recipe[name], bool):  # a switch, which has a flag for each value
            has = f"{name} = {str(recipe[name]).lower()}"
            raise RecipeError(f"`{name}={value}` contradicts the recipe, which has {has}. Leave one of them out")
        raise RecipeError(f"`{name}` is {value!r}, but the recipe has {recipe[name]!r}. Leave one of them out")
    for one, others in ((RECALL, BANDING), *((name, (RECALL,)) for name in BANDING)):
        for other in others:
            if one in given and other in recipe and one not in recipe:
                raise RecipeError(f"`{one}` contradicts the recipe, which has `{other}`. Leave one of them out")
