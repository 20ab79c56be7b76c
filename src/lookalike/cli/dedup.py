"""lookalike dedup: from a corpus to a clean corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.recipe, options.reading, options.checking)
def dedup(
    inputs: options.Inputs,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the rows kept go: .parquet, .jsonl, .csv, or .npy.")
    ] = None,
    clusters: Annotated[Path | None, typer.Option(help="Where to list the members of every cluster.")] = None,
    removed: Annotated[Path | None, typer.Option(help="Where the rows removed go.")] = None,
    keep: Annotated[
        str, typer.Option(help="Which of a cluster: first, last, longest, shortest, max:COLUMN, min:COLUMN.")
    ] = "first",
    report: options.Report = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Remove near-duplicates: keep one item of each cluster of similar items.

    Every column, the schema and the order of rows stay as they are. Without -o nothing is written: the summary says
    what would be removed.

    \b
    Examples:
      lookalike dedup corpus.parquet -o clean.parquet
      lookalike dedup 'shards/*.jsonl.gz' -o clean.jsonl --clusters clusters.parquet --keep longest
      lookalike dedup notes/ --shingle chars:9 --threshold 0.7
      lookalike dedup vectors.npy -o clean.npy --measure cosine --threshold 0.95
      lookalike dedup people.csv -o once.csv --text name --shingle chars:3 --keep max:updated

    In Python: lookalike.deduplicate(Path("corpus.parquet")).write(Path("clean.parquet"))
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.job import Job
    from lookalike.pipeline import deduplicate
    from lookalike.write.outputs import check_outputs, write_rows

    outputs = {"--output": output, "--clusters": clusters, "--removed": removed}
    wanted = {name: path for name, path in outputs.items() if path is not None}
    with Job(settings, inputs, report=report, quiet=quiet, as_json=json) as job:
        check_outputs(wanted, job.files, force=force, others=job.pages, rows=("--output", "--removed"))
        result = deduplicate(job.inputs, keep=keep, **job.settings)
        with job.timed("write"):
            picks = {path: mask for path, mask in ((output, result.mask), (removed, ~result.mask)) if path}
            write_rows(result.source, picks, {clusters: result.clusters.to_arrow()} if clusters else {})
        job.finish(result, wanted)
