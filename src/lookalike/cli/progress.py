"""Progress bars on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task, TaskID

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
        )
        self._task: TaskID | None = None
        self._compiling: TaskID | None = None

    def start(self) -> None:
        """Show the bars."""
        self._progress.start()

    def stop(self) -> None:
        """Remove the bars."""
        self._progress.stop()

    def begin(self, stage: str, total: int | None) -> None:
        """Add a bar for a stage; without a total it only shows activity."""
        self._task = self._progress.add_task(stage, total=total)

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
