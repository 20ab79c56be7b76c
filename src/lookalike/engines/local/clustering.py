"""Pairs -> clusters: chains, which are connected components, or stars around kept items.

Both begin with the components. A star cluster is a part of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.engines.local.cluster import Components, members
from lookalike.engines.local.recall import Connected, Settled
from lookalike.engines.local.star import find_stars
from lookalike.errors import RecipeError
from lookalike.lsh import buckets
from lookalike.measures import one_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Keep, Members
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.recall import Found
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.search import Search
    from lookalike.engines.local.verify import Verified


class Chain:
    """Clusters that are connected components: a chain of pairs leads from each member to its keeper."""

    def __init__(self, run: Run, collected: Collected, search: Search, keep: Keep) -> None:
        self._run, self._collected, self._search, self._keep = run, collected, search, keep
        self.linked: list[Verified] = []
        """The pairs that link components, and others that were met."""
        components = Components(collected.items.count)
        for pairs in search.pairs(components.roots, buckets.ONE):
            components.unite(pairs)
            self.linked.append(pairs)
        self.pairs = sum(map(len, self.linked))
        """The number of pairs found."""
        seconds = run.stages.seconds
        verified = seconds.get("verify", 0.0)
        with run.stages.stage("cluster"), run.stages.timed("cluster"):
            self.roots = self._parts(components.roots)
            """The first item of each item's cluster."""
            self.members: Members = members(self.roots, collected.copies, keep, collected.ranks)
        seconds["cluster"] -= seconds.get("verify", 0.0) - verified

    def _parts(self, roots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the first item of each item's cluster, given the first items of components."""
        return roots

    def found(self) -> Found:
        """Return which pairs count as found: those within a cluster."""
        return Connected(self.roots)


class Star(Chain):
    """Clusters around kept items: each member resembles its keeper."""

    def _parts(self, roots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the first item of each item's cluster, given the first items of components."""
        found = find_stars(self._run, self._collected, self._search, self._keep, roots, self.linked)
        self.linked.append(found.rays)
        self.pairs += found.pairs
        return found.roots

    def found(self) -> Found:
        """Return which pairs count as found: those of which at most one item is kept."""
        return Settled(self._collected.copies.original, self.members)


CLUSTERINGS = {"star": Star, "chain": Chain}
"""The clusterings, by name."""


def clustering_named(name: str) -> type[Chain]:
    """Return the clustering of a name.

    >>> clustering_named("chain").__name__
    'Chain'
    """
    if name not in CLUSTERINGS:
        raise RecipeError(f"`cluster` must be {one_of(CLUSTERINGS)}. Got {name!r}")
    return CLUSTERINGS[name]
