"""What commands that run the flow have in common: inputs, progress, summary."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import typer
from rich.console import Console

from lookalike.cli.progress import Bars, announce_compilation
from lookalike.cli.show import print_summary, print_table
from lookalike.errors import InputError
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
"""Examples of each kind on the page about a run."""


class Session:
    """One command at work: what it tells whom, and how long it takes."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self.console = Console(stderr=True)
        self._quiet = quiet
        self._json = as_json
        self._bars = Bars(self.console) if self.console.is_terminal and not quiet and not as_json else None
        self._begin = time.perf_counter()

    def __enter__(self) -> Self:
        if not self._quiet:
            announce_compilation(self.console)
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()


class Job(Session):
    """A command that runs the flow: also what it reads."""

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
        """Time a stage that the command itself does."""
        begin = time.perf_counter()
        yield
        self._seconds[stage] = round(time.perf_counter() - begin, 4)

    def deliver(self, found: Pairs | Nearest, output: Path | None) -> None:
        """Write a table of what was found; without an output, print it, unless that is for the summary."""
        with self.timed("write"):
            if output is not None:
                write_table(found.to_arrow(), output)
            elif not self._json:
                print_table(found)

    def finish(self, result: Pairs | Deduplicated | Nearest, outputs: dict[str, Path]) -> None:
        """Tell what was done, on a page too if one is wanted."""
        if self._bars:
            self._bars.stop()
        for page in self.pages.values():
            assert not isinstance(result, Nearest)  # noqa: S101 - there is no page about it
            final = self._final(result.summary)
            with self.timed("report"):
                write(result, page, final)
        summary = self._final(result.summary)
        outputs = {**outputs, **self.pages}
        if self._json:
            typer.echo(json.dumps(summary.to_dict(), indent=2))
        elif not self._quiet:
            print_summary(self.console, summary, outputs)

    def _final(self, summary: Summary) -> Summary:
        """Return a summary with what the command itself did, up to now."""
        total = round(time.perf_counter() - self._begin, 4)
        seconds = {**summary.seconds, **self._seconds, "total": total}
        return replace(summary, seconds=seconds, peak_memory_bytes=peak_memory())


def read_text(path: Path, errors: str) -> str:
    """Read a text file, or say in one sentence why not."""
    mode: Literal["strict", "replace"] = "replace" if errors == "replace" else "strict"
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}. Check the name") from error
    try:
        return data.decode("utf-8-sig", mode)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not valid UTF-8 at byte {error.start}. Go on with --encoding-errors replace"
        ) from error
