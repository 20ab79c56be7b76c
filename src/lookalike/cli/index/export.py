"""lookalike index export: the contents of an index as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


def export(
    index: own.IndexPath,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Output file for items: .parquet, .jsonl or .csv; or -.")
    ],
    output_format: options.OutputFormat = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
) -> None:
    """Write all items of an index to a file.

    The columns are id, item and stored fields. Rows are in the order in which items were added.

    \b
    Examples:
      lookalike index export news.lookalike -o all.parquet

    In Python: lookalike.Index.open("news.lookalike").rows()
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import IndexSession, open_index
    from lookalike.errors import OutputError
    from lookalike.write.checks import check_outputs
    from lookalike.write.outputs import write_batches
    from lookalike.write.places import is_stream

    outputs = {"--output": output}
    if not is_stream(output) and output.absolute().parent.resolve() == index.resolve():
        raise OutputError(f"{output} is inside the folder of the index. Choose another path")
    check_outputs(outputs, [], force=force, output_format=output_format)
    with IndexSession(index, quiet=quiet, as_json=json) as session, open_index(index) as held:
        session.refuse_two_on_stdout(outputs)
        with session.stage("export", len(held)) as advance:

            def counted() -> Iterator[pa.RecordBatch]:
                for batch in held.rows():
                    yield batch
                    session.read += batch.num_rows
                    advance(batch.num_rows)

            write_batches(counted(), held.schema, output, output_format)
            written.append(f"{output} has been written")
        session.finish({"items": session.read}, [("items", f"{session.read:,}")], outputs, changed=False)
