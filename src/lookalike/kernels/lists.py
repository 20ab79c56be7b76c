"""Kernel that gathers the rows of a long table into lists."""

from __future__ import annotations

from lookalike.kernels.jit import kernel


@kernel
def gather(owners, values, positions, out):
    """Append each value to the list of its owner, in order. `positions` are where lists begin, and are overwritten."""
    for i in range(owners.size):
        at = positions[owners[i]]
        out[at] = values[i]
        positions[owners[i]] = at + 1
