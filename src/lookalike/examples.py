"""Examples of what a run decided, with the texts, for people to look at: clusters, and pairs close to the threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lookalike.comparison import Span

Kind = Literal["largest", "typical", "above", "below"]


@dataclass(frozen=True, slots=True)
class Example:
    """Two items side by side: the keeper of a cluster and a member, or a pair just above or below the threshold."""

    kind: Kind
    similarity: float
    size: int | None
    """Items in the cluster; none where the two are in no cluster."""
    left_id: str
    right_id: str
    left: str = field(repr=False)
    """The texts as they were compared."""
    right: str = field(repr=False)
    left_spans: tuple[Span, ...] = field(repr=False)
    """Where the texts have shingles that both have, as positions of characters."""
    right_spans: tuple[Span, ...] = field(repr=False)
