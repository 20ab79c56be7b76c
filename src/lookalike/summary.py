"""The numbers of a run, and the sentences a reader should not miss."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.tuning.recall import Measured

WIDE = 0.1
"""Width of an interval for the recall from which a larger sample is advised."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did, in numbers, and what a reader should know about them."""

    items: int
    kept: int
    removed: int
    pairs: int
    clusters: int
    candidates: int
    copies: int
    """Items whose shingles are those of an earlier item."""
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
    """Chance of a pair exactly at the threshold to be found; or of the nearest, the share that was asked for."""
    chance: dict[str, float]
    """Chance of a pair of each similarity to be found."""
    measured: Measured | None
    """What a sample, searched exactly, says of the recall; none if that was not asked for."""
    threads: int
    seconds: dict[str, float]
    memory: dict[str, int]
    """The most memory held up to the end of each stage, in bytes."""
    peak_memory_bytes: int
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the search was exact: it has no bands, nor anything else that may miss some."""
        return self.bands == 0 and self.recall == 1

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {**asdict(self), "notes": list(self.notes)}


def doubts(measured: Measured | None) -> Iterator[str]:
    """Yield what keeps the measured recall from being known well, and how large a sample would do."""
    if measured is None or measured.complete:
        return
    low, high = measured.overall.interval
    if high - low > WIDE:
        wanted = min(round_up(measured.sampled * ((high - low) / WIDE) ** 2), measured.population)
        seen = f"{plural(measured.overall.pairs, 'pair')} of {plural(measured.sampled, 'item')}"
        yield (
            f"the recall measured is uncertain ({low:.2f} to {high:.2f}), with {seen}: sample {wanted:,} items to know "
            "it better"
        )


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> plural(1, "cluster"), plural(2, "cluster")
    ('1 cluster', '2 clusters')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def round_up(number: float) -> int:
    """Round a number up to one digit and zeros.

    >>> round_up(1234.5)
    2000
    """
    step: int = 10 ** (len(str(math.ceil(number))) - 1)
    return math.ceil(number / step) * step
