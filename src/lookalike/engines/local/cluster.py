"""Clusters of pairs, with one keeper each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import RecipeError
from lookalike.kernels import components as kernels
from lookalike.store.copies import Copies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.verify import Verified

Rule = Literal["first", "last", "longest", "shortest", "max", "min"]


@dataclass(frozen=True, slots=True)
class Keep:
    """The rule that chooses the member of a cluster to keep: by position, by length, or by a column."""

    rule: Rule = "first"
    column: str | None = None

    @classmethod
    def parse(cls, text: str) -> Keep:
        """Parse a rule such as ``longest`` or ``max:score``.

        >>> Keep.parse("max:score")
        Keep(rule='max', column='score')
        """
        rule, _, column = str(text).partition(":")
        plain = rule in ("first", "last", "longest", "shortest") and not column
        if not plain and not (rule in ("max", "min") and column):
            raise RecipeError(f"`keep` must be first, last, longest, shortest, max:COLUMN or min:COLUMN. Got {text!r}")
        return cls(rule, column or None)  # type: ignore[arg-type]  # checked above

    @property
    def by_length(self) -> bool:
        """Whether the length of texts decides."""
        return self.rule in ("longest", "shortest")

    @property
    def descending(self) -> bool:
        """Whether the greatest value wins."""
        return self.rule in ("longest", "max", "last")


class Components:
    """The connected components of the pairs so far. The root of a component is its first item."""

    def __init__(self, count: int) -> None:
        self.roots = np.arange(count, dtype=np.int32)

    def unite(self, pairs: Verified) -> None:
        """Connect the items of each pair and update `roots`."""
        if len(pairs):
            kernels.unite(self.roots, pairs.left, pairs.right)
            kernels.flatten(self.roots)


def count_components(count: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """Count the connected components of two or more items."""
    roots = np.arange(count, dtype=np.int32)
    kernels.unite(roots, left.astype(np.int32), right.astype(np.int32))
    kernels.flatten(roots)
    return len(np.unique(roots[left]))


@dataclass(frozen=True, slots=True)
class Members:
    """The members of all clusters of two or more items, as indices, by cluster and then in order."""

    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    position: NDArray[np.int64]
    """The position, among the members, of the keeper of each member's cluster."""

    @property
    def keeper(self) -> NDArray[np.int64]:
        """The keeper of each member's cluster."""
        return self.item[self.position]

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which members are keepers."""
        return np.equal(self.item, self.keeper)

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.cluster[-1]) + 1 if len(self.cluster) else 0


def members(roots: NDArray[np.int32], copies: Copies, keep: Keep, ranks: pa.Array | None) -> Members:
    """List the members of all clusters, in the order of their first members.

    Copies are in the cluster of their original. `ranks` holds the values that the keep rule compares, one per item.
    """
    root = np.where(copies.original >= 0, roots[np.maximum(copies.original, 0)], -1)
    sizes = np.bincount(root[root >= 0], minlength=len(root))
    item = np.flatnonzero((root >= 0) & (sizes[np.maximum(root, 0)] > 1))
    number = np.cumsum(sizes > 1) - 1
    cluster = number[root[item]]
    order = np.argsort(cluster, kind="stable")
    item, cluster = item[order], cluster[order]
    best = np.flatnonzero(np.diff(cluster, prepend=-1))
    if keep.rule != "first":
        best = np.lexsort((item, precedence(item, keep, ranks), cluster))[best]
    return Members(item, cluster, best[cluster])


def clusters_of_pairs(left: NDArray[np.integer[Any]], right: NDArray[np.integer[Any]], keep: Keep) -> Members:
    """List the members of the connected components of pairs. `keep` must be first or last."""
    roots = np.arange(max(left.max(initial=-1), right.max(initial=-1)) + 1, dtype=np.int32)
    copies = Copies(roots.copy())
    kernels.unite(roots, left.astype(np.int32), right.astype(np.int32))
    kernels.flatten(roots)
    return members(roots, copies, keep, None)


def precedence(item: NDArray[np.int64], keep: Keep, ranks: pa.Array | None) -> NDArray[np.int64]:
    """Return a rank per item, the lowest for the one to keep. Items without a value come last."""
    if ranks is None:
        return -item if keep.rule == "last" else item
    values = pc.take(ranks, as_arrow(item))
    known = values.is_valid().to_numpy(zero_copy_only=False)
    found = np.full(len(item), len(item), np.int64)
    _, rank = np.unique(values.drop_null().to_numpy(zero_copy_only=False), return_inverse=True)
    found[known] = -rank if keep.descending else rank
    return found
