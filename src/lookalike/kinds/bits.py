"""Bits: fingerprints of a fixed length, compared by the number of bits that differ."""

from __future__ import annotations

from lookalike.kinds.vectors import VectorKind
from lookalike.store.rows import BitRows


class BitKind(VectorKind):
    """Rows of bits, in whole bytes."""

    name = "bits"
    noun = "item"
    part = "bit"
    lacks = "bit"
    excerpt_unit = "64-bit words"
    column = "bits"
    rows = BitRows()

    def written_length(self, length: int) -> str:
        """Return the number of bits in so many bytes."""
        return f"{8 * length} bits"
