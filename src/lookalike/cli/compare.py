"""lookalike compare: compare two texts and show what they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from lookalike.cli import options
from lookalike.options import option


@options.with_settings(options.recipe, (option("encoding"), option("encoding_errors")))
def compare(
    one: Annotated[Path, typer.Argument(metavar="ONE", help="A text file.")],
    two: Annotated[Path, typer.Argument(metavar="TWO", help="Another text file.")],
    full: Annotated[bool, typer.Option("--full", help="Show both texts in full, however long.")] = False,
    json: options.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Compare two texts exactly: how similar they are, what they share, and whether a run would find them.

    Shared passages are highlighted in colour on a terminal, and enclosed in [brackets] elsewhere.

    \b
    Examples:
      lookalike compare one.txt two.txt
      lookalike compare one.txt two.txt --shingle chars:9 --threshold 0.7 --json

    In Python: lookalike.compare(one, two).similarity
    """  # noqa: D301 - Click's mark for a paragraph that is not wrapped
    import json as jsons

    from rich.console import Console

    from lookalike.cli.compilation import Compilation
    from lookalike.cli.explain import print_comparison
    from lookalike.cli.inputs import read_text
    from lookalike.errors import InputError
    from lookalike.explain import compare as compare_texts
    from lookalike.kinds import kind_named
    from lookalike.plan import kind_asked

    kind = kind_asked(cast("Any", settings))
    if kind is not None and not kind_named(kind).is_text:
        raise InputError(
            f"Text files are compared by words, characters or bytes, not as {kind}. Set `shingle` to words:5, chars:9 "
            "or bytes:9, or leave it out"
        )
    errors, encoding = settings.pop("encoding_errors"), settings.pop("encoding", None)
    left, right = (read_text(path, errors, encoding) for path in (one, two))
    compilation = Compilation("compare", None if json else Console(stderr=True))
    compilation.start()
    found = compare_texts(left, right, **settings)
    compilation.stop()
    if json:
        typer.echo(jsons.dumps(found.to_dict(), indent=2))
    else:
        print_comparison(found, one.name, two.name, full=full)
