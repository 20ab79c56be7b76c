"""lookalike index add: more items, or only new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import options

from . import options as own


@options.with_settings(options.reading)
def add(
    index: own.IndexPath,
    inputs: options.Inputs,
    skip_duplicates: Annotated[
        bool,
        typer.Option(
            "--skip-duplicates",
            help="Add only items that resemble neither one in the index nor an earlier input item; list the others.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Output file for the list of skipped items: .parquet, .jsonl or .csv; or -."
        ),
    ] = None,
    output_format: options.OutputFormat = None,
    force: options.Force = False,
    timeout: own.Timeout = 0,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - declared in options
) -> None:
    """Add items to an index, or only new ones.

    All of them are added, or none if anything goes wrong. Without --id, numbering continues from the largest id. With
    --skip-duplicates, skipped items are listed with their best match: id, match, similarity (or distance).

    \b
    Examples:
      lookalike index add news.lookalike today.jsonl --id url
      lookalike index add news.lookalike today.jsonl --id url --skip-duplicates -o seen.csv

    In Python: lookalike.Index.open("news.lookalike").add_new(ids, texts).skipped
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli.index.session import (
        IndexSession,
        missing_fields,
        open_index,
        open_input,
        plain_rows,
    )
    from lookalike.cli.session import input_files
    from lookalike.errors import RecipeError
    from lookalike.write.checks import check_outputs
    from lookalike.write.outputs import write_table

    if output is not None and not skip_duplicates:
        raise RecipeError("--output lists skipped items. Add --skip-duplicates, or omit --output")
    wanted = {} if output is None else {"--output": output}
    with IndexSession(index, quiet=quiet, as_json=json) as session:
        with open_index(index, settings, timeout) as held, open_input(held, inputs, settings) as source:
            session.refuse_two_on_stdout(wanted)
            check_outputs(wanted, input_files(inputs, settings), force=force, output_format=output_format)
            notes = missing_fields(held, source)
            skipped = None
            with session.reading("add", source) as seen, session.changing(held):
                if skip_duplicates:
                    result = held.add_new_source(source, seen)
                    added, skipped = result.added, result.skipped
                    if output is not None:
                        write_table(skipped, output, output_format)
                else:
                    added = held.add_source(source, seen)
            items = len(held)
        values: dict[str, Any] = {"added": added, "items": items}
        facts = [("added", f"{added:,}"), ("items", f"{items:,}")]
        if skipped is not None:
            values |= {"skipped": skipped.num_rows} | ({} if output else {"matches": plain_rows(skipped)})
            facts.insert(1, ("skipped", f"{skipped.num_rows:,} similar to others"))
            if output is None:
                session.show(skipped)
        session.finish(values, facts, wanted, notes)
