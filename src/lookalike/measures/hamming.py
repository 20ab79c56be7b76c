"""Hamming distance: the number of bits that differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lookalike.measures.base import register
from lookalike.measures.vectors import VectorMeasure

if TYPE_CHECKING:
    from lookalike.lsh.family import Family

TICK = 5
"""An axis ends at a multiple of so many bits, so that its marks are whole numbers."""


@register("bits", "hamming")
class Hamming(VectorMeasure):
    """The number of bits in which two items differ."""

    is_distance = True
    is_whole = True
    takes_bits = True
    counts_zero = False

    @property
    def family(self) -> type[Family]:
        """Random bits."""
        from lookalike.lsh.bit_samples import BitSamples  # noqa: PLC0415 - needs Numba

        return BitSamples

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "bits"

    def slot_chance(self, value: float, threshold: float) -> float:  # noqa: ARG002 - the same for every threshold
        """Return the chance that a random bit is the same."""
        return max(1 - value / self.bits, 0.0) if self.bits else 0.0

    def axis_end(self, threshold: float | None) -> float:
        """Return twice the threshold, rounded up, or all bits."""
        wanted = math.inf if threshold is None else TICK * max(math.ceil(2 * threshold / TICK), 1)
        return float(min(wanted, self.bits)) if self.bits else wanted

    def axis_steps(self, end: float, threshold: float | None) -> tuple[float, float]:  # noqa: ARG002 - whole bits
        """Return by how much an axis may be extended at a time, and up to where."""
        return float(TICK), float(self.bits)

    def axis_ticks(self, end: float, count: int) -> list[float]:
        """Return evenly spaced whole numbers from 0 to the end."""
        return [float(round(tick)) for tick in super().axis_ticks(end, count)]

    def bin_edges(self, threshold: float, count: int) -> set[float]:
        """Return where ranges of distances begin and end; the last one has no end."""
        return {*self.axis_ticks(self.axis_end(threshold), count), math.inf}

    def farthest(self, slot: float, threshold: float | None) -> float:  # noqa: ARG002 - all bits
        """Return the number of bits."""
        return float(self.bits)
