"""lookalike index build: a new index from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli import options

from . import options as own

if TYPE_CHECKING:
    from lookalike.recipe import Recipe

    from .session import IndexSession


@options.with_settings(options.recipe, options.reading)
def build(
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="Folder to create.")],
    inputs: options.Inputs,
    fields: Annotated[
        str, typer.Option(metavar="COLUMNS", help="Columns to store with items and to return with matches: title,url.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace an existing index.")] = False,
    timeout: own.Timeout = 0,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - declared in options
) -> None:
    """Build an index of the items in files.

    Without --id, items are numbered from 0. The recipe is stored with the index: later commands need none of its
    options. If anything goes wrong, nothing is left behind.

    \b
    Examples:
      lookalike index build news.lookalike corpus.parquet --threshold 0.8
      lookalike index build news.lookalike 'shards/*.jsonl.gz' --id url --fields title,date
      lookalike index build names.lookalike names.csv --shingle chars:3 --threshold 0.6

    In Python: with lookalike.Index.build("news.lookalike") as index: index.add(ids, texts)
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli import written
    from lookalike.cli.index.session import IndexSession, describe_recall, describe_recipe
    from lookalike.index.settings import check_timeout
    from lookalike.index.storage.replacement import atomic_folder

    names = [name.strip() for name in fields.split(",") if name.strip()]
    with IndexSession(index, quiet=quiet, as_json=json) as session:
        with atomic_folder(index, force=force, timeout=check_timeout(timeout)) as folder:
            recipe = fill(session, folder, inputs, names, settings)
            written.append("run lookalike index info to see whether the index was built")
        written.append("the index has been built")
        facts = [
            ("items", f"{session.read:,}"),
            ("threshold", describe_recipe(recipe)),
            ("recall", describe_recall(recipe)),
        ]
        session.finish({"items": session.read, "recall": recipe.recall}, facts, {"index": index})


def fill(
    session: IndexSession,
    folder: Path,
    inputs: list[str],
    fields: list[str],
    settings: Any,  # noqa: ANN401 - declared in options
) -> Recipe:
    """Create an index of files in a folder; return its recipe."""
    from contextlib import closing

    from lookalike.errors import InputError
    from lookalike.index import Index
    from lookalike.plan import check_early, kind_asked, lasting_recipe
    from lookalike.read import open_source
    from lookalike.read.nested import path_of
    from lookalike.read.roles import listing

    from .session import reading_options

    check_early(settings)  # reports invalid settings before any file is read
    paths, how = [Path(one) for one in inputs], reading_options(settings, kind_asked(settings))
    with closing(open_source(paths, **how)) as source:
        if lacking := next((name for name in fields if path_of(source.schema, name) is None), None):
            raise InputError(f"There is no column {lacking!r} (--fields). The columns are {listing(source.schema)}")
        recipe = lasting_recipe(settings, source.kind)
        index = Index.create(folder, recipe, fields=fields, threads=settings.get("threads"))
        with index, session.reading("add", source) as seen:
            index.add_source(source, seen)
    return recipe
