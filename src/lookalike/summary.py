"""The summary of a run: its numbers, and notes that a reader should not miss."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.tuning.recall import Measured

WIDE_INTERVAL = 0.1
"""The width of the recall's confidence interval above which a larger sample is advised."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a run, and notes on what a reader should know about them."""

    items: int
    kept: int
    removed: int
    pairs: int
    clusters: int
    cluster: str
    """What a cluster is: star or chain; empty if nothing was removed."""
    below_threshold: int
    """Removed items that are not similar enough to their keeper: chains of other items connect them. 0 for stars."""
    candidates: int
    copies: int
    """Items with the same shingles as an earlier item."""
    nulls: int
    empty: int
    """Items without a shingle, nulls included: never compared, always kept."""
    short: int
    """Items with a single shingle: they match only as a whole."""
    shingle: str
    measure: str
    sketch: str
    bands: int
    rows: int
    threshold: float
    recall: float
    """The chance of finding a pair exactly at the threshold; in a search for the nearest, the recall requested."""
    chance: dict[str, float]
    """The chance of finding a pair, for each of several similarities."""
    measured: Measured | None
    """The recall measured on a sample that was searched exactly; None if that was not requested."""
    threads: int
    seconds: dict[str, float]
    memory: dict[str, int]
    """The peak memory up to the end of each stage, in bytes."""
    peak_memory_bytes: int
    passed_over: dict[str, int] = field(default_factory=dict)
    """Files in folders that were not read, by the reason: hidden, excluded, or the suffix of a binary file."""
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the search was exact: without bands or anything else that may miss pairs."""
        return self.bands == 0 and self.recall == 1

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {**asdict(self), "notes": list(self.notes)}


def recall_notes(measured: Measured | None) -> Iterator[str]:
    """Yield a note if the measured recall is uncertain, and how large a sample would suffice."""
    if measured is None or measured.complete:
        return
    low, high = measured.overall.interval
    if high - low > WIDE_INTERVAL:
        wanted = min(round_up(measured.sampled * ((high - low) / WIDE_INTERVAL) ** 2), measured.population)
        seen = f"{plural(measured.overall.pairs, 'pair')} of {plural(measured.sampled, 'item')}"
        yield (
            f"the measured recall is uncertain ({low:.2f} to {high:.2f}), with {seen}: sample {wanted:,} items for a "
            "better estimate"
        )


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> plural(1, "cluster"), plural(2, "cluster")
    ('1 cluster', '2 clusters')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def round_up(number: float) -> int:
    """Round a number up to one significant digit.

    >>> round_up(1234.5)
    2000
    """
    step: int = 10 ** (len(str(math.ceil(number))) - 1)
    return math.ceil(number / step) * step
