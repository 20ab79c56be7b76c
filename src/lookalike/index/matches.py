"""Results of queries: the items of an index that resemble the queries."""

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
    """An item of an index that resembles a query."""

    id: Any
    value: float
    """The exact similarity, or distance."""
    fields: dict[str, Any] = field(default_factory=dict)
    """The stored fields of the item."""
    column: Column = "similarity"
    """Whether the value is a similarity or a distance."""

    @property
    def similarity(self) -> float:
        """The similarity; an index with a distance measure has none."""
        return value_as("similarity", self.column, self.value)

    @property
    def distance(self) -> float:
        """The distance; an index with a similarity measure has none."""
        return value_as("distance", self.column, self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the match as a dict of plain values."""
        return {"id": self.id, self.column: self.value, **self.fields}

    def __repr__(self) -> str:
        return f"Match(id={self.id!r}, {self.column}={self.value!r}, fields={self.fields!r})"


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of many queries, the best of each first.

    Columns are query (from 0), id, similarity or distance, and stored fields.

    `matches[i]` is the list of matches of query i; iterating yields these lists.
    """

    table: pa.Table = field(repr=False)
    queries: int
    """Number of queries."""
    threshold: float
    recipe: Recipe = field(repr=False)
    _bounds: NDArray[np.int64] = field(repr=False)
    """Where the matches of each query begin, and where the last end."""

    @property
    def recall(self) -> float:
        """The probability that an item exactly at the threshold is found; higher for more similar items."""
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
    """Return the rows of a table as matches."""
    _, _, column, *names = table.column_names
    return [
        Match(one, value, dict(zip(names, rest, strict=True)), column)
        for one, value, *rest in zip(*(column.to_pylist() for column in table.columns[1:]), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Added:
    """The result of adding only new items."""

    added: int
    """Number of items added."""
    skipped: pa.Table = field(repr=False)
    """Items that were not added: columns id, match (the most similar item), similarity or distance."""

    def __len__(self) -> int:
        return self.added
