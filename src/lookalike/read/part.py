"""What most files have in common: a label, rows that are numbered, and no lines to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .naming import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from .base import Lines, Options


class OneFile:
    """One file whose items are its rows, plain or compressed."""

    def __init__(self, path: Path, label: str, options: Options, codec: str | None = None) -> None:
        self.paths: tuple[Path, ...] = (path,)
        self.label = label
        self._path = path
        self._codec = codec
        self._options = options

    def raw_rows(self) -> Iterator[Lines]:
        """Refuse: a row is no line, unless a format says so."""
        raise NotImplementedError

    def names(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Name rows path:row; what is no row, such as a header or a blank line, is not counted."""
        return numbered(self.label, rows)

    def where(self, row: int) -> str:
        """Name the file and the row, counted from 1."""
        return f"{self.label}, row {row + 1}"
