"""lookalike pairs: which items resemble each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.recipe, options.reading, options.checking)
def pairs(
    inputs: options.Inputs,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the pairs go: .parquet, .jsonl or .csv.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Find only pairs with an item of this file; may be given several times."),
    ] = None,
    report: options.Report = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """List all pairs of similar items: left, right, similarity.

    Without -o the pairs go to standard output, separated by tabs; a terminal shows the first of them.

    \b
    Examples:
      lookalike pairs a.jsonl.gz b.jsonl.gz -o pairs.parquet --threshold 0.7 --shingle chars:9
      lookalike pairs train.parquet --against test.parquet
      lookalike pairs verses.parquet --id verse --shingle words:2 --threshold 0.5 > pairs.tsv

    In Python: lookalike.find_pairs(Path("a.parquet"), threshold=0.7).to_arrow()
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.job import Job
    from lookalike.pipeline import find_pairs
    from lookalike.write.outputs import check_outputs

    wanted = {} if output is None else {"--output": output}
    with Job(settings, inputs, against or [], report=report, quiet=quiet, as_json=json) as job:
        check_outputs(wanted, job.files, force=force, others=job.pages)
        found = find_pairs(job.inputs, against=job.against, **job.settings)
        job.deliver(found, output)
        job.finish(found, wanted)
