"""What is known of any two items that were compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.measures import value_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.measures import Column
    from lookalike.recipe import Recipe


DIGITS = 18
"""After the point, at most, of a value for people."""


@dataclass(frozen=True)
class Comparison:
    """How similar two items are, and why."""

    value: float
    """The similarity, or the distance, exactly."""
    threshold: float
    """The least similarity of a pair, or the most distance."""
    recipe: Recipe
    bands_met: int
    """Bands in which the two signatures agree: with one or more, a run would have compared the two."""

    @property
    def column(self) -> Column:
        """What the value is: similarity or distance."""
        return self.recipe.measure.column

    @property
    def similarity(self) -> float:
        """How similar the two are; by a measure of distance there is none."""
        return value_as("similarity", self.column, self.value)

    @property
    def distance(self) -> float:
        """How far apart the two are; by a measure of similarity there is none."""
        return value_as("distance", self.column, self.value)

    @property
    def chance(self) -> float:
        """The chance that a run compares two items of this similarity."""
        return self.recipe.chance(self.value)

    @property
    def is_pair(self) -> bool:
        """Whether the similarity reaches the threshold, or the distance does not exceed it."""
        return self._is_pair_at(self.value)

    def _is_pair_at(self, value: float) -> bool:
        measure = self.recipe.measure
        return measure.score(value) >= measure.score(self.threshold)

    @property
    def reason(self) -> str:
        """Why the two are a pair, or why not, in a sentence."""
        if missing := self.missing:
            return f"Not a pair: {missing} matches nothing."
        verdict = "A pair" if self.is_pair else "Not a pair"
        least = ">=" if self.is_pair else "<"
        most = "<=" if self.is_pair else ">"
        relation = most if self.recipe.measure.is_distance else least
        return f"{verdict}: {self.shares}{self._told} {relation} {self.threshold:.15g}."

    @property
    def _told(self) -> str:
        """The value for people, in as many digits as show on which side of the threshold it is."""
        if self.recipe.measure.is_whole:
            return f"{self.value:g}"
        digits = range(4, DIGITS)
        texts = (f"{self.value:.{count}f}" for count in digits)
        return next((text for text in texts if self._is_pair_at(float(text)) == self.is_pair), f"{self.value!r}")

    @property
    def missing(self) -> str:
        """What there is nothing of, which cannot be similar to anything; empty if both are there."""
        return ""

    @property
    def shares(self) -> str:
        """What the two have in common, as a part of a sentence: it ends before the value."""
        return f"{self.column} "

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        banding = self.recipe.banding
        return {
            self.column: self.value,
            "is_pair": self.is_pair,
            "reason": self.reason,
            "bands_met": self.bands_met,
            "chance": self.chance,
            "measure": self.recipe.measure.name,
            "threshold": self.threshold,
            "shingle": str(self.recipe.shingling),
            "bands": banding.bands if banding else 0,
            "rows": banding.rows if banding else 0,
        }

    def __str__(self) -> str:
        return self.reason


def count_meetings(keys: NDArray[np.uint64]) -> int:
    """Count the bands in which two items agree, whose keys are the two columns."""
    return int(np.count_nonzero((keys[:, 0] == keys[:, 1]) & (keys[:, 0] != 0)))
