"""Examples of what a run decided, for people to look at: clusters, and pairs close to the threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ExampleKind = Literal["largest", "typical", "above", "below"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two items of an example."""

    id: str
    text: str = field(repr=False)
    """The text in the form that was compared; token ids as numbers with spaces between them, a set with commas."""
    differs: tuple[Span, ...] = field(repr=False)
    """Where the text has tokens that no shared shingle covers, as positions of characters."""
    more: int
    """Characters, token ids or elements beyond those held in `text`."""


@dataclass(frozen=True, slots=True)
class Example:
    """Two items side by side: the keeper of a cluster and a member, or a pair just above or below the threshold."""

    kind: ExampleKind
    similarity: float
    size: int | None
    """Items in the cluster; none for pairs close to the threshold."""
    left: Side
    right: Side
