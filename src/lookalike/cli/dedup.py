"""lookalike dedup: remove near-duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.clustering, options.recipe, options.reading, options.checking)
def dedup(
    inputs: options.Inputs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Output file for kept rows: .parquet, .jsonl, .csv, or .npy for arrays."),
    ] = None,
    clusters: Annotated[Path | None, typer.Option(help="Output file for the members of every cluster.")] = None,
    removed: Annotated[Path | None, typer.Option(help="Output file for removed rows.")] = None,
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

    In Python: lookalike.deduplicate(Path("corpus.parquet")).write(Path("clean.parquet"))
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    from lookalike.cli.session import RunSession
    from lookalike.pipeline import deduplicate
    from lookalike.write.outputs import check_outputs, write_rows

    outputs = {"--output": output, "--clusters": clusters, "--removed": removed}
    wanted = {name: path for name, path in outputs.items() if path is not None}
    with RunSession(settings, inputs, report=report, quiet=quiet, as_json=json) as session:
        check_outputs(wanted, session.files, force=force, others=session.pages, rows=("--output", "--removed"))
        result = deduplicate(session.inputs, **session.settings)
        with session.timed("write"):
            masks = {path: mask for path, mask in ((output, result.mask), (removed, ~result.mask)) if path}
            write_rows(result.source, masks, {clusters: result.clusters.to_arrow()} if clusters else {})
        session.finish(result, wanted)
