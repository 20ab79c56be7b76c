"""Candidates -> pairs, by their exact similarity."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.pair_codes import look_up, pair_codes
from lookalike.arrays.slices import slices
from lookalike.errors import InputError
from lookalike.kernels.measures import write_similarities
from lookalike.kernels.overlap import similarities
from lookalike.kernels.shingles import LARGE, power_of_two
from lookalike.lsh.buckets import Candidates
from lookalike.measures import OVERLAP
from lookalike.store.sets import COME_ALONG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from lookalike.lsh.family import Family
    from lookalike.measures import Measure
    from lookalike.resources.threads import Threads
    from lookalike.store.items import Copies
    from lookalike.store.sets import Sets
    from lookalike.store.vectors import Vectors

ELEMENTS_AT_A_TIME = 1 << 20
"""Elements of sets that are looked up in one task."""

ELEMENTS_MAPPED = 1 << 23
"""Elements of sets that one task may map, where sets are many."""

MANY_ELEMENTS = 1 << 24
"""Elements from which reading a set brings much along that is not needed."""

PAIRS_AT_A_TIME = 1 << 14
"""Pairs of vectors that are compared in one task."""

MOST_PAIRS = 1 << 28
"""Pairs that are held at most: with more, a list of them is no answer."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Pairs: items whose exact similarity reaches the threshold."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)


def concatenate(found: Iterable[Verified]) -> Verified:
    """Put pairs together, each once: a candidate that was forgotten may have been compared again."""
    parts: list[Verified] = []
    total = 0
    limit = MOST_PAIRS
    for part in found:
        parts.append(part)
        total += len(part)
        if total > limit:
            parts = [merge(parts)]
            total = len(parts[0])
            limit = MOST_PAIRS + total // 2
            if total > MOST_PAIRS:
                raise InputError(
                    f"There are more than {MOST_PAIRS:,} pairs at this threshold. Raise it, or use dedup, which lists "
                    "none"
                )
    return merge(parts)


def merge(parts: list[Verified]) -> Verified:
    """Return the pairs of all parts in order, each once, the lesser item left."""
    left = np.concatenate([np.minimum(part.left, part.right) for part in parts] or [np.empty(0, np.int32)])
    right = np.concatenate([np.maximum(part.left, part.right) for part in parts] or [np.empty(0, np.int32)])
    similarity = np.concatenate([part.similarity for part in parts] or [np.empty(0)])
    _, first = np.unique(pair_codes(left, right), return_index=True)
    return Verified(left[first], right[first], similarity[first])


class Verifier(ABC):
    """Compares items exactly."""

    best = 1.0
    """The score of an item with itself."""

    @abstractmethod
    def similarity(
        self, left: NDArray[np.int32], right: NDArray[np.int32], threshold: float = 0.0
    ) -> NDArray[np.float64]:
        """Return the similarity of each left item with the right one; 0, or the truth, where it is below a threshold.

        That of a measure which is one-way is taken the better way round.
        """

    def verify(self, candidates: Candidates, threshold: float) -> Verified:
        """Return the candidates that are pairs."""
        order = np.argsort(candidates.left, kind="stable")  # so that items are read in order, half of them at least
        candidates = Candidates(candidates.left[order], candidates.right[order])
        similarity = self.similarity(candidates.left, candidates.right, threshold)
        found = similarity >= threshold
        return Verified(candidates.left[found], candidates.right[found], similarity[found])

    def similarity_of_items(
        self, one: NDArray[np.int64], two: NDArray[np.int64], copies: Copies, known: Iterable[Verified] = ()
    ) -> NDArray[np.float64]:
        """Return the exact similarity of each item with another, which may be known from before.

        A copy is compared by its original.
        """
        left, right = copies.original[two], copies.original[one]
        pairs = merge(list(known))
        out = look_up(pairs.left, pairs.right, pairs.similarity, left, right, self.best)
        unknown = np.isnan(out)
        out[unknown] = self.similarity(left[unknown], right[unknown])
        return out


class VectorVerifier(Verifier):
    """Compares vectors."""

    def __init__(self, family: Family, vectors: Vectors, threads: Threads) -> None:
        self._family = family
        self._vectors = vectors
        self._threads = threads
        self.best = family.recipe.measure.best

    def similarity(
        self,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        threshold: float = 0.0,  # noqa: ARG002 - all of them are computed
    ) -> NDArray[np.float64]:
        """Return the score of each left vector with the right one."""
        out = np.empty(len(left), np.float64)

        def compare(part: slice) -> None:
            out[part] = self._family.scores(left[part], right[part])

        parts = (slice(begin, begin + PAIRS_AT_A_TIME) for begin in range(0, len(left), PAIRS_AT_A_TIME))
        for _ in self._threads.map(compare, parts):
            self._vectors.trim()
        return out


class SetVerifier(Verifier):
    """Compares sets."""

    def __init__(self, sets: Sets, threads: Threads, measure: Measure) -> None:
        self._sets = sets
        self._threads = threads
        self._measure = measure
        self._local = threading.local()

    def similarity(
        self, left: NDArray[np.int32], right: NDArray[np.int32], threshold: float = 0.0
    ) -> NDArray[np.float64]:
        """Return the similarity of each left item with the right one; 0 where it is below the threshold."""
        self._sets.make(np.concatenate((left, right)))
        sizes = self._sets.sizes
        if self._measure.code == OVERLAP:
            order, left, right = larger_first(left, right, sizes)
            out = np.empty(len(left), np.float64)
            out[order] = self._similarities(left, right, threshold)
            return out
        return self._similarities(left, right, threshold)

    def _similarities(self, left: NDArray[np.int32], right: NDArray[np.int32], threshold: float) -> NDArray[np.float64]:
        """Return the similarity of each left item with the right one, once their sets are made."""
        sizes = self._sets.sizes
        out = np.empty(len(left), np.float64)

        def compare(part: slice) -> None:
            self._compare(left[part], right[part], float(threshold), out[part])

        work = sizes[left].astype(np.int64) + sizes[right]
        many = self._sets.total > MANY_ELEMENTS
        if many:
            work += 2 * COME_ALONG // self._sets.elements.itemsize
        for _ in self._threads.map(compare, slices(work, ELEMENTS_MAPPED if many else ELEMENTS_AT_A_TIME)):
            self._sets.trim()
        return out

    def _compare(
        self, left: NDArray[np.int32], right: NDArray[np.int32], threshold: float, out: NDArray[np.float64]
    ) -> None:
        """Write the similarity of each left item with the right one; 0 where it is below the threshold."""
        sets = (self._sets.elements, self._sets.begins, self._sets.sizes)
        compare_sets(left, right, sets, (self._measure.code, threshold), out, self._table)

    def _table(self, largest: int) -> NDArray[np.uint64]:
        size = power_of_two(2 * largest)
        if not hasattr(self._local, "table") or self._local.table.size < size:
            self._local.table = np.empty(size, np.uint64)
        table: NDArray[np.uint64] = self._local.table
        return table


def compare_sets(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    sets: tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]],
    goal: tuple[int, float],
    out: NDArray[np.float64],
    table: Callable[[int], NDArray[np.uint64]] | None = None,
) -> None:
    """Write the similarity of each set on the left with the one on the right; 0 where it is below the threshold.

    `sets` are their elements, where each begins, and their sizes; `table` gives room for one of a size. Those with the
    same left one come together.
    """
    elements, begins, sizes = sets
    largest = int(max(sizes[left].max(initial=0), sizes[right].max(initial=0)))
    if largest <= LARGE:
        room = table(largest) if table else np.empty(power_of_two(2 * largest), np.uint64)
        similarities(left, right, elements, begins, sizes, goal, room, out)
        return
    for i, (one, two) in enumerate(zip(left, right, strict=True)):  # a table would be too large: by sorting
        first, second = (elements[begins[item] : begins[item] + sizes[item]] for item in (one, two))
        shared = len(np.intersect1d(first, second, assume_unique=True))
        counts = np.array([shared], np.int32), *(sizes[[item]].astype(np.int64) for item in (one, two))
        write_similarities(goal[0], *counts, out[i : i + 1])
    out[out < goal[1]] = 0.0


def larger_first(
    left: NDArray[np.int32], right: NDArray[np.int32], sizes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return pairs the larger set first, those of one together, and where each was.

    The left set becomes a table, once for all it is compared with; the right one is looked up, and costs as much as it
    is large. Where one is many times as large as the other, that matters.
    """
    turned = sizes[right] > sizes[left]
    large, small = np.where(turned, right, left), np.where(turned, left, right)
    order = np.argsort(large, kind="stable")
    return order, large[order], small[order]
