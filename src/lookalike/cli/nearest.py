"""lookalike nearest: list the items most similar to each item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.recipe, options.reading, options.against, options.checking)
def nearest(
    inputs: options.Inputs,
    k: Annotated[int, typer.Option("-k", help="Number of items to list per item.")] = 10,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", "-t", help="Minimum similarity (or maximum distance) of an item listed. [default: any]"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Output file for the list: .parquet, .jsonl or .csv; or - for standard output."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Search the items of this file instead. Repeat the option for several files."
        ),
    ] = None,
    output_format: options.OutputFormat = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """List the k items most similar to each item: left, right, rank, similarity.

    Without -o they are printed to standard output, separated by tabs; a terminal shows only the first ones.

    \b
    Examples:
      lookalike nearest vectors.npy -k 5 -o nearest.parquet
      lookalike nearest queries.npy --against vectors.npy --measure cosine --recall 0.95 --measure-recall
      lookalike nearest baskets.csv --item customer --element product -k 3

    In Python: lookalike.nearest(Path("vectors.npy"), k=5).to_arrow()
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    from lookalike.cli.session import RunSession
    from lookalike.pipeline import nearest as find_nearest

    if threshold is not None:
        settings["threshold"] = threshold
    wanted = {} if output is None else {"--output": output}
    with RunSession(settings, inputs, against or [], quiet=quiet, as_json=json) as session:
        session.check_outputs(wanted, force=force, output_format=output_format)
        found = find_nearest(session.inputs, k, against=session.against, **session.settings)
        session.deliver(found, output, output_format)
        session.finish(found, wanted)
