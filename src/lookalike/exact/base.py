"""The interface of exact searches: they yield candidates in rounds, and miss no pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lookalike.lsh.buckets import Proposer


class Rounds(Protocol):
    """A prepared exact search, in rounds."""

    shares: int
    """The number of rounds."""

    def buckets(self, width: int) -> Iterator[Proposer]:
        """Yield the items to compare in each round. `width` is the initial number of pivots."""

    def close(self) -> None:
        """Delete the prepared data, if it is not to be searched."""


class Exact(Protocol):
    """Finds candidates that include every pair."""

    def among_all(self) -> Rounds:
        """Prepare a search among all items."""

    def among(self, members: NDArray[np.int32]) -> Rounds:
        """Prepare a search among some items."""
