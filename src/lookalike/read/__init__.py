"""Files, frames, lists -> Arrow batches of items.

A `Source` is read twice: `batches` for what decides (text, id, rank), `rows` for every column of what is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .base import Batch, EncodingErrors, Lines, Options, Source
from .files import FilesSource
from .memory import open_memory

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Batch", "Lines", "Source", "open_paths", "open_source"]


def open_source(
    inputs: Any,  # noqa: ANN401  whatever holds texts
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002  the column is called so everywhere
    rank: str | None = None,
    tokens: bool = False,
    lines: bool = False,
    encoding_errors: EncodingErrors = "strict",
    batch_bytes: int = 4 << 20,
    scratch: Path | None = None,
) -> Source:
    """Open what a Python caller passes.

    A `pathlib.Path`, or a list of them, means files. A list (any iterable) of strings means texts. A dict maps ids
    to texts. Anything with `__arrow_c_stream__` or `__arrow_c_array__` is a table, or a column of texts. A bare string
    is refused, since it could mean either.

    Args:
        inputs: What to read.
        text: The column to compare; guessed if there is a usual name or a single candidate.
        id: The column that names items; never guessed.
        rank: The column that `keep=max:COLUMN` compares.
        tokens: Whether items are lists of integers instead of texts.
        lines: Whether files are text with an item a line.
        encoding_errors: What to do with text that is not UTF-8: refuse ("strict") or use U+FFFD ("replace").
        batch_bytes: About how much text is in memory at a time.
        scratch: Where to keep what can be read only once; the system's place for temporary files if None.

    """
    options = Options(text, id, rank, tokens, lines, encoding_errors, batch_bytes, scratch)
    paths = _as_paths(inputs)
    return open_memory(inputs, options) if paths is None else FilesSource(paths, options)


def open_paths(
    paths: Iterable[str | Path],
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002  the column is called so everywhere
    rank: str | None = None,
    tokens: bool = False,
    lines: bool = False,
    encoding_errors: EncodingErrors = "strict",
    batch_bytes: int = 4 << 20,
    scratch: Path | None = None,
) -> Source:
    """Open what the command line names: files, directories, globs, "-" for stdin. Options as in `open_source`.

    Files are read in the sorted order of their paths, so that no result depends on the order they were given in.
    """
    return FilesSource(paths, Options(text, id, rank, tokens, lines, encoding_errors, batch_bytes, scratch))


def _as_paths(inputs: object) -> list[Path] | None:
    if isinstance(inputs, Path):
        return [inputs]
    if isinstance(inputs, (list, tuple)) and inputs and all(isinstance(item, Path) for item in inputs):
        return list(inputs)
    return None
