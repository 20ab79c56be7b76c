"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Parquet, JSON Lines (.jsonl, .ndjson, also .gz or .zst), CSV or TSV files, folders, globs, or - for "
        "standard input. Files are read in the order of their names.",
    ),
]
Threshold = Annotated[float, typer.Option("--threshold", "-t", help="Least Jaccard similarity of a pair.")]
Recall = Annotated[float, typer.Option(help="Chance of a pair exactly at the threshold to be found.")]
Shingle = Annotated[str, typer.Option(help="words:n, chars:k, bytes:k or tokens:n.")]
Bag = Annotated[bool, typer.Option("--bag", help="Count a repeated shingle as another one.")]
Lower = Annotated[bool | None, typer.Option("--lower/--keep-case", help="Lower-case letters. [default: for words]")]
Form = Annotated[str | None, typer.Option(help="Unicode form to bring texts to: NFC, NFD, NFKC or NFKD.")]
Accents = Annotated[bool, typer.Option("--accents/--strip-accents", help="Keep accents, or strip them.")]
Punctuation = Annotated[
    bool | None,
    typer.Option("--punctuation/--no-punctuation", help="Let punctuation count. [default: for chars]"),
]
Bands = Annotated[int | None, typer.Option(help="Number of bands, with --rows, instead of --recall.")]
Rows = Annotated[int | None, typer.Option(help="Rows of a band, with --bands.")]
Sketch = Annotated[str, typer.Option(help="fast, or classic for the textbook's MinHash.")]
Seed = Annotated[int, typer.Option(help="Seed of the sketch.")]
Text = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column to compare. [default: text, content, body, or the only one of strings]"),
]
Id = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column that names items. [default: file and row]")]
Lines = Annotated[bool, typer.Option("--lines", help="Text files have an item a line.")]
EncodingErrors = Annotated[
    str, typer.Option(metavar="strict|replace", help="Stop at text that is not UTF-8, or replace what is wrong.")
]
Threads = Annotated[int | None, typer.Option(help="Threads to use. [default: one a core]")]
ScratchFolder = Annotated[
    Path | None, typer.Option("--scratch", metavar="FOLDER", help="Where temporary columns go. [default: the system's]")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output.")]

NOT_SETTINGS = ("inputs", "output", "against", "clusters", "removed", "keep", "force", "quiet", "json", "one", "two", "full")
"""Options of commands that are not settings of a run."""


def settings_of(context: typer.Context) -> dict[str, Any]:
    """Return the options of a command that are settings of a run; those left at None follow from others."""
    from lookalike.errors import RecipeError  # noqa: PLC0415

    settings = {name: value for name, value in context.params.items() if name not in NOT_SETTINGS and value is not None}
    if (errors := settings.get("encoding_errors", "strict")) not in ("strict", "replace"):
        raise RecipeError(f"`--encoding-errors` must be strict or replace. Got {errors!r}")
    return settings
