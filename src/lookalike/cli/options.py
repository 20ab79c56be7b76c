"""Options that several subcommands share.

Those that are settings of a run stand here once, as the parameters of a function for each group; `with_settings`
gives them to a command, which gets them as keyword arguments.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer
from typer.core import TyperCommand

from lookalike.features.shingling import Form
from lookalike.measures import Name
from lookalike.recipe import Sketch

Command = Callable[..., None]

SAMPLED = 200
"""Items to sample where no number is given."""

NUMBER = re.compile(r"[+-]?\d[\d.,]*")

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Parquet, JSON Lines (.jsonl, .ndjson, also .gz or .zst), CSV or TSV files, folders, globs, or - for "
        "standard input. Files are read in the order of their names.",
    ),
]
EncodingErrors = Annotated[
    Literal["strict", "replace"], typer.Option(help="Stop at text that is not UTF-8, or replace what is wrong.")
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where a page about the run goes, with plots and examples: .html.")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output.")]


def recipe(
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", "-t", help="Least similarity of a pair, or most distance. [default: 0.8]"),
    ] = None,
    measure: Annotated[
        Name | None,
        typer.Option(
            help="Of sets: what is shared over all that either has (jaccard), the mean size (dice), its geometric mean "
            "(cosine), the smaller one (overlap) or the left one (containment). Of vectors: cosine; euclidean; "
            "agreement, the share of close features. Of bits: hamming. [default: jaccard, or cosine of vectors]"
        ),
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="By how much a feature may differ to be close, for agreement.")
    ] = None,
    recall: Annotated[
        float, typer.Option(help="Chance of a pair exactly at the threshold to be found; 1 for an exact search.")
    ] = 0.99,
    shingle: Annotated[
        str | None,
        typer.Option(
            help="words:n, chars:k, bytes:k, tokens:n, elements of sets, or weights. [default: words:5, elements of "
            "lists, weights of maps]"
        ),
    ] = None,
    bag: Annotated[bool, typer.Option("--bag", help="Count a repeated shingle as another one.")] = False,
    lower: Annotated[
        bool | None, typer.Option("--lower/--keep-case", help="Lower-case letters. [default: for words]")
    ] = None,
    form: Annotated[Form | None, typer.Option(help="Unicode form to bring texts to.")] = None,
    accents: Annotated[bool, typer.Option("--accents/--strip-accents", help="Keep accents, or strip them.")] = True,
    punctuation: Annotated[
        bool | None,
        typer.Option("--punctuation/--no-punctuation", help="Let punctuation count. [default: for chars]"),
    ] = None,
    bands: Annotated[int | None, typer.Option(help="Number of bands, with --rows, instead of --recall.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of a band, with --bands.")] = None,
    sketch: Annotated[Sketch, typer.Option(help="How to sign; classic is the textbook's MinHash.")] = "fast",
    seed: Annotated[int, typer.Option(help="Seed of the sketch.")] = 1,
) -> None:
    """Hold the options that decide which pairs are found."""


def reading(
    text: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column to compare. [default: text, content, body, or the only one of strings]"
        ),
    ] = None,
    id: Annotated[  # noqa: A002 - the option is called so
        str | None, typer.Option(metavar="COLUMN", help="Column that names items. [default: file and row]")
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of a long table that says whose an element is, with --element."),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of a long table, a row for each element of each set."),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of a long table with the weights of elements, added up."),
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Find similar elements instead, by the items that have them.")
    ] = False,
    lines: Annotated[bool, typer.Option("--lines", help="Text files have an item a line.")] = False,
    encoding_errors: EncodingErrors = "strict",
    threads: Annotated[int | None, typer.Option(help="Threads to use. [default: one a core]")] = None,
    scratch: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where temporary columns go. [default: the system's]")
    ] = None,
) -> None:
    """Hold the options that decide how items are read and worked on."""


def checking(
    measure_recall: Annotated[
        int,
        typer.Option(
            metavar="[N]",
            help="Find all pairs of N random items by an exact scan, and say how many of them the run has found; "
            f"{SAMPLED} items without a number.",
            show_default=False,
        ),
    ] = 0,
) -> None:
    """Hold the options that check what was found."""


class Subcommand(TyperCommand):
    """A command some of whose options need no value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - the context of whichever Click Typer has
        """Parse arguments, after giving those options a value that have none."""
        return super().parse_args(ctx, list(with_value(args, "--measure-recall", str(SAMPLED))))


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


def with_settings(*groups: Command) -> Callable[[Command], Command]:
    """Give a command the parameters of `groups` for its ``**settings``; those left at None are not passed on.

    A parameter that the command has itself is its own.
    """

    def extend(command: Command) -> Command:
        own = [p for p in inspect.signature(command).parameters.values() if p.kind is not p.VAR_KEYWORD]
        owned = {p.name for p in own}
        shared = [p for group in groups for p in inspect.signature(group).parameters.values() if p.name not in owned]
        hints = {
            name: hint for f in (*groups, command) for name, hint in get_type_hints(f, include_extras=True).items()
        }
        parameters = [
            p.replace(kind=p.KEYWORD_ONLY, annotation=hints[p.name]) for p in sorted([*own, *shared], key=has_default)
        ]

        @wraps(command)
        def run(**arguments: Any) -> None:  # noqa: ANN401 - the options
            names = {p.name for p in shared}
            command(**{name: value for name, value in arguments.items() if value is not None or name not in names})

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what Typer looks at
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return extend


def has_default(parameter: inspect.Parameter) -> bool:
    """Tell whether a parameter may be left out."""
    return parameter.default is not inspect.Parameter.empty
