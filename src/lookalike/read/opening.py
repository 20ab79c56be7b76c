"""Whatever holds items -> a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from .files import FilesSource
from .long_tables import gather_sets
from .memory import open_memory
from .options import Options, Reading
from .paths import named_files, refuse_idle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .base import Source


def open_source(inputs: Any, **reading: Unpack[Reading]) -> Source:  # noqa: ANN401  whatever holds items
    """Open what a Python caller passes.

    A string or a `pathlib.Path` names a file, a folder or a glob; a list of paths names several. A list of strings
    holds texts, unless every string ends in the suffix of a data file and at least one of them names a file that
    exists. Other lists, and any iterable, hold items. A dict maps ids to items. Anything with `__arrow_c_stream__` or
    `__arrow_c_array__` is a table, or a column. A sparse matrix has a set in each row.
    """
    files = named_files(inputs)
    return open_values(inputs, **reading) if files is None else open_paths(files, **reading)


def open_values(inputs: Any, **reading: Unpack[Reading]) -> Source:  # noqa: ANN401  whatever holds items
    """Open items in memory; strings are texts, whatever they look like."""
    options = Options(**reading)
    return _checked(gather_sets(open_memory(inputs, options), options), options)


def open_paths(paths: Iterable[str | Path], **reading: Unpack[Reading]) -> Source:
    """Open what the command line names: files, folders, globs, "-" for stdin.

    Files are read in the sorted order of their paths, so that no result depends on the order they were given in.
    """
    options = Options(**reading)
    return _checked(gather_sets(FilesSource(paths, options), options), options)


def _checked(source: Source, options: Options) -> Source:
    """Return a source; raise if patterns had nothing to choose from."""
    if not options.shared:
        refuse_idle([source.listing])
    return source
