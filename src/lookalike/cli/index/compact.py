"""lookalike index compact: an index in one part."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli import options

from . import options as own


def compact(
    index: own.IndexPath,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Also compute signatures and postings again from the items.")
    ] = False,
    timeout: own.Timeout = 0,
    quiet: options.Quiet = False,
    json: own.Json = False,
) -> None:
    """Merge all parts of an index into one, without deleted items.

    This makes queries faster. It may be interrupted at any time; the index then stays as it is.

    \b
    Examples:
      lookalike index compact news.lookalike

    In Python: lookalike.Index.open("news.lookalike").compact()
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import IndexSession, megabytes, open_index

    with IndexSession(index, quiet=quiet, as_json=json) as session:
        with open_index(index, timeout=timeout) as held:
            parts, before = (held.info()[name] for name in ("parts", "bytes"))
            written.append("the index is unchanged, or in one part")
            with session.stage("compact"):
                held.compact(rebuild=rebuild)
            items, left = len(held), held.info()["parts"]
        values = {"items": items, "parts_before": parts, "parts": left, "bytes_before": before}
        facts = [("items", f"{items:,}"), ("parts", f"{left:,}, {parts:,} before"), ("before", megabytes(before))]
        session.finish(values, facts)
