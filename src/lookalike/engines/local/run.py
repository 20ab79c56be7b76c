"""One run: what all its stages share."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lookalike.errors import InputError
from lookalike.options import READING, check_names, plain, whole_number
from lookalike.plan import check_early, kind_of, recipe_of
from lookalike.read import open_source
from lookalike.resources.progress import Stages
from lookalike.resources.scratch import Scratch
from lookalike.resources.threads import Threads

if TYPE_CHECKING:
    from types import TracebackType

    from lookalike.options import Settings
    from lookalike.read import Source


def check_alike(one: Source, other: Source) -> None:
    """Raise where two collections can have nothing in common."""
    if one.kind != other.kind and other.estimated_rows() != 0:
        raise InputError(
            f"The items are {one.kind}, but those they are compared with {other.kind}. Compare like with like"
        )
    here, there = one.element_type, other.element_type
    if here is not None and there is not None and here != there:
        raise InputError(
            f"The elements of the sets are of {here}, but those they are compared with of {there}. Make them one type"
        )


class Run:
    """One run: its recipe, its sources, its scratch columns, its clock. Leaving it deletes what is on disk."""

    def __init__(self, settings: Settings, inputs: Any, against: Any = None, rank: str | None = None) -> None:  # noqa: ANN401 - whatever holds texts
        check_names(settings)
        settings = plain(settings)
        check_early(settings)
        self.sampled, self.examples = (whole_number(name, settings) for name in ("measure_recall", "examples"))
        self.threads = Threads(settings.get("threads"))
        self.stages = Stages(settings.get("watcher"))
        self.scratch = Scratch(Path(settings.get("scratch") or tempfile.gettempdir()))
        reading: dict[str, Any] = {key: value for key, value in settings.items() if key in READING}
        reading |= {"kind": kind_of(settings), "scratch": self.scratch.folder}
        self.source: Source = open_source(inputs, rank=rank, **reading)
        self.against: Source | None = None
        if against is not None:
            self.against = open_source(against, **reading)
            if self.source.kind != self.against.kind and self.source.estimated_rows() == 0:
                self.source = open_source(inputs, rank=rank, **{**reading, "kind": self.against.kind})
            check_alike(self.source, self.against)
        self.recipe = recipe_of(settings, self.source.kind)
        self.recall = 1.0 if self.recipe.banding else settings.get("recall", 0.99)

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
