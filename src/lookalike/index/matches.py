"""Answers: what an index holds that resembles an item."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from lookalike.measures import value_as

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.measures import Column
    from lookalike.recipe import Recipe


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """An item of an index that resembles the one asked about."""

    id: Any
    value: float
    """The similarity, or the distance, exactly."""
    fields: dict[str, Any] = field(default_factory=dict)
    """What is stored with it."""
    column: Column = "similarity"
    """Which of the two the value is."""

    @property
    def similarity(self) -> float:
        """How similar it is; an index by distance has none."""
        return value_as("similarity", self.column, self.value)

    @property
    def distance(self) -> float:
        """How far apart it is; an index by similarity has none."""
        return value_as("distance", self.column, self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"id": self.id, self.column: self.value, **self.fields}

    def __repr__(self) -> str:
        return f"Match(id={self.id!r}, {self.column}={self.value!r}, fields={self.fields!r})"


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of many items, the best of each first.

    Columns are query (from 0), id, similarity or distance, and stored fields.

    `matches[i]` is a list of those of item i; iterating goes through the lists.
    """

    table: pa.Table = field(repr=False)
    queries: int
    """How many items were asked about."""
    threshold: float
    recipe: Recipe = field(repr=False)
    _bounds: NDArray[np.int64] = field(repr=False)
    """Where the matches of each item begin, and the last end."""

    @property
    def recall(self) -> float:
        """The chance of an item exactly at the threshold to be found; of a more similar one it is better."""
        return self.recipe.chance(self.threshold)

    def to_arrow(self) -> pa.Table:
        """Return all matches as a table."""
        return self.table

    def __len__(self) -> int:
        return self.queries

    @overload
    def __getitem__(self, query: int) -> list[Match]: ...
    @overload
    def __getitem__(self, query: slice) -> list[list[Match]]: ...
    def __getitem__(self, query: int | slice) -> list[Match] | list[list[Match]]:
        if isinstance(query, slice):
            return [self[i] for i in range(*query.indices(self.queries))]
        if not -self.queries <= query < self.queries:
            raise IndexError(query)
        begin, end = self._bounds[query % self.queries], self._bounds[query % self.queries + 1]
        return as_matches(self.table.slice(begin, end - begin))

    def __iter__(self) -> Iterator[list[Match]]:
        return (self[i] for i in range(self.queries))


def as_matches(table: pa.Table) -> list[Match]:
    """Return the rows of a table of matches."""
    _, _, column, *names = table.column_names
    return [
        Match(one, value, dict(zip(names, rest, strict=True)), column)
        for one, value, *rest in zip(*(column.to_pylist() for column in table.columns[1:]), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Added:
    """What became of items of which only the new ones were to be added."""

    added: int
    skipped: pa.Table = field(repr=False)
    """Those that were not: columns id, match (what it resembles most), similarity or distance."""

    def __len__(self) -> int:
        return self.added
