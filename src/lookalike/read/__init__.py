"""Files, frames, lists, matrices -> Arrow batches of items.

A `Source` is read twice: `batches` for what decides (item, id, rank), `rows` for every column of what is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from .base import Batch, Kind, Lines, Options, Reading, Source
from .baskets import baskets
from .files import FilesSource
from .memory import open_memory

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Batch", "Kind", "Lines", "Reading", "Source", "open_paths", "open_source"]


def open_source(inputs: Any, **reading: Unpack[Reading]) -> Source:  # noqa: ANN401  whatever holds items
    """Open what a Python caller passes.

    A `pathlib.Path`, or a list of them, means files. A list (any iterable) of strings means texts, one of sets or lists
    means sets. A dict maps ids to them. Anything with `__arrow_c_stream__` or `__arrow_c_array__` is a table, or a
    column. A sparse matrix has a set in each row. A bare string is refused, since it could mean either.
    """
    options = Options(**reading)
    paths = _as_paths(inputs)
    source = open_memory(inputs, options) if paths is None else FilesSource(paths, options)
    return baskets(source, options)


def open_paths(paths: Iterable[str | Path], **reading: Unpack[Reading]) -> Source:
    """Open what the command line names: files, directories, globs, "-" for stdin.

    Files are read in the sorted order of their paths, so that no result depends on the order they were given in.
    """
    options = Options(**reading)
    return baskets(FilesSource(paths, options), options)


def _as_paths(inputs: object) -> list[Path] | None:
    if isinstance(inputs, Path):
        return [inputs]
    if isinstance(inputs, (list, tuple)) and inputs and all(isinstance(item, Path) for item in inputs):
        return list(inputs)
    return None
