"""Sessions: what a command shows while it works and when it is done, and how long it takes."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console

from lookalike.cli import BEGUN, doing
from lookalike.cli.compilation import Compilation
from lookalike.cli.progress import Bars, Diary, Lines
from lookalike.cli.record import record
from lookalike.cli.summary import print_summary
from lookalike.cli.tables import print_table
from lookalike.errors import OutputError
from lookalike.read.paths import list_files
from lookalike.report import check, write
from lookalike.resources.progress import Silent, peak_memory
from lookalike.results import Nearest
from lookalike.write.checks import check_outputs
from lookalike.write.outputs import write_table
from lookalike.write.places import descriptor_of, is_stdout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from lookalike.results import Deduplicated, Pairs
    from lookalike.summary import Summary

EXAMPLES = 3
"""Number of examples of each kind in a report."""


sessions = count()
"""Sessions of this process. Only the first can tell how long the command took to start."""


class Session:
    """A running command: its console, its progress bars and its clock."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        doing.append("open")
        self.console = Console(stderr=True)
        self.console.soft_wrap = not self.console.is_terminal  # lines of a log are not wrapped
        self._quiet = quiet
        self._json = as_json
        bars = Bars(self.console) if self.console.is_terminal and not as_json and not quiet else None
        self._bars: Bars | Lines | None = None if quiet else bars or Lines(sys.stderr)
        self._compilation = Compilation("".join(sys.argv[1:2]), None if quiet else self.console, bars)
        self.watcher = Diary(self._bars or Silent())
        self._begin = time.perf_counter() if next(sessions) else BEGUN
        self.startup = time.perf_counter() - self._begin
        self._seconds = {"start": self.startup}

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

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Measure the time of a stage that the command itself carries out, which may print."""
        if self._bars:
            self._bars.clear()
        doing.append(stage)
        begin = time.perf_counter()
        yield
        self._seconds[stage] = self._seconds.get(stage, 0.0) + time.perf_counter() - begin

    def refuse_two_on_stdout(self, outputs: Mapping[str, Path]) -> None:
        """Raise if standard output is for an output, and for the JSON summary too."""
        if self._json and any(is_stdout(path) or descriptor_of(path) == 1 for path in outputs.values()):
            raise OutputError("`json` prints the summary to standard output, which is an output here. Leave one out")


def input_files(inputs: list[str], settings: dict[str, Any]) -> list[Path]:
    """Return the files that are read, without standard input."""
    return list_files(
        [Path(one) if one else one for one in inputs], settings.get("include"), settings.get("exclude")
    ).paths


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
        self.pages = {} if report is None else {"--report": report}
        self.inputs = [Path(path) for path in inputs]
        self.against = [Path(path) for path in against or []] or None
        with self.timed("open"):
            if report is not None:
                check(report)
                settings = {**settings, "examples": EXAMPLES}
            self.files = [path for given in (inputs, against) if given for path in input_files(given, settings)]
        self.settings = {**settings, "watcher": self.watcher}

    def check_outputs(self, outputs: Mapping[str, Path], *, force: bool, **how: Any) -> None:  # noqa: ANN401
        """Raise, before any work is done, if outputs or the report cannot or must not be written."""
        self.refuse_two_on_stdout({**outputs, **self.pages})
        check_outputs(outputs, self.files, force=force, others=self.pages, **how)

    def deliver(self, found: Pairs | Nearest, output: Path | None, output_format: str | None = None) -> None:
        """Write a result to a file or, without one, print it, unless standard output is for the JSON summary."""
        with self.timed("write"):
            if output is not None:
                write_table(found.to_arrow(), output, output_format)
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
            how = record(result, self.settings, self.inputs, self.against or [])
            typer.echo(json.dumps({**how, **summary.to_dict()}, indent=2))
        elif not self._quiet:
            print_summary(self.console, summary, {**outputs, **self.pages})

    def _final(self, summary: Summary) -> Summary:
        """Return a summary that includes the stages of the command itself so far, and accounts for all its time."""
        return replace(summary, seconds=self._all_seconds(summary.seconds), peak_memory_bytes=peak_memory())

    def _all_seconds(self, stages: Mapping[str, float]) -> dict[str, float]:
        """Return the time of each stage, of what belongs to none, and of everything since the command was started."""
        seconds = {"start": 0.0, "open": 0.0, **stages}
        for stage, took in self._seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + took
        total = time.perf_counter() - self._begin
        seconds |= {"other": max(total - sum(seconds.values()), 0.0), "total": total}
        return {stage: round(took, 4) for stage, took in seconds.items()}
