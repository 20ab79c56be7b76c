"""One run: what is asked, its sources, and what it uses of the machine."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lookalike.errors import InputError, RecipeError
from lookalike.kinds import kind_named
from lookalike.options import AGAINST, READING, check_names, plain, whole_number
from lookalike.plan import ask, check_early, kind_asked
from lookalike.read import open_source
from lookalike.read.paths import refuse_idle, refuse_stdin_twice
from lookalike.resources import Resources
from lookalike.resources.compilation import stopwatch
from lookalike.resources.progress import Stages
from lookalike.resources.scratch import Scratch
from lookalike.resources.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from lookalike.options import Settings
    from lookalike.read import Source


PREFIX = "against_"
"""What begins the names of options that are only for the items of `against`."""


class Run:
    """One run. Leaving it deletes what is on disk."""

    def __init__(self, settings: Settings, inputs: Any, against: Any = None, rank: str | None = None) -> None:  # noqa: ANN401 - whatever holds items
        self.stages = Stages(settings.get("watcher"), stopwatch.seconds)
        with self.stages.timed("open"):
            self._open(settings, inputs, against, rank)

    def _open(self, settings: Settings, inputs: Any, against: Any, rank: str | None) -> None:  # noqa: ANN401
        check_names(settings)
        settings = plain(settings)
        check_early(settings)
        self.sampled, self.examples = (whole_number(name, settings) for name in ("measure_recall", "examples"))
        self.threads = Threads(settings.get("threads"))
        self.scratch = Scratch(Path(settings.get("scratch") or tempfile.gettempdir()))
        self.resources = Resources(self.threads, self.scratch, self.stages)
        reading: dict[str, Any] = {key: value for key, value in settings.items() if key in READING}
        reading |= {"kind": kind_asked(settings), "scratch": self.scratch.folder, "shared": against is not None}
        of_against = own_columns(settings, given=against is not None)
        if against is not None:
            refuse_stdin_twice(inputs, against)
        self.source: Source = open_source(inputs, rank=rank, **reading)
        self.against: Source | None = None
        if against is not None:
            with naming_own_columns(of_against):
                self.against = open_source(against, **{**reading, **of_against})
            if self.source.kind != self.against.kind and self.source.estimated_rows() == 0:
                self.source = open_source(inputs, rank=rank, **{**reading, "kind": self.against.kind})
            check_comparable(self.source, self.against)
            refuse_idle([source.listing for source in self.sources])
        self.kind = kind_named(self.source.kind)
        self.asked = ask(settings, self.source.kind)
        self.notes: list[str] = []
        if (on_open := settings.get("on_open")) is not None:
            on_open(self.source)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The collections: one, or two that are compared."""
        return (self.source,) if self.against is None else (self.source, self.against)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.threads.close()
        self.scratch.close()


def own_columns(settings: Settings, *, given: bool) -> dict[str, Any]:
    """Return the names of columns that `against` has its own names for; raise if there are some, but no `against`."""
    own = {name: value for name, value in settings.items() if name in AGAINST and value is not None}
    if own and not given:
        raise RecipeError(f"`{min(own)}` is a column of `against`, which is not given. Leave it out")
    return {name.removeprefix(PREFIX): value for name, value in own.items()}


@contextmanager
def naming_own_columns(own: Iterable[str]) -> Iterator[None]:
    """Have errors about columns of `against` name the option that was given for them."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for name in own:
            message = message.replace(f"`{name}`", f"`{PREFIX}{name}`")
        raise InputError(message) from error


def check_comparable(one: Source, other: Source) -> None:
    """Raise where two collections can have nothing in common."""
    if one.kind != other.kind and other.estimated_rows() != 0:
        raise InputError(f"The items are {one.kind}, but `against` holds {other.kind}. Compare items of one kind")
    left, right = one.element_type, other.element_type
    if left is not None and right is not None and left != right:
        raise InputError(f"The elements of the sets are {left}, but those of `against` are {right}. Use one type")
