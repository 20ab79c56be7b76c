"""Exact similarities of candidates.

The left set of a run of candidates becomes a hash table once. The right sets are looked up in it, and rejected as soon
as too many of their elements are max_missing.
"""

from __future__ import annotations

import numpy as np

from lookalike.kernels.jit import kernel
from lookalike.kernels.measures import needed, similarity
from lookalike.kernels.shingles import place, power_of_two


@kernel
def fill(elements, table):
    """Put the elements of a set in a hash table."""
    table[:] = np.uint64(0)
    mask = np.uint64(table.size - 1)
    for h in elements:
        table[place(table, mask, h)] = h


@kernel
def overlap(elements, table, max_missing):
    """Count the elements that are in the table; return -1 once more than `max_missing` of them are not."""
    mask = np.uint64(table.size - 1)
    missed = 0
    for h in elements:
        if table[place(table, mask, h)] != h:
            missed += 1
            if missed > max_missing:
                return -1
    return elements.size - missed


@kernel
def similarities(left, right, sets, begins, sizes, goal, table, out):
    """Write the exact similarity of each candidate, or 0 where it is below the threshold.

    The set of item i is `sets[begins[i]:begins[i] + sizes[i]]`, without duplicates, not empty. `table` has room for
    `power_of_two(2 * size)` of the largest left set. Candidates with the same left item must be adjacent.
    """
    held = -1
    slots = table[:64]
    for i in range(left.size):
        one = left[i]
        two = right[i]
        min_shared = needed(goal, np.int64(sizes[one]), np.int64(sizes[two]))
        if min_shared > min(sizes[one], sizes[two]):
            out[i] = 0.0
            continue
        if one != held:
            slots = table[: power_of_two(2 * sizes[one])]
            fill(sets[begins[one] : begins[one] + sizes[one]], slots)
            held = one
        shared = overlap(sets[begins[two] : begins[two] + sizes[two]], slots, sizes[two] - min_shared)
        out[i] = similarity(goal[0], shared, np.int64(sizes[one]), np.int64(sizes[two])) if shared >= 0 else 0.0
