"""Connected components of pairs, by union-find."""

from __future__ import annotations

from lookalike.kernels.jit import inline, kernel


@inline
def find(parent, item):
    """Return the root of an item, halving the path on the way."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@kernel
def unite(parent, left, right):
    """Unite the components of each pair. The lowest item of a component is its root."""
    for i in range(left.size):
        one = find(parent, left[i])
        two = find(parent, right[i])
        if one < two:
            parent[two] = one
        else:
            parent[one] = two


@kernel
def flatten(parent):
    """Set the parent of every item to its root. A parent is never greater than its child, so one pass suffices."""
    for item in range(parent.size):
        parent[item] = parent[parent[item]]
