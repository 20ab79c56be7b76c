"""lookalike index update: new items for existing ids."""

from __future__ import annotations

from typing import Any

from lookalike.cli import options

from . import options as own


@options.with_settings(options.reading)
def update(
    index: own.IndexPath,
    inputs: options.Inputs,
    timeout: own.Timeout = 0,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - declared in options
) -> None:
    """Replace items of an index with others that have the same id.

    Items with new ids are added.

    \b
    Examples:
      lookalike index update news.lookalike changed.jsonl --id url

    In Python: lookalike.Index.open("news.lookalike").update(ids, texts)
    """  # noqa: D301 - Click interprets this backslash
    from lookalike.cli.index.session import IndexSession, missing_fields, open_index, open_input

    with IndexSession(index, quiet=quiet, as_json=json) as session:
        with open_index(index, settings, timeout) as held, open_input(held, inputs, settings) as source:
            notes = missing_fields(held, source)
            with session.reading("add", source) as seen, session.changing(held):
                replaced = held.update_source(source, seen)
            items = len(held)
        added = session.read - replaced
        facts = [("replaced", f"{replaced:,}"), ("added", f"{added:,}"), ("items", f"{items:,}")]
        session.finish({"replaced": replaced, "added": added, "items": items}, facts, notes=notes)
