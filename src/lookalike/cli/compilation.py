"""Compilation of kernels during a command: shows what is compiled, and shares the work with a second process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.kernels.compiled.ahead import Helper, helper
from lookalike.kernels.compiled.cache import Observed, Warner, files
from lookalike.kernels.compiled.needed import everything, needed_with
from lookalike.resources.threads import thread_count

if TYPE_CHECKING:
    from rich.console import Console

    from lookalike.cli.progress import Bars


class Compilation:
    """An observer of compilation during a command. Without a console, it says nothing, but the work is still shared."""

    def __init__(self, command: str, console: Console | None = None, bars: Bars | None = None) -> None:
        self._command = command
        self._console = console
        self._bars = bars
        self._depth = 0
        self._awaited: set[str] = set()
        self._helpers: list[Helper] = []

    def start(self) -> None:
        """Observe what this process compiles."""
        Observed.observer = self

    def stop(self) -> None:
        """End what is still compiled by others, as it is no longer needed."""
        Observed.observer = Warner()
        for one in self._helpers:
            one.stop()

    def compiling(self, file: str) -> None:
        """Announce a kernel that is not part of another one, with what the same run needs."""
        self._depth += 1
        if self._depth == 1 and file not in self._awaited:
            self._announce(file)

    def compiled(self, file: str) -> None:  # noqa: ARG002 - another process may have compiled more
        """Show how far it is."""
        self._depth -= 1
        if self._depth == 0 and self._bars is not None:
            done = sum(files().has(awaited) for awaited in self._awaited)
            self._bars.show_compiled(done, len(self._awaited))

    def not_kept(self, why: str) -> None:
        """Print why kernels will be compiled again."""
        if self._console is not None:
            self._console.print(Text(f"Note: {why}.", style="yellow"), soft_wrap=True)

    def _announce(self, file: str) -> None:
        """Say how many kernels are compiled, once for all that are known to be needed; share the work."""
        needed = needed_with(file, self._command)
        if needed is None:  # what is next will tell more
            return
        missing = [one for one in needed if not files().has(one.file)]
        new = {file, *(one.file for one in missing)}
        if self._console is not None:
            self._console.print(Text(announcement(len(new), more=bool(self._awaited)), style="dim"), soft_wrap=True)
        self._awaited |= new
        others = [one for one in reversed(missing) if one.file != file]  # the first ones are compiled here meanwhile
        started = helper(others) if others and thread_count(None) > 1 else None
        if started is not None:
            self._helpers.append(started)


def announcement(count: int, *, more: bool) -> str:
    """Return the line that explains why a first run takes longer."""
    kernels = f"Compiling {count}{' more' if more else ''} of {len(everything())} kernels"
    folder = files().folder
    if folder is None or more:
        return f"{kernels}."
    if folder.private:
        return f"{kernels}. They are kept in {folder.path}, as no other folder can be written to."
    return f"{kernels}, once for this installation. To compile all of them in advance, run: lookalike warm-up"
