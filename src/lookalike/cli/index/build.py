"""lookalike index build: from files to an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

    from .session import Work


@options.with_settings(options.recipe, options.reading)
def build(
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="The folder to make.")],
    inputs: options.Inputs,
    fields: Annotated[
        str, typer.Option(metavar="COLUMNS", help="Columns to store with items and to return: title,url.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace an index that exists.")] = False,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Make an index of the items of files.

    Without --id items are numbered from 0 on. The recipe stays with the index: later commands need no such options. If
    anything goes wrong, nothing is left behind.

    \b
    Examples:
      lookalike index build news.lookalike corpus.parquet --threshold 0.8
      lookalike index build news.lookalike 'shards/*.jsonl.gz' --id url --fields title,date
      lookalike index build names.lookalike names.csv --shingle chars:3 --threshold 0.6

    In Python: lookalike.Index.create("news.lookalike", threshold=0.8).add(ids, texts)
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import Work, by_recipe
    from lookalike.index.storage.replacement import new_folder

    names = [name.strip() for name in fields.split(",") if name.strip()]
    with Work(index, quiet=quiet, as_json=json) as work:
        with new_folder(index, force=force) as folder:
            recipe = fill(work, folder, inputs, names, settings)
            written.append("run lookalike index info to see whether the index was made")
        written.append("the index has been made")
        chance = f"{recipe.recall:.4f} at {recipe.threshold:g} to be found"
        facts = [("items", f"{work.read:,}"), ("threshold", by_recipe(recipe)), ("chance", chance)]
        work.finish({"items": work.read, "recall": recipe.recall}, facts, {"index": index})


def fill(work: Work, folder: Path, inputs: list[str], fields: list[str], settings: Any) -> Recipe:  # noqa: ANN401 - see options
    """Make an index of files in a folder."""
    from contextlib import closing

    from lookalike.errors import InputError
    from lookalike.index import Index
    from lookalike.plan import check_early, kind_of, lasting_recipe
    from lookalike.read import open_source
    from lookalike.read.roles import listing

    from .session import reading_of

    check_early(settings)  # what is wrong shows before a file is read
    paths, how = [Path(one) for one in inputs], reading_of(settings, kind_of(settings))
    with closing(open_source(paths, **how)) as source:
        if lacking := next((name for name in fields if name not in source.schema.names), None):
            raise InputError(f"There is no column {lacking!r} (--fields). The columns are {listing(source.schema)}")
        recipe = lasting_recipe(settings, source.kind)
        made = Index.create(folder, recipe, fields=fields, threads=settings.get("threads"))
        with made, work.reading("add", source) as seen:
            made.add_source(source, seen)
    return recipe
