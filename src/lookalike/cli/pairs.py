"""lookalike pairs: which items resemble each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options


def pairs(
    context: typer.Context,
    inputs: options.Inputs,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the pairs go: .parquet, .jsonl or .csv.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Find only pairs with an item of this file; may be given several times."),
    ] = None,
    threshold: options.Threshold = 0.8,
    recall: options.Recall = 0.99,
    shingle: options.Shingle = "words:5",
    bag: options.Bag = False,
    lower: options.Lower = None,
    form: options.Form = None,
    accents: options.Accents = True,
    punctuation: options.Punctuation = None,
    bands: options.Bands = None,
    rows: options.Rows = None,
    sketch: options.Sketch = "fast",
    seed: options.Seed = 1,
    text: options.Text = None,
    id: options.Id = None,  # noqa: A002 - the option is called so
    lines: options.Lines = False,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    scratch: options.ScratchFolder = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """List all pairs of similar items: left, right, similarity.

    Without -o the pairs go to standard output, separated by tabs; a terminal shows the first of them.

    \b
    Examples:
      lookalike pairs a.jsonl.gz b.jsonl.gz -o pairs.parquet --threshold 0.7 --shingle chars:9
      lookalike pairs train.parquet --against test.parquet
      lookalike pairs verses.parquet --id verse --shingle words:2 --threshold 0.5 > pairs.tsv

    In Python: lookalike.find_pairs(Path("a.parquet"), threshold=0.7).to_arrow()
    """
    from lookalike.cli.job import Job  # noqa: PLC0415 - loads what is heavy
    from lookalike.cli.show import print_pairs  # noqa: PLC0415
    from lookalike.pipeline import find_pairs  # noqa: PLC0415
    from lookalike.write import check_outputs, write_table  # noqa: PLC0415

    wanted = {} if output is None else {"--output": output}
    with Job(options.settings_of(context), inputs, against or [], quiet=quiet, as_json=json) as job:
        check_outputs(wanted, job.files, force=force)
        found = find_pairs(job.inputs, against=job.against, **job.settings)
        with job.timed("write"):
            if output is not None:
                write_table(found.to_arrow(), output)
            elif not json:
                print_pairs(found)
        job.finish(found.summary, wanted)
