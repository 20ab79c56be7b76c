"""lookalike pairs: list similar items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options


@options.with_settings(options.recipe, options.copies, options.reading, options.against, options.checking)
def pairs(
    inputs: options.Inputs,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Output file for the pairs: .parquet, .jsonl or .csv; or - for standard output."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Compare only with the items of this file. Repeat the option for several files."
        ),
    ] = None,
    report: options.Report = None,
    output_format: options.OutputFormat = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """List all pairs of similar items: left, right, similarity.

    Without -o the pairs are printed to standard output, separated by tabs; a terminal shows only the first ones.

    \b
    Examples:
      lookalike pairs a.jsonl.gz b.jsonl.gz -o pairs.parquet --threshold 0.7 --shingle chars:9
      lookalike pairs train.parquet --against test.parquet
      lookalike pairs verses.parquet --id verse --shingle words:2 --threshold 0.5 > pairs.tsv

    In Python: lookalike.find_pairs(Path("a.parquet"), threshold=0.7).to_arrow()
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    from lookalike.cli.session import RunSession
    from lookalike.pipeline import find_pairs

    wanted = {} if output is None else {"--output": output}
    with RunSession(settings, inputs, against or [], report=report, quiet=quiet, as_json=json) as session:
        session.check_outputs(wanted, force=force, output_format=output_format)
        found = find_pairs(session.inputs, against=session.against, **session.settings)
        session.deliver(found, output, output_format)
        session.finish(found, wanted)
