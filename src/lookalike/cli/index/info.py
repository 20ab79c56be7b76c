"""lookalike index info: what an index holds."""

from __future__ import annotations

import typer

from . import options as own


def info(index: own.IndexPath, json: own.Json = False) -> None:
    """Show what an index holds, how it compares items, and its size.

    \b
    Examples:
      lookalike index info news.lookalike
      lookalike index info news.lookalike --json

    In Python: lookalike.Index.open("news.lookalike").info()
    """  # noqa: D301 - Click interprets this backslash
    import json as jsons

    from rich.console import Console
    from rich.markup import escape

    from lookalike.cli.index.session import describe_recall, describe_recipe, megabytes, open_index
    from lookalike.cli.summary import print_facts
    from lookalike.summary import plural

    with open_index(index) as held:
        found, recipe = held.info(), held.recipe
    if json:
        typer.echo(jsons.dumps(found, indent=2))
        return
    facts = [
        ("items", f"{found['items']:,} {found['kind']}, {found['deleted']:,} deleted"),
        ("fields", escape(", ".join(found["fields"])) or "none"),
        ("threshold", describe_recipe(recipe)),
        ("recall", describe_recall(recipe)),
        ("size", f"{megabytes(found['bytes'])} on disk, in {plural(found['parts'], 'part')}"),
        ("commit", f"{found['commit']:,}"),
    ]
    print_facts(Console(), facts, {})
