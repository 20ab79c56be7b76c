"""lookalike index update: other items under the same ids."""

from __future__ import annotations

from typing import Any

from lookalike.cli import options

from . import options as own


@options.with_settings(options.reading)
def update(
    index: own.IndexPath,
    inputs: options.Inputs,
    quiet: options.Quiet = False,
    json: own.Json = False,
    **settings: Any,  # noqa: ANN401 - see options
) -> None:
    """Replace items of an index by others with the same id.

    Items whose id is new are added.

    \b
    Examples:
      lookalike index update news.lookalike changed.jsonl --id url

    In Python: lookalike.Index.open("news.lookalike").update(ids, texts)
    """  # noqa: D301 - Click knows this backslash
    from lookalike.cli.index.session import Work, missing_fields, opened, source_of

    with Work(index, quiet=quiet, as_json=json) as work:
        with opened(index, settings) as held, source_of(held, inputs, settings) as source:
            notes = missing_fields(held, source)
            with work.reading("add", source) as seen, work.changing(held):
                replaced = held.update_source(source, seen)
            items = len(held)
        added = work.read - replaced
        facts = [("replaced", f"{replaced:,}"), ("added", f"{added:,}"), ("items", f"{items:,}")]
        work.finish({"replaced": replaced, "added": added, "items": items}, facts, notes=notes)
