"""lookalike dedup: remove near-duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.clustering, options.recipe, options.copies, options.reading, options.checking)
def dedup(
    inputs: options.Inputs,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Output file for kept rows: .parquet, .jsonl, .csv, .npy for arrays, .txt for lines; or - for "
            "standard output.",
        ),
    ] = None,
    clusters: Annotated[Path | None, typer.Option(help="Output file for the members of every cluster.")] = None,
    removed: Annotated[Path | None, typer.Option(help="Output file for removed rows.")] = None,
    output_format: options.OutputFormat = None,
    report: options.Report = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Remove near-duplicates: keep one item per cluster of similar items.

    Kept rows are written with all their columns, in their original order. Without -o nothing is written, and the
    summary reports what would be removed.

    \b
    Examples:
      lookalike dedup corpus.parquet -o clean.parquet
      lookalike dedup 'shards/*.jsonl.gz' -o clean.jsonl --clusters clusters.parquet --keep longest
      lookalike dedup notes/ --shingle chars:9 --threshold 0.7
      lookalike dedup vectors.npy -o clean.npy --measure cosine --threshold 0.95
      lookalike dedup people.csv -o once.csv --text name --shingle chars:3 --keep max:updated
      zcat *.jsonl.gz | lookalike dedup - -o - | gzip > clean.jsonl.gz

    In Python: lookalike.deduplicate(Path("corpus.parquet")).write(Path("clean.parquet"))
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    from lookalike.cli.session import RunSession
    from lookalike.pipeline import deduplicate
    from lookalike.write.checks import check_rows
    from lookalike.write.outputs import write_rows

    outputs = {"--output": output, "--clusters": clusters, "--removed": removed}
    wanted = {name: path for name, path in outputs.items() if path is not None}
    rows = {name: path for name, path in wanted.items() if path != clusters}
    with RunSession(settings, inputs, report=report, quiet=quiet, as_json=json) as session:
        session.check_outputs(wanted, force=force, rows=rows, output_format=output_format)
        result = deduplicate(
            session.inputs,
            on_open=lambda source: check_rows(source, rows, output_format),
            **session.settings,
        )
        with session.timed("write"):
            masks = {path: mask for path, mask in ((output, result.mask), (removed, ~result.mask)) if path}
            tables = {clusters: result.clusters.to_arrow()} if clusters else {}
            write_rows(result.source, masks, tables, output_format)
        session.finish(result, wanted)
