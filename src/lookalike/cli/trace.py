"""lookalike trace: show how a small collection becomes signatures, bands, buckets and candidates."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


class Part(StrEnum):
    """What of a trace is printed."""

    MATRIX = "matrix"
    SIGNATURES = "signatures"
    FIRSTS = "firsts"
    STEPS = "steps"
    ESTIMATES = "estimates"
    BANDS = "bands"
    BUCKETS = "buckets"
    CANDIDATES = "candidates"
    PAIRS = "pairs"
    MISSED = "missed"


WITHOUT = {
    Part.FIRSTS: "is for sets, of which a slot is an element",
    Part.STEPS: "is for signatures that are made with `hash_functions`",
}
"""Why there may be none of a part."""


@options.with_settings(options.recipe, options.reading)
def trace(
    inputs: options.Inputs,
    show: Annotated[
        list[Part] | None,
        typer.Option(help="What to print, instead of an overview. Repeat the option for several parts."),
    ] = None,
    hash_functions: Annotated[
        list[str] | None,
        typer.Option(
            "--hash",
            metavar="FORMULA",
            help="Make signatures of sets by hand, with this function of the number of a row: '3x+1 mod 5'. Repeat the "
            "option for more slots.",
        ),
    ] = None,
    first_row: Annotated[int, typer.Option(help="Number of the first row of the characteristic matrix.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Output file for the S-curve with the pairs: .svg, .png, .pdf.")
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print all parts as JSON.")] = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Show how up to 500 items become shingles, signatures, bands, buckets, candidates and pairs.

    This is for learning and for looking closely: other commands do the same, and keep less of it.

    \b
    Examples:
      lookalike trace few.txt --lines --shingle words:2 --threshold 0.5
      lookalike trace few.txt --lines --show matrix --show firsts --bands 5 --rows 2
      lookalike trace baskets.csv --item customer --element product --hash 'x+1 mod 5' --hash '3x+1 mod 5' --show steps

    In Python: lookalike.trace(items).signatures
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    import json as jsons

    from lookalike.cli.session import Session
    from lookalike.cli.tune import check_plot
    from lookalike.errors import RecipeError
    from lookalike.tracing import trace as trace_items

    files = [Path(path) for path in inputs]
    if plot is not None:
        check_plot(plot, files, force=force)
    with Session(quiet=quiet, as_json=json):
        found = trace_items(files, hash_functions=hash_functions, first_row=first_row, **settings)
    if plot is not None:
        found.plot(plot)
    if json:
        typer.echo(jsons.dumps(found.to_dict(), indent=2, default=str))
        return
    for number, part in enumerate(show or []):
        table = getattr(found, part.value)
        if table is None:
            raise RecipeError(f"`show` {part.value} {WITHOUT[part]}. Leave it out")
        typer.echo(f"{'' if number == 0 else chr(10)}{table!r}")
    if not show:
        typer.echo(repr(found))
