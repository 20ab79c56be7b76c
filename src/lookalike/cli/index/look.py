"""lookalike index info and check: what an index is, and whether it is whole."""

from __future__ import annotations

import typer

from . import options as own


def info(index: own.IndexPath, json: own.Json = False) -> None:
    """Say what an index holds, how it compares, and how large it is.

    \b
    Examples:
      lookalike index info news.lookalike
      lookalike index info news.lookalike --json

    In Python: lookalike.Index.open("news.lookalike").info()
    """  # noqa: D301 - Click knows this backslash
    import json as jsons

    from rich.console import Console
    from rich.markup import escape

    from lookalike.cli.index.work import by_recipe, megabytes, opened
    from lookalike.cli.summary import print_facts
    from lookalike.summary import plural

    with opened(index) as held:
        found, recipe = held.info(), held.recipe
    if json:
        typer.echo(jsons.dumps(found, indent=2))
        return
    facts = [
        ("items", f"{found['items']:,} {found['kind']}, {found['deleted']:,} deleted"),
        ("fields", escape(", ".join(found["fields"])) or "none"),
        ("threshold", by_recipe(recipe)),
        ("chance", f"{found['recall']:.4f} at {found['threshold']:g} to be found"),
        ("size", f"{megabytes(found['bytes'])} on disk, in {plural(found['parts'], 'part')}"),
        ("commit", f"{found['commit']:,}"),
    ]
    print_facts(Console(), facts, {})


def check(index: own.IndexPath, json: own.Json = False) -> None:
    """Read all of an index, and say what is damaged.

    The exit code is 1 if anything is wrong.

    \b
    Examples:
      lookalike index check news.lookalike

    In Python: lookalike.Index.check("news.lookalike")
    """  # noqa: D301 - Click knows this backslash
    import json as jsons

    from lookalike.errors import InputError
    from lookalike.index import Index
    from lookalike.index.folder import size_of
    from lookalike.index.messages import DATABASE_ERRORS
    from lookalike.index.store import Store

    try:
        Store.open(index, sealed=False).close()
    except InputError as error:
        if not isinstance(error.__cause__, DATABASE_ERRORS):  # not there, or not an index: there is nothing to check
            raise
    size = size_of(index)
    problems = Index.check(index)
    if json:
        typer.echo(jsons.dumps({"path": str(index), "bytes": size, "problems": problems}, indent=2))
    elif problems:
        typer.echo("\n".join(problems))
    else:
        typer.echo(f"{index} is whole: {size:,} bytes were read")
    raise typer.Exit(1 if problems else 0)
