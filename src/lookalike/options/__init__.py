"""Options: every one declared once, with its name, type, default, help and group.

    base       what an option is
    table      `OPTIONS`, all of them
    settings   `Settings`, the same as keyword arguments, for type checkers

The command-line flags, the names and defaults of keyword arguments, and the tables of the generated reference all
follow from the table. Importing this package loads nothing heavy: `lookalike --help` needs it.
"""

from __future__ import annotations

from typing import Literal, cast

from lookalike.checks import plain_number
from lookalike.errors import RecipeError

from .base import Cluster, EncodingErrors, Form, Group, HasSettings, Option, RecipeSource, Sketch
from .settings import DirectSettings, Settings
from .table import CLUSTERING, OPTIONS

__all__ = [
    "AGAINST",
    "CLUSTERING",
    "OPTIONS",
    "READING",
    "RECIPE",
    "SWITCHES",
    "Cluster",
    "DirectSettings",
    "EncodingErrors",
    "Form",
    "Group",
    "HasSettings",
    "Option",
    "RecipeSource",
    "Settings",
    "Sketch",
    "check_names",
    "names",
    "option",
    "plain",
    "whole_number",
]

_BY_NAME = {option.name: option for option in (*OPTIONS, *CLUSTERING)}


def option(name: str) -> Option:
    """Return the option with a name.

    >>> option("recall").default
    0.99
    """
    return _BY_NAME[name]


def names(*groups: Group) -> tuple[str, ...]:
    """Return the names of all options in some groups.

    >>> names("banding")
    ('bands', 'rows', 'sketch', 'seed')
    """
    return tuple(option.name for option in OPTIONS if option.group in groups)


RECIPE = names("similarity", "shingling", "banding")
"""Options that decide which pairs are found."""

SWITCHES = tuple(name for name in names("shingling") if name != "shingle")
"""Options that change how the shingles of a text are made."""

READING = names("reading")
"""Options that decide how items are read."""

AGAINST = names("against")
"""Options that decide how the items of `against` are read, where that differs."""


def plain(settings: Settings) -> Settings:
    """Return settings with NumPy numbers converted to Python numbers."""
    return cast("Settings", {name: plain_number(value) for name, value in settings.items()})


def whole_number(name: Literal["measure_recall", "examples"], settings: Settings) -> int:
    """Return a setting that must be a whole number, or its default."""
    value = settings.get(name, option(name).default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecipeError(f"`{name}` must be a whole number, at least 0. Got {value!r}")
    return value


def check_names(settings: Settings) -> None:
    """Raise if there is no option of a given name."""
    known = [option.name for option in OPTIONS]
    if unknown := set(settings) - set(known):
        name = min(unknown)
        if name in _BY_NAME:
            raise TypeError(f"`{name}` is an option of deduplicate only")
        raise TypeError(f"unknown option {name!r}; the options are {', '.join(known)}")
