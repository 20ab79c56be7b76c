"""Checksums of file pages, verified as pages are first read, so that damage is an error and never a wrong answer.

A page is verified once for as long as the file is open. That costs less than reading it from disk, and nothing from
then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.kernels.pages import BYTES, find_bad, find_bad_cells, find_bad_runs, sum_pages

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PageSummer:
    """Computes the checksums of the pages of a file as it is written."""

    def __init__(self) -> None:
        self._rest = b""
        self._sums: list[NDArray[np.uint64]] = []

    def update(self, data: bytes | memoryview) -> None:
        """Add the next bytes."""
        together = b"".join((self._rest, data))
        whole = len(together) - len(together) % BYTES
        if whole:
            self._sums.append(page_sums(np.frombuffer(together, np.uint8, whole)))
        self._rest = together[whole:]

    def finish(self) -> NDArray[np.uint64]:
        """Return the checksums; the last is that of the remaining bytes."""
        return np.concatenate([*self._sums, page_sums(np.frombuffer(self._rest, np.uint8))])


def page_sums(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the checksums of the pages of some bytes, whose number is a multiple of 8."""
    words = data.view(np.uint64)
    sums = np.empty(-(-len(data) // BYTES), np.uint64)
    sum_pages(words, sums)
    return sums


@dataclass(frozen=True)
class Pages:
    """The pages of an existing file, and which of them were verified."""

    words: NDArray[np.uint64]
    sums: NDArray[np.uint64]
    verified: NDArray[np.uint8]

    @classmethod
    def of(cls, data: NDArray[np.uint8], sums: NDArray[np.uint64]) -> Pages:
        """Return the pages of a file, none of them verified."""
        return cls(data.view(np.uint64), sums, np.zeros(len(sums), np.uint8))

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.words, self.sums, self.verified

    def verify_values(self, begin: int, width: int, rows: NDArray[np.int64], following: int) -> bool:
        """Return whether rows of a column, and `following` rows after each, are intact."""
        return not find_bad(self._columns, begin, width, rows, following)

    def verify_runs(self, begin: int, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> bool:
        """Return whether runs of bytes of a column are intact."""
        return not find_bad_runs(self._columns, begin, begins, ends)

    def verify_cells(
        self, begins: tuple[int, int], directory: NDArray[np.uint32], width: int, bits: int, keys: NDArray[np.uint64]
    ) -> bool:
        """Return whether the directory cells of some keys, and the postings they lead to, are intact."""
        return not find_bad_cells(self._columns, begins, directory, width, bits, keys)
