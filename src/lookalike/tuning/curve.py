"""The S-curve of a banding: the chance that two items are compared, as a function of their similarity or distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import RecipeError
from lookalike.measures import Measure
from lookalike.tuning.tune import error_areas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lookalike.lsh.banding import Banding

STEPS = 1000
"""Integration steps on each side of the threshold."""

HALVINGS = 60

LOW_CHANCE = 0.05
"""The axis of a distance ends where the chance drops to this, if that is not too far."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The S-curve over the measure's own axis: similarities go up to 1, distances begin at 0.

    >>> from lookalike import Banding
    >>> Curve(Banding(73, 18), Measure("cosine", "vectors")).chance(0.9)
    0.9902...
    """

    banding: Banding
    measure: Measure = field(default_factory=Measure)
    threshold: float | None = None

    def __post_init__(self) -> None:
        self.measure.check_banded()
        if self.threshold is not None:
            self.measure.check(self.threshold)
        elif self.measure.needs_threshold:
            raise RecipeError(f"`threshold` is required: the slots of {self.measure.name} depend on it")

    @property
    def end(self) -> float:
        """The end of the axis: for a distance, where few pairs are compared, or at a few times the threshold."""
        end = self.measure.axis_end(self.threshold)
        step, last = self.measure.axis_steps(end, self.threshold)
        while end < last and self.chance(end) > LOW_CHANCE:
            end = min(end + step, last)
        return end

    def chance(self, value: float) -> float:
        """Return the minimum probability that two items of this similarity or distance become candidates."""
        return self.banding.chance(self._slot(value))

    def value_at(self, chance: float) -> float | None:
        """Return the minimum similarity, or the maximum distance, of items with this chance; None if there is none.

        >>> from lookalike import Banding
        >>> Curve(Banding(20, 5), Measure("hamming", "bits", bits=64)).value_at(0.99)
        17.353...
        """
        return self._value_of(self.banding.similarity_at(chance))

    @property
    def steepest(self) -> float | None:
        """The approximate value where the curve is steepest."""
        return self._value_of(self.banding.threshold)

    def points(self, count: int = 101) -> list[tuple[float, float]]:
        """Return values from 0 to the end of the axis, evenly spaced, each with its chance."""
        values = [i / (count - 1) * self.end for i in range(count)]
        return [(value, self.chance(value)) for value in values]

    def areas(self) -> tuple[float, float] | None:
        """Return the area under the curve on the wrong side of the threshold, and the area above it on the right side.

        Both are shares of the whole plot. Without a threshold, the result is None.
        """
        if self.threshold is None:
            return None
        if self.measure.slot_is_value:
            return error_areas(self.banding, self.threshold)
        at = min(self.threshold, self.end)
        below, above = self._integral(0.0, at), self._integral(at, self.end)
        if self.measure.is_distance:
            return above / self.end, max(at - below, 0.0) / self.end
        return below / self.end, max(self.end - at - above, 0.0) / self.end

    def plot(self, path: Path | str | None = None) -> Figure:
        """Draw the curve with matplotlib, and write it to `path` if given: .svg, .png or .pdf."""
        from lookalike.report import plots  # noqa: PLC0415 - needs matplotlib

        figure = plots.curve(self.banding, self.threshold, self.chance, plots.across(self.measure, self.end))
        if path is not None:
            plots.save(figure, Path(path))
        return figure

    def _slot(self, value: float) -> float:
        return self.measure.slot_chance(value, self.threshold or 0.0)

    def _integral(self, low: float, high: float) -> float:
        chances = [self.chance(low + (high - low) * i / STEPS) for i in range(STEPS + 1)]
        return (high - low) / STEPS * sum((one + two) / 2 for one, two in pairwise(chances))

    def _value_of(self, slot: float) -> float | None:
        """Return the farthest value at which a slot agrees with this chance; None if even the best value has less."""
        if self.measure.slot_is_value:
            return slot
        near, far = self.measure.best, self.measure.farthest(slot, self.threshold)
        if self._slot(near) < slot:
            return None
        if self._slot(far) >= slot:
            return far
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if self._slot(middle) >= slot else (near, middle)
        return near
