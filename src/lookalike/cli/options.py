"""Options that several commands share.

Those that are also keyword arguments of the Python API come from the table in `lookalike.options`; `with_settings` adds
a group of them to a command, which receives them as keyword arguments.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from lookalike.cli.flags import with_flags
from lookalike.errors import RecipeError
from lookalike.measures import all_names
from lookalike.options import CLUSTERING, OPTIONS, RECIPE, Option, names
from lookalike.options import option as named

Function = Callable[..., None]

NUMBER = re.compile(r"[+-]?\d[\d.,]*")
FLAGS = {option.name: option.flag for option in (*OPTIONS, *CLUSTERING) if option.on_command_line}

recipe = tuple(map(named, (*RECIPE, "recipe")))
"""Options that decide which pairs are found, one by one or from a file."""

copies = tuple(map(named, names("copies")))
"""Options that look for equal items instead."""

reading = tuple(named(name) for name in names("reading", "running") if name in FLAGS)
"""Options that decide how items are read and processed."""

against = tuple(map(named, names("against")))
"""Options that decide how the items of another collection are read."""

checking = tuple(named(name) for name in names("checking") if name in FLAGS)
"""Options that check what was found."""

clustering = CLUSTERING
"""Options that decide what is kept."""

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Parquet, JSON Lines (.jsonl, .ndjson), CSV, TSV, .npy or text files, compressed or not (.gz, .bz2, .xz, "
        ".zst, .lz4), folders, globs, or - for standard input. Files are read in the order of their names.",
    ),
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Output file for a report with plots and examples: .html.")
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of outputs whose name does not tell it, such as - or a pipe: jsonl, csv, tsv, parquet or txt; all "
        "but parquet also as .gz or .zst. [default: that of the input for rows, jsonl for anything else]",
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing output files.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress or a summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON to standard output.")]


def declared(option: Option, *, default_shown: bool = False) -> Any:  # noqa: ANN401 - as Typer declares it
    """Return the Typer declaration of an option.

    The default is part of the help where Typer cannot show it: if it depends, or if a command must know whether the
    option was given (`default_shown`).
    """
    text = with_flags(option.help, {**FLAGS, "against": "--against"})
    default = option.default_help or (str(option.default) if default_shown else "")
    notes = {"default": default, "without a number": option.implied}
    text += "".join(f" [{name}: {value}]" for name, value in notes.items() if value)
    flag = f"{option.flag}/{option.negative}" if option.negative else option.flag
    return typer.Option(
        *filter(None, (flag, option.short)), metavar=option.metavar, help=text, show_default=option.implied is None
    )


def default_of(option: Option) -> Any:  # noqa: ANN401 - of any option
    """Return the value that the command line passes on if an option is not given; None if it passes nothing."""
    return None if option.default_help else option.default


def parameter(option: Option) -> inspect.Parameter:
    """Return an option as a parameter of a command."""
    is_union = get_origin(option.type) in (Union, UnionType)
    kind: Any = get_args(option.type)[0] if is_union else option.type
    kind = list[kind] if option.several else kind
    if option.names_measure:
        kind = Literal[all_names()]
    default = default_of(option)
    kind = kind if default is not None else kind | None
    hint: Any = Annotated[kind, declared(option)]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


class Command(TyperCommand):
    """A command that refuses an option given twice, rather than take the last value in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - the context of whichever Click Typer has
        """Parse arguments."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in self.params:
            if order.count(parameter) > 1 and takes_one(parameter):
                flag = max(parameter.opts, key=len)
                raise typer.BadParameter("given more than once. Give it once", ctx=ctx, param_hint=f"'{flag}'")
        return super().parse_args(ctx, args)


class Subcommand(Command):
    """A command with an option that may be given without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - see above
        """Parse arguments, after adding the value that such an option implies."""
        for one in OPTIONS:
            if one.implied is not None:
                args = list(with_value(args, one.flag, str(one.implied)))
        return super().parse_args(ctx, args)


def takes_one(parameter: Any) -> bool:  # noqa: ANN401 - Click's own class, which Typer does not export
    """Return whether an option takes one value; a switch that cannot be contradicted may be repeated."""
    if parameter.param_type_name != "option" or parameter.multiple:
        return False
    return not parameter.is_flag or bool(parameter.secondary_opts)


def with_value(arguments: list[str], option: str, value: str) -> Iterator[str]:
    """Yield arguments, with a value after an option that is not followed by a number.

    >>> list(with_value(["--sample", "a.csv", "--sample", "7"], "--sample", "5"))
    ['--sample', '5', 'a.csv', '--sample', '7']
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for argument, following in zip(options, [*options, ""][1:], strict=True):
        yield argument
        if argument == option and not NUMBER.fullmatch(following):
            yield value
    yield from arguments[len(options) :]


def with_settings(*groups: tuple[Option, ...]) -> Callable[[Function], Function]:
    """Add the options of `groups` to a command, which receives them as ``**settings``, without those that are None.

    An option that the command declares itself is not added.
    """

    def extend(command: Function) -> Function:
        hints = get_type_hints(command, include_extras=True)
        own = [
            p.replace(kind=p.KEYWORD_ONLY, annotation=hints[p.name])
            for p in inspect.signature(command).parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        owned = {p.name for p in own}
        shared = [parameter(option) for group in groups for option in group if option.name not in owned]
        context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        parameters = [context, *sorted([*own, *shared], key=has_default)]

        @wraps(command)
        def run(context: typer.Context, **arguments: Any) -> None:  # noqa: ANN401 - the options
            from lookalike.settings import alone

            arguments = {name: value if name in owned else alone(value) for name, value in arguments.items()}
            arguments |= from_recipe(context, arguments)
            command(**{name: value for name, value in arguments.items() if value not in (None, []) or name in owned})

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what Typer reads
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return extend


def from_recipe(context: typer.Context, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a recipe sets, and none in place of the recipe."""
    if arguments.get("recipe") is None:
        return {}
    from lookalike.settings import NAMES, OWN, read_recipe, refuse_contradiction

    own, shared = ([name for name in names if name in arguments] for names in (OWN, NAMES))
    found = read_recipe(arguments["recipe"], own, shared)
    if unknown := next((name for name in found if name not in arguments), None):
        raise RecipeError(f"The recipe has {unknown!r}, which is not an option of this command. Leave it out")
    given = {name: value for name, value in arguments.items() if is_given(context, name) and name != "recipe"}
    refuse_contradiction(found, given)
    return {**found, "recipe": None}


def is_given(context: typer.Context, name: str) -> bool:
    """Return whether an option was typed, as opposed to having its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def has_default(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is optional."""
    return parameter.default is not inspect.Parameter.empty
