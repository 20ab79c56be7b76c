"""Exact similarities of sets, by one kernel for texts, baskets, runs and indexes alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.kernels.measures import write_similarities
from lookalike.kernels.overlap import similarities
from lookalike.kernels.shingles import LARGE, power_of_two

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lookalike.measures import SetMeasure

    SetColumns = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]
    """The elements of all sets, the offsets where sets begin, and their sizes."""


def score_sets(
    measure: SetMeasure,
    code: int,
    sides: tuple[NDArray[np.int32], NDArray[np.int32]],
    sets: SetColumns,
    min_score: float,
    out: NDArray[np.float64],
    table: Callable[[int], NDArray[np.uint64]] | None = None,
) -> None:
    """Write the similarity of each left set with the right one; 0 where it is below the minimum.

    `code` is the measure's own kernel, or its kernel for searching. Pairs with the same left set must be adjacent.
    `table` allocates the hash table for a set of the given size.
    """
    left, right = sides
    compare_sets(left, right, sets, (code, measure.kernel_threshold(min_score)), out, table)
    if measure.kernel is None:
        sizes = sets[2].astype(np.int64)
        out[:] = from_jaccard(measure, out, sizes[left], sizes[right])
        out[out < min_score] = 0.0


def from_jaccard(
    measure: SetMeasure, jaccard: NDArray[np.float64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return similarities by a measure without a kernel, from Jaccard similarities and sizes."""
    shared = np.rint(jaccard * (left + right) / (1 + jaccard))
    return np.where(shared > 0, similarities_of(measure, shared, left, right), 0.0)


def similarities_of(
    measure: SetMeasure, shared: NDArray[np.float64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return similarities from the sizes of intersections and sets, by a measure without a kernel."""
    return np.asarray(measure.similarity(shared, left, right), np.float64)  # type: ignore[arg-type]  # arrays, too


def similarities_from_counts(
    measure: SetMeasure, code: int
) -> Callable[[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]:
    """Return a function that computes similarities from the sizes of intersections, left sets and right sets."""

    def compute(shared: NDArray[np.int32], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        if measure.kernel is None:
            return similarities_of(measure, shared.astype(np.float64), left, right)
        out = np.empty(len(shared))
        write_similarities(code, shared, left, right, out)
        return out

    return compute


def compare_sets(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    sets: SetColumns,
    goal: tuple[int, float],
    out: NDArray[np.float64],
    table: Callable[[int], NDArray[np.uint64]] | None = None,
) -> None:
    """Write the similarity of each left set with the right one, by a kernel; 0 where it is below the threshold."""
    elements, begins, sizes = sets
    largest = int(max(sizes[left].max(initial=0), sizes[right].max(initial=0)))
    if largest <= LARGE:
        room = table(largest) if table else np.empty(power_of_two(2 * largest), np.uint64)
        similarities(left, right, elements, begins, sizes, goal, room, out)
        return
    for i, (one, two) in enumerate(zip(left, right, strict=True)):  # a hash table would be too large: sort instead
        first, second = (elements[begins[item] : begins[item] + sizes[item]] for item in (one, two))
        shared = len(np.intersect1d(first, second, assume_unique=True))
        counts = np.array([shared], np.int32), *(sizes[[item]].astype(np.int64) for item in (one, two))
        write_similarities(goal[0], *counts, out[i : i + 1])
    out[out < goal[1]] = 0.0


def larger_first(
    left: NDArray[np.int32], right: NDArray[np.int32], sizes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return the order of pairs by their larger set, and the pairs in that order with the larger set on the left.

    The left set becomes a hash table, once for all sets it is compared with; looking up the right set takes time in
    proportion to its size. That matters where one set is many times as large as the other.
    """
    swapped = sizes[right] > sizes[left]
    large, small = np.where(swapped, right, left), np.where(swapped, left, right)
    order = np.argsort(large, kind="stable")
    return order, large[order], small[order]
