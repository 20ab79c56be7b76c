"""Rows of a long table -> lists."""

from __future__ import annotations

from lookalike.kernels.jit import kernel


@kernel
def gather(owners, values, places, out):
    """Put each value in the list of its owner, in order; `places` are where the lists begin, and are overwritten."""
    for i in range(owners.size):
        at = places[owners[i]]
        out[at] = values[i]
        places[owners[i]] = at + 1
