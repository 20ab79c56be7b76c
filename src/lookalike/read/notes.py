"""Notes on how a source was read, for the summary: what was passed over, and which columns changed their type."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Source


def notes_on(sources: Sequence[Source], *, rows: bool = False) -> Iterator[str]:
    """Yield notes on sources; with `rows`, also on columns that are only written."""
    for source in sources:
        if passed_over := source.listing.passed_over.note():
            yield passed_over
        yield from source.listing.notes
        yield from source.conversions(rows=rows)


def passed_over(sources: Sequence[Source]) -> dict[str, int]:
    """Return how many files of all sources were passed over, by the reason."""
    total: Counter[str] = Counter()
    for source in sources:
        total += source.listing.passed_over.counts
    return dict(total)
