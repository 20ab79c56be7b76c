"""lookalike index query: what has been seen before."""

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

    from lookalike.cli.index.session import Work
    from lookalike.comparison import Comparison
    from lookalike.index import Index, Matches
    from lookalike.read import Batch, Source


@options.with_settings(options.reading)
def query(
    index: own.IndexPath,
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Files of items to look for, as pairs reads them.")
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="The text to look for; or, with a FILE, the column of it to compare.")
    ] = None,
    top: Annotated[int, typer.Option(help="How many of the most similar are listed.")] = 10,
    everything: Annotated[bool, typer.Option("--all", help="List all that are similar enough, however many.")] = False,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", "-t", help="Least similarity, or most distance. [default: that of the index]"),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each item shares with each that was found for it.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Explain with all that is shared, however long.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the matches go: .parquet, .jsonl or .csv.")
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """List what resembles a text, or each item of files.

    The columns are id, similarity (or distance) and stored fields, the most similar first. Items of files are named by
    --id, or by file and row, in a column query. Without -o the matches go to standard output, separated by tabs; a
    terminal shows the first of them.

    \b
    Examples:
      lookalike index query news.lookalike --text "a fox lived in a wood near the sea" --top 3 --explain
      lookalike index query news.lookalike queries.jsonl -o matches.parquet --id url
      lookalike index query news.lookalike draft.txt --threshold 0.5 --json

    In Python: lookalike.Index.open("news.lookalike").query(text, top=3)
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.index.session import Work, files_of, opened, plain_rows
    from lookalike.write.outputs import check_outputs, write_table

    wanted = {} if output is None else {"--output": output}
    with Work(index, quiet=quiet, as_json=json) as work, opened(index, settings) as held:
        check_outputs(wanted, files_of(inputs, settings) if inputs else [], force=force)
        with asked(held, inputs, text, settings) as source:
            matches, table = look_for(work, held, source, None if everything else top, threshold)
            if not inputs:
                table = table.drop_columns(["query"])
            if output is not None:
                write_table(table, output)
                work.stop_bars()
            else:
                work.show(table)
            values: dict[str, Any] = {
                "queries": matches.queries, "threshold": matches.threshold, "recall": matches.recall,
            }  # fmt: skip
            if output is None:
                values["matches"] = plain_rows(table) if json else None
            if explain:
                explained = explanations(held.explain_source(source, matches), table, show=not json, full=full)
                values["explanations"] = list(explained)
        facts = [("queries", f"{matches.queries:,}"), ("matches", f"{table.num_rows:,}")]
        work.finish(values, facts, wanted, doubts(held, matches), changed=False)


def asked(index: Index, inputs: list[str] | None, text: str | None, settings: dict[str, Any]) -> closing[Source]:
    """Open what is to be looked for: the items of files, or one text."""
    from lookalike.cli.index.session import source_of
    from lookalike.errors import InputError

    if inputs:
        return source_of(index, inputs, settings if text is None else {**settings, "text": text})
    if text is None:
        raise InputError("There is nothing to look for. Give a text with --text, or a file")
    if index.kind != "texts":
        raise InputError(f"This index holds {index.kind}, not texts. Ask with a file of them")
    return closing(index.source([text], encoding_errors=settings["encoding_errors"]))


def look_for(
    work: Work, index: Index, source: Source, top: int | None, threshold: float | None
) -> tuple[Matches, pa.Table]:
    """Look for the items of a source, which are named in the first column of the table."""
    import pyarrow as pa

    with work.reading("query", source) as count:
        ids: list[pa.Array] = []

        def seen(batch: Batch) -> None:
            count(batch)
            ids.extend([] if batch.ids is None else [batch.ids])

        matches = index.query_source(source, top, threshold, seen)
        table = matches.to_arrow()
        rows = table["query"]
        names = pa.chunked_array(ids).take(rows) if ids else source.names(rows.to_numpy())
    return matches, table.set_column(0, "query", names)


def explanations(
    found: Iterator[Comparison | None], table: pa.Table, *, show: bool, full: bool
) -> Iterator[dict[str, Any]]:
    """Yield what the items of each row share, as plain values, or show it to people."""
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


def doubts(index: Index, matches: Matches) -> list[str]:
    """Say what is missed below the threshold that the index was made for."""
    if matches.recall >= index.recipe.recall:
        return []
    built, wanted = index.recipe.threshold, matches.threshold
    return [f"the index was made for {built:g}: of items at {wanted:g}, a share of {matches.recall:.4f} is found"]
