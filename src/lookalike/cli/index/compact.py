"""lookalike index compact and export: an index in one piece, or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


def compact(
    index: own.IndexPath,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Also make signatures and postings anew, from the items.")
    ] = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
) -> None:
    """Make one part of all, without what was deleted.

    It is then faster to ask. This may be stopped at any time: the index is then as it was.

    \b
    Examples:
      lookalike index compact news.lookalike

    In Python: lookalike.Index.open("news.lookalike").compact()
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import Work, megabytes, opened

    with Work(index, quiet=quiet, as_json=json) as work:
        with opened(index) as held:
            parts, before = (held.info()[name] for name in ("parts", "bytes"))
            written.append("the index is as it was, or in one part")
            with work.stage("compact"):
                held.compact(rebuild=rebuild)
            items, left = len(held), held.info()["parts"]
        values = {"items": items, "parts_before": parts, "parts": left, "bytes_before": before}
        facts = [("items", f"{items:,}"), ("parts", f"{left:,}, {parts:,} before"), ("before", megabytes(before))]
        work.finish(values, facts)


def export(
    index: own.IndexPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where items go: .parquet, .jsonl or .csv.")],
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
) -> None:
    """Write all items of an index to a file.

    The columns are id, item and stored fields; rows are in the order in which items were added.

    \b
    Examples:
      lookalike index export news.lookalike -o all.parquet

    In Python: lookalike.Index.open("news.lookalike").rows()
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import Work, opened
    from lookalike.errors import OutputError
    from lookalike.write.outputs import check_outputs, write_batches

    outputs = {"--output": output}
    if output.absolute().parent.resolve() == index.resolve():
        raise OutputError(f"{output} would be among the files of the index; choose another place")
    check_outputs(outputs, [], force=force)
    with Work(index, quiet=quiet, as_json=json) as work, opened(index) as held:
        with work.stage("export", len(held)) as advance:

            def counted() -> Iterator[pa.RecordBatch]:
                for batch in held.rows():
                    yield batch
                    work.read += batch.num_rows
                    advance(batch.num_rows)

            write_batches(counted(), held.schema, output)
            written.append(f"{output} has been written")
        work.finish({"items": work.read}, [("items", f"{work.read:,}")], outputs, changed=False)
