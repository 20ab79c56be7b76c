"""lookalike nearest: the most similar others of each item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.recipe, options.reading)
def nearest(
    inputs: options.Inputs,
    k: Annotated[int, typer.Option("-k", help="How many of each item.")] = 10,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where they go: .parquet, .jsonl or .csv.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Look among the items of this file instead; may be given several times."),
    ] = None,
    measure_recall: Annotated[
        int,
        typer.Option(
            metavar="[N]",
            help="Find the nearest of N random items by comparing with everything, and say how many of them the run "
            f"has found; {options.SAMPLED} items without a number.",
            show_default=False,
        ),
    ] = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """List the k most similar others of each item: left, right, rank, similarity.

    Without -o they go to standard output, separated by tabs; a terminal shows the first of them.

    \b
    Examples:
      lookalike nearest vectors.npy -k 5 -o nearest.parquet
      lookalike nearest queries.npy --against vectors.npy --measure cosine --recall 0.95 --measure-recall
      lookalike nearest baskets.csv --item customer --element product -k 3

    In Python: lookalike.nearest(Path("vectors.npy"), k=5).to_arrow()
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.job import Job
    from lookalike.pipeline import nearest as find_nearest
    from lookalike.write.outputs import check_outputs

    wanted = {} if output is None else {"--output": output}
    with Job(settings, inputs, against or [], quiet=quiet, as_json=json) as job:
        check_outputs(wanted, job.files, force=force)
        found = find_nearest(job.inputs, k, against=job.against, measure_recall=measure_recall, **job.settings)
        job.deliver(found, output)
        job.finish(found, wanted)
