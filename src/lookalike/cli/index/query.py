"""lookalike index query: what has been seen before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.cli.index.work import Work
    from lookalike.index import Index, Matches


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
        bool, typer.Option("--explain", help="Show what the text shares with each that was found.")
    ] = False,
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
    from lookalike.cli.index.work import Work, files_of, opened, plain_rows
    from lookalike.errors import InputError
    from lookalike.write import check_outputs, write_table

    if not inputs and text is None:
        raise InputError("There is nothing to look for. Give a text with --text, or a file")
    if inputs and explain:
        raise InputError("--explain shows what one text shares with others. Give it with --text, or leave it out")
    wanted = {} if output is None else {"--output": output}
    limit = None if everything else top
    with Work(index, quiet=quiet, as_json=json) as work, opened(index, settings) as held:
        check_outputs(wanted, files_of(inputs, settings) if inputs else [], force=force)
        if inputs:
            columns = settings if text is None else {**settings, "text": text}
            matches, table = by_files(work, held, inputs, columns, limit, threshold)
        else:
            matches, table = by_text(held, str(text), limit, threshold)
        values: dict[str, Any] = {
            "queries": matches.queries, "threshold": matches.threshold, "recall": matches.recall,
        }  # fmt: skip
        if output is not None:
            write_table(table, output)
        else:
            work.show(table)
            values["matches"] = plain_rows(table) if json else None
        if explain:
            values["explanations"] = [
                explained(held, str(text), match, show=not json) for match in table["id"].to_pylist()
            ]
        facts = [("queries", f"{matches.queries:,}"), ("matches", f"{table.num_rows:,}")]
        work.finish(values, facts, wanted, doubts(held, matches), changed=False)


def by_text(index: Index, text: str, top: int | None, threshold: float | None) -> tuple[Matches, pa.Table]:
    """Look for one text."""
    from lookalike.errors import InputError

    if index.kind != "texts":
        raise InputError(f"This index holds {index.kind}, not texts. Ask with a file of them")
    matches = index.query_many([text], top, threshold)
    return matches, matches.to_arrow().drop_columns(["query"])


def by_files(
    work: Work, index: Index, inputs: list[str], settings: dict[str, Any], top: int | None, threshold: float | None
) -> tuple[Matches, pa.Table]:
    """Look for the items of files, which are named in the first column."""
    import pyarrow as pa

    from lookalike.cli.index.work import source_of

    with source_of(index, inputs, settings) as source, work.reading("query", source) as count:
        ids: list[pa.Array] = []

        def seen(batch: Any) -> None:  # noqa: ANN401 - a batch
            count(batch)
            ids.extend([] if batch.ids is None else [batch.ids])

        matches = index.query_source(source, top, threshold, seen)
        table = matches.to_arrow()
        asked = table["query"]
        names = pa.chunked_array(ids).take(asked) if ids else source.names(asked.to_numpy())
    return matches, table.set_column(0, "query", names)


def explained(index: Index, text: str, match: Any, *, show: bool) -> dict[str, Any]:  # noqa: ANN401 - an id
    """Compare the text with one that was found."""
    from lookalike.cli.show import print_comparison

    found = index.explain(text, match)
    if show:
        typer.echo()
        print_comparison(found, "the text", str(match), full=False)
    return found.to_dict()


def doubts(index: Index, matches: Matches) -> list[str]:
    """Say what is missed below the threshold that the index was made for."""
    if matches.recall >= index.recipe.recall:
        return []
    built, wanted = index.recipe.threshold, matches.threshold
    return [f"the index was made for {built:g}: of items at {wanted:g}, a share of {matches.recall:.4f} is found"]
