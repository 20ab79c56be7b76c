"""lookalike compare: two texts, explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import options


def compare(
    context: typer.Context,
    one: Annotated[Path, typer.Argument(metavar="ONE", help="A text file.")],
    two: Annotated[Path, typer.Argument(metavar="TWO", help="Another one.")],
    threshold: options.Threshold = 0.8,
    recall: options.Recall = 0.99,
    shingle: options.Shingle = "words:5",
    bag: options.Bag = False,
    lower: options.Lower = None,
    form: options.Form = None,
    accents: options.Accents = True,
    punctuation: options.Punctuation = None,
    bands: options.Bands = None,
    rows: options.Rows = None,
    sketch: options.Sketch = "fast",
    seed: options.Seed = 1,
    encoding_errors: options.EncodingErrors = "strict",
    full: Annotated[bool, typer.Option("--full", help="Show both texts whole, however long.")] = False,
    json: options.Json = False,
) -> None:
    """Compare two texts exactly: how similar, what they share, and whether a run would have found them.

    Shared passages are marked, by colour on a terminal and by [brackets] elsewhere.

    \b
    Examples:
      lookalike compare one.txt two.txt
      lookalike compare one.txt two.txt --shingle chars:9 --threshold 0.7 --json

    In Python: lookalike.compare(one, two).similarity
    """
    import json as jsons  # noqa: PLC0415

    from lookalike.cli.job import read_text  # noqa: PLC0415 - loads what is heavy
    from lookalike.cli.show import print_comparison  # noqa: PLC0415
    from lookalike.compare import compare as compare_texts  # noqa: PLC0415

    settings = options.settings_of(context)
    left, right = (read_text(path, encoding_errors) for path in (one, two))
    found = compare_texts(left, right, **settings)
    if json:
        typer.echo(jsons.dumps(found.to_dict(), indent=2))
    else:
        print_comparison(found, one.name, two.name, full=full)
