"""What searches that miss nothing have in common: candidates in rounds, until nothing is left to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Proposer


class Rounds(Protocol):
    """A search that misses nothing, prepared, in rounds."""

    shares: int
    """The number of rounds."""

    def buckets(self, width: int) -> Iterator[Proposer]:
        """Yield the items to compare in each round; `width` is the number of pivots taken at first."""

    def close(self) -> None:
        """Delete what was prepared, if it is not to be searched."""


class Exact(Protocol):
    """Finds candidates without missing a pair."""

    def everywhere(self) -> Rounds:
        """Prepare a search among all items."""

    def among(self, members: NDArray[np.int32]) -> Rounds:
        """Prepare a search among some items."""
