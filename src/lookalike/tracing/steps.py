"""The one-pass algorithm: all signatures from one pass over the rows of the characteristic matrix, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lookalike.tracing.tables import INFINITE, Cells, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from lookalike.tracing.tables import Grid


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One row of the one-pass algorithm, and the signatures after it."""

    row: int
    """The number of the row."""
    name: Any
    """The element that the row stands for."""
    hashes: tuple[int, ...]
    """The number of the row in each slot."""
    signatures: NDArray[np.int64]
    """The signatures so far, a row per slot; `INFINITE` where no row has been seen yet."""
    changed: NDArray[np.bool_]
    """Which slots became smaller in this step."""


class Steps(tuple[Step, ...]):  # noqa: SLOT001 - a tuple cannot have slots for values
    """The steps of the one-pass algorithm, in order: a tuple that prints itself as a table."""

    _labels: tuple[str, ...]
    _columns: tuple[Any, ...]

    def __new__(cls, steps: Iterable[Step], labels: tuple[str, ...], columns: tuple[Any, ...]) -> Self:
        """Make a table of steps, with the names of slots and columns."""
        made = super().__new__(cls, steps)
        made._labels, made._columns = labels, columns
        return made

    def cells(self) -> Cells:
        """Return the table as texts: each row with its numbers, and the signatures after it."""
        head = ["row", "", *self._labels, *map(shown, self._columns)]
        lines = [
            [str(step.row), shown(step.name), *map(shown, step.hashes), *map(slots_shown, step.signatures.T)]
            for step in self
        ]
        first = 2 + len(self._labels)
        marked = {
            (number, first + int(place))
            for number, step in enumerate(self)
            for place in np.flatnonzero(step.changed.any(axis=0))
        }
        return Cells(head, lines, marked=frozenset(marked), names=2)

    def __repr__(self) -> str:
        return self.cells().text()

    def _repr_html_(self) -> str:
        return self.cells().html()


def slots_shown(signature: NDArray[np.int64]) -> str:
    """Format the slots of one column.

    >>> slots_shown(np.array([1, INFINITE]))
    '1 ∞'
    """
    return " ".join(map(shown, signature))


def one_pass(matrix: Grid, numbers: NDArray[np.int64], first_row: int) -> Iterator[Step]:
    """Yield a step per row: every column that has the row takes its numbers where they are smaller than its own."""
    signatures = np.full((len(numbers), len(matrix.columns)), INFINITE, np.int64)
    for number, (name, row) in enumerate(zip(matrix.rows, matrix.values, strict=True)):
        hashes = numbers[:, number]
        changed = (row > 0)[None, :] & (hashes[:, None] < signatures)
        signatures = np.where(changed, hashes[:, None], signatures)
        yield Step(first_row + number, name, tuple(hashes.tolist()), signatures, changed)
