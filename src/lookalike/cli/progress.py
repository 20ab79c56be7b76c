"""Progress: bars on a terminal, lines in a log."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from lookalike.cli import doing

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from rich.console import Console
    from rich.progress import Task, TaskID

    from lookalike.resources.progress import Watcher

UNITS = {
    "sign": "items",
    "compare": "rounds",
    "measure": "items",
    "add": "items",
    "query": "items",
    "export": "items",
    "compile": "kernels",
}
"""What the steps of a stage are."""

SHORT = 2.0
"""Seconds for which a command says nothing in a log: its summary is there soon enough."""

INTERVAL = 30.0
"""Seconds between two lines about the same stage in a log."""


class Diary:
    """A watcher that notes each stage, so that the message about an error can say which it was, and tells another."""

    def __init__(self, other: Watcher) -> None:
        self.begin = noted(other.begin)
        self.advance = other.advance
        self.end = other.end


def noted(begin: Callable[[str, int | None], None]) -> Callable[[str, int | None], None]:
    """Return a function that notes a stage and begins it."""

    def begin_noted(stage: str, total: int | None) -> None:
        doing.append(stage)
        begin(stage, total)

    return begin_noted


class Rate(ProgressColumn):
    """A column with the number of steps per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, or nothing while it is unknown."""
        if not task.speed:
            return Text("")
        return Text(f"{task.speed:,.0f} {UNITS.get(task.description, 'steps')}/s", style="progress.data.speed")


class Bars:
    """Progress bars, one per stage: name, progress, rate, time remaining."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("[bold]{task.description:8}"),
            BarColumn(),
            MofNCompleteColumn(),
            Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            transient=True,
            redirect_stdout=False,  # which would send results to the console of the bars, not where they belong
            redirect_stderr=False,
        )
        self._task: TaskID | None = None
        self._compiling: TaskID | None = None

    def start(self) -> None:
        """Show the bars."""
        self._progress.start()

    def stop(self) -> None:
        """Remove the bars."""
        self._progress.stop()

    def clear(self) -> None:
        """Remove the bars, as the command itself may print from now on."""
        self.stop()

    def begin(self, stage: str, total: int | None) -> None:
        """Add a bar for a stage; without a total it only shows activity."""
        self._task = self._progress.add_task(stage, total=total)

    def hint(self, text: str) -> None:
        """Print what to expect above the bars."""
        self._progress.console.print(text, style="dim", highlight=False)

    def advance(self, steps: int) -> None:
        """Advance the current bar."""
        if self._task is not None:
            self._progress.advance(self._task, steps)

    def end(self, seconds: float) -> None:  # noqa: ARG002 - the bar has its own clock
        """Fill the current bar."""
        if self._task is not None:
            done = self._progress.tasks[self._task].completed
            self._progress.update(self._task, total=max(done, 1), completed=max(done, 1))

    def show_compiled(self, done: int, total: int) -> None:
        """Show how many kernels have been compiled, beside the current stage."""
        if self._compiling is None:
            self._compiling = self._progress.add_task("compile", total=total)
        self._progress.update(self._compiling, completed=done, total=total)


class Lines:
    """Progress in a log: a line when a stage ends, and one every half minute until it does, with date and time.

    The lines of a command that takes less than two seconds are not written.
    """

    def __init__(self, file: TextIO, interval: float = INTERVAL, short: float = SHORT) -> None:
        self._file = file
        self._interval = interval
        self._stages: list[Stage] = []
        self._held: list[str] = []
        self._hold_until = time.monotonic() + short
        self._lock = threading.RLock()
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin to write about stages that take long."""
        threading.Thread(target=self._repeat, name="lookalike-log", daemon=True).start()

    def stop(self) -> None:
        """Write no more."""
        self._stopped.set()

    def clear(self) -> None:
        """Do nothing: lines of a log do not get in the way of what is printed."""

    def begin(self, stage: str, total: int | None) -> None:
        """Begin a stage."""
        with self._lock:
            self._stages.append(Stage(stage, total))

    def advance(self, steps: int) -> None:
        """Advance the current stage."""
        if self._stages:
            self._stages[-1].done += steps

    def end(self, seconds: float) -> None:
        """Write how long the current stage took."""
        with self._lock:
            if self._stages:
                self._write(self._stages.pop().outcome(seconds))

    def _repeat(self) -> None:
        """Write how far a stage is as long as it takes. A stage that began within another one has the floor."""
        while not self._stopped.wait(self._interval):
            with self._lock:
                if self._stages:
                    self._write(self._stages[-1].state())

    def _write(self, line: str) -> None:
        with self._lock:
            self._held.append(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")
            if time.monotonic() >= self._hold_until:
                self._file.write("".join(self._held))
                self._file.flush()
                self._held.clear()


class Stage:
    """A stage in a log: how far it is."""

    def __init__(self, name: str, total: int | None) -> None:
        self.name = name
        self.total = total
        self.done = 0
        self._begin = time.monotonic()

    def state(self) -> str:
        """Return how far the stage is, at which rate, and how long it takes so far."""
        seconds = time.monotonic() - self._begin
        unit = UNITS.get(self.name, "steps")
        of = f" of {self.total:,}" if self.total is not None and self.total >= self.done else ""
        done = f"{self.done:,}{of} {unit}, {self.done / max(seconds, 1e-9):,.0f} per second, " if self.done else ""
        return f"{self.name}: {done}{seconds:,.0f} s so far"

    def outcome(self, seconds: float) -> str:
        """Return what the stage did, and how long it took."""
        done = f"{self.done:,} {UNITS.get(self.name, 'steps')} in " if self.done else ""
        return f"{self.name}: {done}{seconds:,.1f} s"
