"""lookalike compare: two texts, explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from lookalike.cli import options


@options.with_settings(options.recipe)
def compare(
    one: Annotated[Path, typer.Argument(metavar="ONE", help="A text file.")],
    two: Annotated[Path, typer.Argument(metavar="TWO", help="Another one.")],
    encoding_errors: options.EncodingErrors = "strict",
    full: Annotated[bool, typer.Option("--full", help="Show both texts whole, however long.")] = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Compare two texts exactly: how similar, what they share, and whether a run would have found them.

    Shared passages are marked, by colour on a terminal and by [brackets] elsewhere.

    \b
    Examples:
      lookalike compare one.txt two.txt
      lookalike compare one.txt two.txt --shingle chars:9 --threshold 0.7 --json

    In Python: lookalike.compare(one, two).similarity
    """  # noqa: D301 - Click knows this backslash
    import json as jsons

    from lookalike.cli.explain import print_comparison
    from lookalike.cli.job import read_text
    from lookalike.errors import InputError
    from lookalike.explain import compare as compare_texts
    from lookalike.plan import kind_asked

    if (kind := kind_asked(cast("Any", settings)) or "texts") != "texts":
        raise InputError(
            f"Text files are compared by their words, characters or bytes, not as {kind}. Give --shingle words:5, "
            "chars:9 or bytes:9, or leave it out"
        )
    left, right = (read_text(path, encoding_errors) for path in (one, two))
    found = compare_texts(left, right, **settings)
    if json:
        typer.echo(jsons.dumps(found.to_dict(), indent=2))
    else:
        print_comparison(found, one.name, two.name, full=full)
