"""Similarities of sets from the sizes of sets and intersections; and the intersections needed to reach a threshold.

A `goal` is (measure, threshold). All measures increase with the intersection, and decrease with the sizes.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.kernels.codes import CONTAINMENT, COSINE, DICE, JACCARD
from lookalike.kernels.jit import inline, kernel


@inline
def similarity(measure, shared, one, two):
    """Return the similarity of two sets, given their sizes and that of their intersection."""
    if measure == JACCARD:
        return shared / (one + two - shared)
    if measure == DICE:
        return 2 * shared / (one + two)
    if measure == COSINE:
        return shared / math.sqrt(np.float64(one) * np.float64(two))
    return shared / (one if measure == CONTAINMENT else min(one, two))


@kernel
def write_similarities(measure, shared, one, two, out):
    """Write the similarity of each pair of sets."""
    for i in range(out.size):
        out[i] = similarity(measure, np.int64(shared[i]), np.int64(one[i]), np.int64(two[i]))


@inline
def reaches(goal, shared, one, two):
    """Return whether two sets, given their sizes and that of their intersection, reach the threshold."""
    measure, threshold = goal
    return similarity(measure, shared, one, two) >= threshold


@inline
def guess_needed(goal, one, two):
    """Return the approximate intersection with which sets of these sizes reach the threshold; not a whole number."""
    measure, threshold = goal
    if measure == JACCARD:
        return threshold / (1.0 + threshold) * (one + two)
    if measure == DICE:
        return threshold / 2 * (one + two)
    if measure == COSINE:
        return threshold * math.sqrt(np.float64(one) * np.float64(two))
    return threshold * min(one, two)


@inline
def needed(goal, one, two):
    """Return the minimum intersection with which sets of these sizes reach the threshold; it may exceed the sizes."""
    measure, threshold = goal
    shared = max(np.int64(guess_needed(goal, one, two)) - 1, 0)
    while similarity(measure, shared, one, two) < threshold:
        shared += 1
    return shared


@inline
def prefix_length(goal, size):
    """Return the number of elements of a set that suffice to find every set with which it reaches the threshold.

    It shares at least `shared` elements with such a set, which at best has no others; so at least one of any
    `size - shared + 1` elements is shared.
    """
    measure, threshold = goal
    if measure == JACCARD:
        guess = threshold * size
    elif measure == DICE:
        guess = threshold * size / (2 - threshold)
    elif measure == COSINE:
        guess = threshold * threshold * size
    else:
        guess = 0.0
    shared = max(np.int64(guess) - 1, 1)
    while similarity(measure, shared, size, shared) < threshold:
        shared += 1
    return size - shared + 1
