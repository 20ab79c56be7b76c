"""Progress bars on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba.core import event
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task, TaskID

UNITS = {"sign": "items", "compare": "rounds", "measure": "items", "add": "items", "query": "items", "export": "items"}
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

    def start(self) -> None:
        """Show the bars."""
        self._progress.start()

    def stop(self) -> None:
        """Remove the bars."""
        self._progress.stop()

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


class _Announcement(event.Listener):
    """A listener that announces the compilation of kernels once."""

    def __init__(self, console: Console) -> None:
        self._console: Console | None = console

    def on_start(self, event: Any) -> None:  # noqa: ANN401, ARG002
        if self._console is not None:
            self._console.print("Compiling kernels: this happens once, and takes 10 to 20 seconds.", style="dim")
            self._console = None

    def on_end(self, event: Any) -> None:  # noqa: ANN401
        """Do nothing."""


def announce_compilation(console: Console) -> None:
    """Print a line if kernels have to be compiled, so that a slow first run does not look broken."""
    event.register("numba:compile", _Announcement(console))  # type: ignore[no-untyped-call]  # Numba has no types
