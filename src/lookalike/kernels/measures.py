"""Similarities of sets, from their sizes and what they share; and what must be shared to reach one.

A `goal` is (measure, threshold). All measures grow with what is shared, and shrink with the sizes.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.kernels.codes import CONTAINMENT, COSINE, DICE, JACCARD
from lookalike.kernels.jit import inline, kernel


@inline
def similarity(measure, shared, one, two):
    """Return the similarity of sets of two sizes."""
    if measure == JACCARD:
        return shared / (one + two - shared)
    if measure == DICE:
        return 2 * shared / (one + two)
    if measure == COSINE:
        return shared / math.sqrt(np.float64(one) * np.float64(two))
    return shared / (one if measure == CONTAINMENT else min(one, two))


@kernel
def write_similarities(measure, shared, one, two, out):
    """Write the similarity of each two sets."""
    for i in range(out.size):
        out[i] = similarity(measure, np.int64(shared[i]), np.int64(one[i]), np.int64(two[i]))


@inline
def reaches(goal, shared, one, two):
    """Tell whether sets of two sizes that share so much reach the threshold."""
    measure, threshold = goal
    return similarity(measure, shared, one, two) >= threshold


@inline
def guess_needed(goal, one, two):
    """Return about what sets of these sizes must share to reach the threshold: no whole number, and not quite exact."""
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
    """Return the least that sets of these sizes must share to reach the threshold; it may be more than they have."""
    measure, threshold = goal
    shared = max(np.int64(guess_needed(goal, one, two)) - 1, 0)
    while similarity(measure, shared, one, two) < threshold:
        shared += 1
    return shared


@inline
def prefix_length(goal, size):
    """Return how many elements of a set must be looked at to find every set it reaches the threshold with.

    It shares at least `shared` elements with such a set, which has no others at best; so one of any `size - shared + 1`
    is shared.
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
