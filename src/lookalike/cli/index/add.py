"""lookalike index add: more items, or only what is new among them."""

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
            help="Add only items that resemble none in the index, nor an earlier one of these, and list the others.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where the list of those that were skipped goes: .parquet, .jsonl or .csv."
        ),
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Add items to an index, or only what is new among them.

    All of them are added, or none if anything goes wrong. Without --id items are numbered on. With --skip-duplicates,
    what was skipped is listed with what it resembles most: id, match, similarity (or distance).

    \b
    Examples:
      lookalike index add news.lookalike today.jsonl --id url
      lookalike index add news.lookalike today.jsonl --id url --skip-duplicates -o seen.csv

    In Python: lookalike.Index.open("news.lookalike").add_new(ids, texts).skipped
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.index.session import Work, files_of, missing_fields, opened, plain_rows, source_of
    from lookalike.errors import RecipeError
    from lookalike.write.outputs import check_outputs, write_table

    if output is not None and not skip_duplicates:
        raise RecipeError("--output lists what was skipped. Give --skip-duplicates too, or leave it out")
    wanted = {} if output is None else {"--output": output}
    with Work(index, quiet=quiet, as_json=json) as work:
        with opened(index, settings) as held, source_of(held, inputs, settings) as source:
            check_outputs(wanted, files_of(inputs, settings), force=force)
            notes = missing_fields(held, source)
            skipped = None
            with work.reading("add", source) as seen, work.changing(held):
                if skip_duplicates:
                    result = held.add_new_source(source, seen)
                    added, skipped = result.added, result.skipped
                    if output is not None:
                        write_table(skipped, output)
                else:
                    added = held.add_source(source, seen)
            items = len(held)
        values: dict[str, Any] = {"added": added, "items": items}
        facts = [("added", f"{added:,}"), ("items", f"{items:,}")]
        if skipped is not None:
            values |= {"skipped": skipped.num_rows} | ({} if output else {"matches": plain_rows(skipped)})
            facts.insert(1, ("skipped", f"{skipped.num_rows:,} that resemble others"))
            if output is None:
                work.show(skipped)
        work.finish(values, facts, wanted, notes)
