"""One run: what is asked, its sources, and what it uses of the machine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lookalike.errors import InputError
from lookalike.kinds import kind_named
from lookalike.options import READING, check_names, plain, whole_number
from lookalike.plan import ask, check_early, kind_asked
from lookalike.read import open_source
from lookalike.resources import Resources
from lookalike.resources.progress import Stages
from lookalike.resources.scratch import Scratch
from lookalike.resources.threads import Threads

if TYPE_CHECKING:
    from types import TracebackType

    from lookalike.options import Settings
    from lookalike.read import Source


class Run:
    """One run. Leaving it deletes what is on disk."""

    def __init__(self, settings: Settings, inputs: Any, against: Any = None, rank: str | None = None) -> None:  # noqa: ANN401 - whatever holds items
        check_names(settings)
        settings = plain(settings)
        check_early(settings)
        self.sampled, self.examples = (whole_number(name, settings) for name in ("measure_recall", "examples"))
        self.threads = Threads(settings.get("threads"))
        self.stages = Stages(settings.get("watcher"))
        self.scratch = Scratch(Path(settings.get("scratch") or tempfile.gettempdir()))
        self.resources = Resources(self.threads, self.scratch, self.stages)
        reading: dict[str, Any] = {key: value for key, value in settings.items() if key in READING}
        reading |= {"kind": kind_asked(settings), "scratch": self.scratch.folder}
        self.source: Source = open_source(inputs, rank=rank, **reading)
        self.against: Source | None = None
        if against is not None:
            self.against = open_source(against, **reading)
            if self.source.kind != self.against.kind and self.source.estimated_rows() == 0:
                self.source = open_source(inputs, rank=rank, **{**reading, "kind": self.against.kind})
            check_comparable(self.source, self.against)
        self.kind = kind_named(self.source.kind)
        self.asked = ask(settings, self.source.kind)
        self.notes: list[str] = []

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


def check_comparable(one: Source, other: Source) -> None:
    """Raise where two collections can have nothing in common."""
    if one.kind != other.kind and other.estimated_rows() != 0:
        raise InputError(f"The items are {one.kind}, but `against` holds {other.kind}. Compare items of one kind")
    left, right = one.element_type, other.element_type
    if left is not None and right is not None and left != right:
        raise InputError(f"The elements of the sets are {left}, but those of `against` are {right}. Use one type")
