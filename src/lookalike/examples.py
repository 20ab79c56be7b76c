"""Examples of what a run decided, for a reader to inspect: clusters, and pairs close to the threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ExampleKind = Literal["largest", "typical", "chained", "above", "below"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two items of an example."""

    id: str
    text: str = field(repr=False)
    """The text as it was compared. Token ids are separated by spaces, the elements of a set by commas."""
    differs: tuple[Span, ...] = field(repr=False)
    """The character spans of tokens that no shared shingle covers."""
    more: int
    """The number of characters, token ids or elements beyond those in `text`."""


@dataclass(frozen=True, slots=True)
class Example:
    """Two items side by side: the keeper of a cluster and a member, or a pair just above or below the threshold."""

    kind: ExampleKind
    similarity: float
    size: int | None
    """The number of items in the cluster; None for pairs close to the threshold."""
    left: Side
    right: Side
