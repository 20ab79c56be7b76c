"""What commands on an index have in common: what they read, and what they tell."""

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
from lookalike.index.folder import size_of
from lookalike.options import READING
from lookalike.read.paths import expand
from lookalike.resources.progress import Stages, peak_memory
from lookalike.write.values import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.read import Batch, Kind, Reading, Source
    from lookalike.recipe import Recipe

BATCH = 4 << 20
"""Bytes of items that are read at a time."""


class Work(Session):
    """One command on an index at work."""

    def __init__(self, path: Path, *, quiet: bool, as_json: bool) -> None:
        super().__init__(quiet=quiet, as_json=as_json)
        self.path = path
        self.read = 0
        """How many items were read."""

    def stage(self, name: str, total: int | None = None) -> Any:  # noqa: ANN401 - a context of a function
        """Show how far a stage is."""
        return Stages(self._bars).stage(name, total)

    @contextmanager
    def reading(self, stage: str, source: Source) -> Iterator[Callable[[Batch], None]]:
        """Count the items of a source as they are read, and show how far that is."""
        with self.stage(stage, source.about()) as advance:

            def seen(batch: Batch) -> None:
                self.read += len(batch)
                advance(len(batch))

            yield seen

    @contextmanager
    def changing(self, index: Index) -> Iterator[None]:
        """Change an index, all of it or nothing, and have it known should the command end early."""
        with index.transaction():
            yield
            written.append("whether the change was made, lookalike index info tells")
        written.append("the index has been changed")

    def stop_bars(self) -> None:
        """Show no longer how far it is, so that something else can be printed."""
        if self._bars:
            self._bars.stop()

    def show(self, table: pa.Table) -> None:
        """Print a table, unless it goes in the JSON."""
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
        """Tell what was done: as values to a machine, or as facts to people; and how large the index is, if changed."""
        seconds = time.perf_counter() - self._begin
        self.stop_bars()
        if self._json:
            cost = {"bytes": size_of(self.path), "seconds": round(seconds, 4), "peak_memory_bytes": peak_memory()}
            typer.echo(json.dumps({"path": str(self.path), **values, **cost, "notes": list(notes)}, indent=2))
        elif not self._quiet:
            rate = f": {self.read / seconds:,.0f} items a second" if self.read > 1 else ""
            size = [("size", f"{megabytes(size_of(self.path))} on disk")] if changed else []
            print_facts(self.console, [*facts, ("seconds", f"{seconds:.2f}{rate}"), *size], outputs or {})
            print_notes(self.console, notes)


def opened(path: Path, settings: dict[str, Any] | None = None) -> Index:
    """Open an index, with as many threads as settings say."""
    return Index.open(path, (settings or {}).get("threads"))


def source_of(index: Index, inputs: list[str], settings: dict[str, Any]) -> closing[Source]:
    """Open files to be read into an index or looked for in it; they are closed when this is left."""
    return closing(index.source([Path(one) for one in inputs], **reading_of(settings)))


def reading_of(settings: dict[str, Any], kind: Kind | None = None) -> Reading:
    """Return those settings that say how items of a kind are read."""
    wanted = {key: value for key, value in settings.items() if key in (*READING, "scratch")}
    return cast("Reading", {**wanted, "kind": kind, "batch_bytes": BATCH})


def files_of(inputs: list[str], settings: dict[str, Any]) -> list[Path]:
    """Return the files that are read."""
    return [path for path in expand(inputs, lines=settings["lines"]) if str(path) != "-"]


def missing_fields(index: Index, source: Source) -> list[str]:
    """Say which stored fields a source does not have."""
    lacking = [name for name in index.fields if name not in source.schema.names]
    if not lacking:
        return []
    return [f"the input has no column {' or '.join(lacking)}, which the index stores; its items have null there"]


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON has them."""
    return [json.loads(line) for batch in table.to_batches() for line in json_lines(batch).splitlines()]


def by_recipe(recipe: Recipe) -> str:
    """Say how items are compared."""
    banding = recipe.banding
    how = "exact search" if banding is None else f"{banding.bands} bands of {banding.rows} rows"
    return f"{recipe.measure.name} {recipe.threshold:g} on {recipe.shingling}, {how}"


def megabytes(size: int) -> str:
    """Write a size for people."""
    return f"{size / 1e6:,.1f} MB"
