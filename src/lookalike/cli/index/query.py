"""lookalike index query: the items that resemble a query."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.cli.index.session import IndexSession
    from lookalike.comparison import Comparison
    from lookalike.index import Index, Matches
    from lookalike.read import Batch, Source


@options.with_settings(options.reading)
def query(
    index: own.IndexPath,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Files of items to search for, in any format that pairs reads."),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="Text to search for; with a FILE, its column to compare, or several that are joined."
        ),
    ] = None,
    top: Annotated[int, typer.Option(help="Maximum number of matches per query.")] = 10,
    everything: Annotated[bool, typer.Option("--all", help="List all matches.")] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", "-t", help="Minimum similarity (or maximum distance). [default: that of the index]"
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each query has in common with its matches.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show explanations in full, however long.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file for matches: .parquet, .jsonl or .csv; or -.")
    ] = None,
    output_format: options.OutputFormat = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - declared in options
) -> None:
    """List the items that resemble a text, or each item of files.

    The columns are id, similarity (or distance) and stored fields, the most similar first. For items of files, a column
    query holds their id (--id), or file and row. Without -o, matches are printed on standard output, separated by tabs;
    a terminal shows only the first of them.

    \b
    Examples:
      lookalike index query news.lookalike --text "a fox lived in a wood near the sea" --top 3 --explain
      lookalike index query news.lookalike queries.jsonl -o matches.parquet --id url
      lookalike index query news.lookalike draft.txt --threshold 0.5 --json

    In Python: lookalike.Index.open("news.lookalike").query(text, top=3)
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli.index.session import IndexSession, open_index, plain_rows
    from lookalike.cli.session import input_files
    from lookalike.write.checks import check_outputs
    from lookalike.write.outputs import write_table

    wanted = {} if output is None else {"--output": output}
    with IndexSession(index, quiet=quiet, as_json=json) as session, open_index(index, settings) as held:
        session.refuse_two_on_stdout(wanted)
        files = input_files(inputs, settings) if inputs else []
        check_outputs(wanted, files, force=force, output_format=output_format)
        with open_queries(held, inputs, text, settings) as source:
            matches, table = search(session, held, source, None if everything else top, threshold)
            if not inputs:
                table = table.drop_columns(["query"])
            if output is not None:
                session.stop_bars()
                write_table(table, output, output_format)
            else:
                session.show(table)
            values: dict[str, Any] = {
                "queries": matches.queries, "threshold": matches.threshold, "recall": matches.recall,
            }  # fmt: skip
            if output is None:
                values["matches"] = plain_rows(table) if json else None
            if explain:
                explained = explanations(held.explain_source(source, matches), table, show=not json, full=full)
                values["explanations"] = list(explained)
        facts = [("queries", f"{matches.queries:,}"), ("matches", f"{table.num_rows:,}")]
        session.finish(values, facts, wanted, recall_notes(held, matches), changed=False)


def open_queries(
    index: Index, inputs: list[str] | None, text: list[str] | None, settings: dict[str, Any]
) -> closing[Source]:
    """Open the queries: the items of files, or one text."""
    from lookalike.cli.index.session import open_input
    from lookalike.errors import InputError, RecipeError
    from lookalike.kinds import kind_named
    from lookalike.options import READING, option

    if inputs:
        return open_input(index, inputs, {**settings, "text": text} if text else settings)
    if not text:
        raise InputError("There is nothing to search for. Pass a text with --text, or a file")
    of_files = [name for name in READING if name != "encoding_errors"]
    given = [name for name in of_files if settings.get(name, option(name).default) != option(name).default]
    if given:
        raise RecipeError(f"`{given[0]}` says how files are read, but there is none. Leave it out, or pass a file")
    if len(text) > 1:
        raise InputError("--text is given more than once. Search for one text, or pass a file of them")
    if not kind_named(index.kind).is_text:
        raise InputError(f"This index holds {index.kind}, not texts. Pass a file of {index.kind} instead of --text")
    return closing(index.source(text, encoding_errors=settings["encoding_errors"]))


def search(
    session: IndexSession, index: Index, source: Source, top: int | None, threshold: float | None
) -> tuple[Matches, pa.Table]:
    """Search for the items of a source, whose names are the first column of the table."""
    import pyarrow as pa

    with session.reading("query", source) as count:
        ids: list[pa.Array] = []

        def seen(batch: Batch) -> None:
            count(batch)
            ids.extend([] if batch.ids is None else [batch.ids])

        matches = index.query_source(source, top, threshold, seen)
        table = matches.to_arrow()
        rows = table["query"]
        names = pa.chunked_array(ids).take(rows) if ids else source.default_ids(rows.to_numpy())
    return matches, table.set_column(0, "query", names)


def explanations(
    found: Iterator[Comparison | None], table: pa.Table, *, show: bool, full: bool
) -> Iterator[dict[str, Any]]:
    """Yield what the items of each row have in common, as plain values, or print it."""
    from lookalike.cli.explain import print_comparison, print_heading
    from lookalike.cli.index.session import plain_rows

    names = table.column_names[: table.column_names.index("id") + 1]
    for row, comparison in zip(plain_rows(table.select(names)), found, strict=True):
        if comparison is None:
            continue
        if show:
            left, right = str(row.get("query", "the text")), str(row["id"])
            print_heading(left, right)
            print_comparison(comparison, left, right, full=full)
        else:
            yield {**row, **comparison.to_dict()}


def recall_notes(index: Index, matches: Matches) -> list[str]:
    """Return a note if the threshold is below that of the index, where recall is lower."""
    if matches.recall >= index.recipe.recall:
        return []
    built, wanted = index.recipe.threshold, matches.threshold
    return [f"the index was built for a threshold of {built:g}; at {wanted:g}, recall is {matches.recall:.4f}"]
