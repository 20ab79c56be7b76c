"""lookalike index check: whether an index is intact."""

from __future__ import annotations

import typer

from . import options as own


def check(index: own.IndexPath, json: own.Json = False) -> None:
    """Read every byte of an index, and report damage.

    The exit code is 1 if there is any.

    \b
    Examples:
      lookalike index check news.lookalike

    In Python: lookalike.Index.check("news.lookalike")
    """  # noqa: D301 - Click interprets this backslash
    import json as jsons

    from lookalike.index import Index
    from lookalike.index.check import refuse_missing
    from lookalike.index.storage.files import folder_size

    refuse_missing(index)
    size = folder_size(index)
    problems = Index.check(index)
    if json:
        typer.echo(jsons.dumps({"path": str(index), "bytes": size, "problems": problems}, indent=2))
    elif problems:
        typer.echo("\n".join(problems))
    else:
        typer.echo(f"{index} is intact: {size:,} bytes verified")
    raise typer.Exit(1 if problems else 0)
