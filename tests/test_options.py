"""The table of options: complete, agreeing with the types that checkers see, and shown by every command."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from support.run_cli import done, quiet_environment
from typer.main import get_command

from lookalike import RecipeError, Shingling, deduplicate, find_pairs, recipe
from lookalike.cli.app import app
from lookalike.cli.flags import flags_of
from lookalike.measures import all_names
from lookalike.options import (
    AGAINST,
    CLUSTERING,
    OPTIONS,
    READING,
    RECIPE,
    SWITCHES,
    Cluster,
    Group,
    Option,
    Settings,
    names,
    option,
)
from lookalike.read.formats import format_names
from lookalike.read.options import Options
from lookalike.settings import OWN

COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]  # it is a group
RUNS = ("dedup", "pairs", "nearest")


def by_name(one: Option) -> str:
    return one.name


def accepts(one: Option, value: object) -> bool:
    """Return whether a value is of an option's type."""
    if get_origin(one.type) is Literal:
        return value in get_args(one.type)
    return isinstance(value, one.type)


def test_settings_are_the_table() -> None:
    assert list(Settings.__annotations__) == [one.name for one in OPTIONS]
    types = {one.name: one.type if one.default is not None else Union[one.type, None] for one in OPTIONS}  # noqa: UP007 - of any type
    assert get_type_hints(Settings) == types


def test_the_command_line_offers_the_measures_that_are_registered() -> None:
    assert f"--measure <{'|'.join(all_names())}>" in done("pairs", "--help").out


def test_deduplicate_has_the_options_of_clusters() -> None:
    hints, flags = (
        get_type_hints(deduplicate, localns={"Cluster": Cluster, "Settings": Settings}),
        flags_of(COMMANDS["dedup"]),
    )
    for one in CLUSTERING:
        assert inspect.signature(deduplicate).parameters[one.name].default is None  # a recipe may set it
        assert OWN[one.name] == one.default
        assert hints[one.name] == Union[one.type, None]  # noqa: UP007 - of any type
        assert flags[one.name] == one.flag
        assert one.name not in flags_of(COMMANDS["pairs"])
        with pytest.raises(TypeError, match=f"`{one.name}` is an option of deduplicate only"):
            find_pairs([], **{one.name: one.default})
    with pytest.raises(RecipeError, match=r"`cluster` must be star or chain\. Got 'tree'"):
        deduplicate([], cluster="tree")  # type: ignore[arg-type]


@pytest.mark.parametrize("one", [*OPTIONS, *CLUSTERING], ids=by_name)
def test_each_option_is_complete(one: Option) -> None:
    assert one.default is None or accepts(one, one.default)
    assert one.help.endswith(".")
    assert "--" not in one.help + one.default_help
    assert not one.negative or one.type is bool


def test_names_are_unique_and_groups_are_used() -> None:
    assert len({one.name for one in OPTIONS}) == len(OPTIONS)
    assert {one.group for one in (*OPTIONS, *CLUSTERING)} == set(get_args(Group))
    rest = (names("copies"), READING, AGAINST, names("running"), names("checking"), names("repeating"))
    groups = (RECIPE, *rest)
    assert [name for group in groups for name in group] == [one.name for one in OPTIONS]
    assert SWITCHES == ("bag", "lower", "form", "accents", "punctuation")
    with pytest.raises(KeyError):
        option("treshold")


def test_defaults_are_those_of_the_objects_they_fill() -> None:
    for name in SWITCHES:
        usual = option(name).default
        assert usual is None or usual == getattr(Shingling(), name)
    for name in READING:
        assert getattr(Options(), name) == option(name).default
    for name in ("threshold", "sketch", "seed"):
        assert getattr(recipe.Recipe(), name) == option(name).default


@pytest.mark.parametrize("command", RUNS)
@pytest.mark.parametrize("one", OPTIONS, ids=by_name)
def test_commands_have_every_option(command: str, one: Option) -> None:
    parameters = {parameter.name: parameter for parameter in COMMANDS[command].params}
    without_copies = command == "nearest" and one.group == "copies"
    without_against = one.group == "against" and "against" not in parameters
    if not one.on_command_line or without_copies or without_against:
        assert one.name not in parameters
        return
    found = parameters[one.name]
    flags = [*found.opts, *found.secondary_opts]
    assert sorted(flags) == sorted(filter(None, (one.flag, one.short, one.negative)))
    assert found.default == (None if one.default_help else one.default)
    assert "`" not in found.help
    if (command, one.name) != ("nearest", "threshold"):  # which lists any item
        assert one.default_help in found.help


def test_help_lists_the_choices() -> None:
    shown = done("pairs", "--help").out
    for one in OPTIONS:
        if get_origin(one.type) is Literal:
            assert f"{one.flag} <{'|'.join(get_args(one.type))}>" in shown


def test_flags_of_a_command_are_those_of_the_table() -> None:
    flags = flags_of(COMMANDS["pairs"])
    assert {one.name: one.flag for one in OPTIONS if one.on_command_line}.items() <= flags.items()
    assert flags["output"] == "--output"
    assert flags_of(COMMANDS["nearest"])["k"] == "-k"
    assert "inputs" not in flags


def test_the_table_loads_nothing_heavy() -> None:
    code = "import sys, lookalike.options; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env=quiet_environment(), capture_output=True, text=True, check=True
    )
    assert not {"numpy", "numba", "pyarrow", "typer", "rich"} & set(ended.stdout.split())


def test_the_formats_are_those_that_are_registered() -> None:
    listed = option("format").help.split(":")[1].split(". ")[0]
    assert all(name in listed for name in format_names())
    with pytest.raises(RecipeError, match="`format` must be one of parquet, jsonl, tsv, csv, npy, text, lines"):
        Options(format="excel")
    with pytest.raises(RecipeError, match="`lines` means the format lines, but `format` is csv"):
        Options(format="csv", lines=True)
    assert Options(format="lines", lines=True).lines
