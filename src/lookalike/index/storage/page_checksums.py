"""Looks at the pages of a file as they are read, so that damage is an error and never a wrong answer.

A page is looked at once for as long as the file is held. That costs less than to have it read from disk, and nothing
from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.kernels.pages import BYTES, find_bad, find_bad_cells, find_bad_runs, sum_pages

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Summer:
    """Sums up the pages of a file as it is written."""

    def __init__(self) -> None:
        self._rest = b""
        self._sums: list[NDArray[np.uint64]] = []

    def take(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        together = b"".join((self._rest, data))
        whole = len(together) - len(together) % BYTES
        if whole:
            self._sums.append(sums_of(np.frombuffer(together, np.uint8, whole)))
        self._rest = together[whole:]

    def finish(self) -> NDArray[np.uint64]:
        """Return the sums, the last of what is left."""
        return np.concatenate([*self._sums, sums_of(np.frombuffer(self._rest, np.uint8))])


def sums_of(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the sums of the pages of some bytes, whole words of them."""
    words = data.view(np.uint64)
    sums = np.empty(-(-len(data) // BYTES), np.uint64)
    sum_pages(words, sums)
    return sums


@dataclass(frozen=True)
class Pages:
    """The pages of a file that is there, and which were looked at."""

    words: NDArray[np.uint64]
    sums: NDArray[np.uint64]
    seen: NDArray[np.uint8]

    @classmethod
    def of(cls, data: NDArray[np.uint8], sums: NDArray[np.uint64]) -> Pages:
        """Begin to look at the bytes of a file that were summed up."""
        return cls(data.view(np.uint64), sums, np.zeros(len(sums), np.uint8))

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.words, self.sums, self.seen

    def values_are_right(self, begin: int, width: int, places: NDArray[np.int64], following: int) -> bool:
        """Tell whether some values of a column, and so many after each, are what was written."""
        return not find_bad(self._columns, begin, width, places, following)

    def runs_are_right(self, begin: int, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> bool:
        """Tell whether some runs of bytes are."""
        return not find_bad_runs(self._columns, begin, begins, ends)

    def cells_are_right(
        self, begins: tuple[int, int], directory: NDArray[np.uint32], width: int, bits: int, keys: NDArray[np.uint64]
    ) -> bool:
        """Tell whether the postings are that some keys lead to, and the way there."""
        return not find_bad_cells(self._columns, begins, directory, width, bits, keys)
