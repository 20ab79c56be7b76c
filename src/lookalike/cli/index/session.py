"""What the commands on an index share: reading input, reporting progress and results."""

from __future__ import annotations

import json
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from lookalike.cli import written
from lookalike.cli.session import Session
from lookalike.cli.summary import print_facts, print_notes
from lookalike.cli.tables import print_table
from lookalike.index import Index
from lookalike.index.storage.files import folder_size
from lookalike.options import READING
from lookalike.read.nested import path_of
from lookalike.read.notes import notes_on
from lookalike.resources.progress import Stages, peak_memory
from lookalike.write.values import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.read import Batch, KindName, Reading, Source
    from lookalike.recipe import Recipe

BATCH_BYTES = 4 << 20
"""Bytes of items read at a time."""


class IndexSession(Session):
    """The run of one command on an index."""

    def __init__(self, path: Path, *, quiet: bool, as_json: bool) -> None:
        super().__init__(quiet=quiet, as_json=as_json)
        self.path = path
        self.read = 0
        """Number of items read."""
        self._notes: list[str] = []

    def stage(self, name: str, total: int | None = None) -> Any:  # noqa: ANN401 - a context manager that yields a function
        """Show the progress of a stage."""
        return Stages(self.watcher).stage(name, total)

    @contextmanager
    def reading(self, stage: str, source: Source) -> Iterator[Callable[[Batch], None]]:
        """Count the items of a source as they are read, and show the progress; note how it was read."""
        self._notes += notes_on([source], rows=True)
        with self.stage(stage, source.estimated_rows()) as advance:

            def seen(batch: Batch) -> None:
                self.read += len(batch)
                advance(len(batch))

            yield seen

    @contextmanager
    def changing(self, index: Index) -> Iterator[None]:
        """Change an index in one transaction, and note that for the message of a command that ends early."""
        with index.transaction():
            yield
            written.append("run lookalike index info to see whether the index was changed")
        written.append("the index has been changed")

    def stop_bars(self) -> None:
        """Stop showing progress, so that something else can be printed."""
        if self._bars:
            self._bars.stop()

    def show(self, table: pa.Table) -> None:
        """Print a table, unless it is part of the JSON."""
        self.stop_bars()
        if not self._json:
            print_table(table)

    def finish(
        self,
        values: dict[str, Any],
        facts: list[tuple[str, str]],
        outputs: dict[str, Path] | None = None,
        notes: Sequence[str] = (),
        *,
        changed: bool = True,
    ) -> None:
        """Report the result: `values` as JSON, or `facts` for people, with the size of the index if it was changed."""
        seconds = time.perf_counter() - self._begin
        notes = [*self._notes, *notes]
        self.stop_bars()
        if self._json:
            cost = {"bytes": folder_size(self.path), "seconds": round(seconds, 4), "peak_memory_bytes": peak_memory()}
            typer.echo(json.dumps({"path": str(self.path), **values, **cost, "notes": notes}, indent=2))
        elif not self._quiet:
            rate = f": {self.read / (seconds - self.startup):,.0f} items per second" if self.read > 1 else ""
            size = [("size", f"{megabytes(folder_size(self.path))} on disk")] if changed else []
            print_facts(self.console, [*facts, ("seconds", f"{seconds:.2f}{rate}"), *size], outputs or {})
            print_notes(self.console, notes)


def open_index(path: Path, settings: dict[str, Any] | None = None, timeout: float = 0) -> Index:
    """Open an index, with the number of threads in the settings; wait for another writer before a change."""
    return Index.open(path, (settings or {}).get("threads"), timeout=timeout)


def open_input(index: Index, inputs: list[str], settings: dict[str, Any]) -> closing[Source]:
    """Open files of items to add to an index or to search for; they are closed on exit."""
    return closing(index.source([Path(one) for one in inputs], **reading_options(settings)))


def reading_options(settings: dict[str, Any], kind: KindName | None = None) -> Reading:
    """Return the settings that determine how items of a kind are read."""
    wanted = {key: value for key, value in settings.items() if key in (*READING, "scratch")}
    return cast("Reading", {**wanted, "kind": kind, "batch_bytes": BATCH_BYTES})


def missing_fields(index: Index, source: Source) -> list[str]:
    """Return a note about stored fields that a source does not have."""
    lacking = [name for name in index.fields if path_of(source.schema, name) is None]
    if not lacking:
        return []
    return [f"the input has no column {' or '.join(lacking)}, which the index stores; these fields are null"]


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON values."""
    return [json.loads(line) for batch in table.to_batches() for line in json_lines(batch).splitlines()]


def describe_recipe(recipe: Recipe) -> str:
    """Describe how items are compared."""
    banding = recipe.banding
    how = "exact search" if banding is None else f"{banding.bands} bands of {banding.rows} rows"
    return f"{recipe.measure.name} {recipe.threshold:g} on {recipe.shingling}, {how}"


def describe_recall(recipe: Recipe) -> str:
    """Describe the recall at the threshold."""
    return f"{recipe.recall:.4f} at {recipe.threshold:g}"


def megabytes(size: int) -> str:
    """Return a size in megabytes, for people."""
    return f"{size / 1e6:,.1f} MB"
