"""The comparison of two items of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.measures import value_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.measures import Column
    from lookalike.recipe import Recipe


MAX_DECIMALS = 18
"""The maximum number of decimals of a value shown."""


@dataclass(frozen=True)
class Comparison:
    """How similar two items are, and why."""

    value: float
    """The exact similarity or distance."""
    threshold: float
    """The minimum similarity of a pair, or the maximum distance."""
    recipe: Recipe
    bands_met: int
    """The number of bands in which the two signatures agree: a run compares the two if there is at least one."""

    @property
    def column(self) -> Column:
        """Whether the value is a similarity or a distance."""
        return self.recipe.measure.column

    @property
    def similarity(self) -> float:
        """The similarity of the two items. An error if the measure is a distance."""
        return value_as("similarity", self.column, self.value)

    @property
    def distance(self) -> float:
        """The distance between the two items. An error if the measure is a similarity."""
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
        """A sentence that says why the two items are a pair, or why not."""
        if missing := self.missing:
            return f"Not a pair: {missing} matches nothing."
        verdict = "A pair" if self.is_pair else "Not a pair"
        at_least = ">=" if self.is_pair else "<"
        at_most = "<=" if self.is_pair else ">"
        relation = at_most if self.recipe.measure.is_distance else at_least
        return f"{verdict}: {self.shares}{self._shown_value} {relation} {self.threshold:.15g}."

    @property
    def _shown_value(self) -> str:
        """The value, with enough decimals to show on which side of the threshold it is."""
        if self.recipe.measure.is_whole:
            return f"{self.value:g}"
        digits = range(4, MAX_DECIMALS)
        texts = (f"{self.value:.{count}f}" for count in digits)
        return next((text for text in texts if self._is_pair_at(float(text)) == self.is_pair), f"{self.value!r}")

    @property
    def missing(self) -> str:
        """A description of the item that is empty and so matches nothing; an empty text if neither is."""
        return ""

    @property
    def shares(self) -> str:
        """What the two items share, as the part of a sentence that precedes the value."""
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


def count_shared_bands(keys: NDArray[np.uint64]) -> int:
    """Count the bands in which two items agree. The columns of `keys` are the keys of the two."""
    return int(np.count_nonzero((keys[:, 0] == keys[:, 1]) & (keys[:, 0] != 0)))
