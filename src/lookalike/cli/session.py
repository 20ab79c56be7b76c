"""Sessions: what a command shows while it works and when it is done, and how long it takes."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console

from lookalike.cli.compilation import Compilation
from lookalike.cli.progress import Bars
from lookalike.cli.summary import print_summary
from lookalike.cli.tables import print_table
from lookalike.read.paths import expand
from lookalike.report import check, write
from lookalike.resources.progress import peak_memory
from lookalike.results import Nearest
from lookalike.write.outputs import write_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from lookalike.results import Deduplicated, Pairs
    from lookalike.summary import Summary

EXAMPLES = 3
"""Number of examples of each kind in a report."""


class Session:
    """A running command: its console, its progress bars and its clock."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self.console = Console(stderr=True)
        self._quiet = quiet
        self._json = as_json
        self._bars = Bars(self.console) if self.console.is_terminal and not quiet and not as_json else None
        self._compilation = Compilation("".join(sys.argv[1:2]), None if quiet else self.console, self._bars)
        self._begin = time.perf_counter()

    def __enter__(self) -> Self:
        self._compilation.start()
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._compilation.stop()
        if self._bars:
            self._bars.stop()


class RunSession(Session):
    """A running command that reads items and searches them: also its inputs, settings and report."""

    def __init__(
        self,
        settings: dict[str, Any],
        inputs: list[str],
        against: list[str] | None = None,
        *,
        report: Path | None = None,
        quiet: bool,
        as_json: bool,
    ) -> None:
        super().__init__(quiet=quiet, as_json=as_json)
        if report is not None:
            check(report)
            settings = {**settings, "examples": EXAMPLES}
        self.pages = {} if report is None else {"--report": report}
        self.inputs = [Path(path) for path in inputs]
        self.against = [Path(path) for path in against or []] or None
        self.files = [path for path in expand([*inputs, *(against or [])], lines=settings["lines"]) if str(path) != "-"]
        self._seconds: dict[str, float] = {}
        self.settings = {**settings, "watcher": self._bars}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Measure the time of a stage that the command itself carries out."""
        begin = time.perf_counter()
        yield
        self._seconds[stage] = round(time.perf_counter() - begin, 4)

    def deliver(self, found: Pairs | Nearest, output: Path | None) -> None:
        """Write a result to a file or, without one, print it, unless standard output is for the JSON summary."""
        with self.timed("write"):
            if output is not None:
                write_table(found.to_arrow(), output)
            elif not self._json:
                print_table(found.to_arrow())

    def finish(self, result: Pairs | Deduplicated | Nearest, outputs: dict[str, Path]) -> None:
        """Write the report, if any, and print the summary."""
        if self._bars:
            self._bars.stop()
        for page in self.pages.values():
            assert not isinstance(result, Nearest)  # noqa: S101 - there is no report about it
            final = self._final(result.summary)
            with self.timed("report"):
                write(result, page, final)
        summary = self._final(result.summary)
        if self._json:
            typer.echo(json.dumps(summary.to_dict(), indent=2))
        elif not self._quiet:
            print_summary(self.console, summary, {**outputs, **self.pages})

    def _final(self, summary: Summary) -> Summary:
        """Return a summary that includes the stages of the command itself so far."""
        total = round(time.perf_counter() - self._begin, 4)
        seconds = {**summary.seconds, **self._seconds, "total": total}
        return replace(summary, seconds=seconds, peak_memory_bytes=peak_memory())
