"""b bands of r rows, and the S-curve that follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.checks import check_number
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_SIGNATURE = 1 << 16


@dataclass(frozen=True, slots=True)
class Banding:
    """b bands of r rows: two items meet when they agree in all rows of at least one band.

    >>> Banding(bands=20, rows=5).chance(0.8)
    0.9996439421094793
    """

    bands: int
    rows: int

    def __post_init__(self) -> None:
        for name, value in (("bands", self.bands), ("rows", self.rows)):
            if not isinstance(value, int) or value < 1:
                raise RecipeError(f"`{name}` must be a whole number, at least 1. Got {value}")
        if self.slots > LARGEST_SIGNATURE:
            raise RecipeError(f"bands x rows must be at most {LARGEST_SIGNATURE}. Got {self.bands} x {self.rows}")

    @property
    def slots(self) -> int:
        """Length of a signature."""
        return self.bands * self.rows

    @property
    def threshold(self) -> float:
        """Where the S-curve is steepest, about."""
        return float((1 / self.bands) ** (1 / self.rows))

    def chance(self, similarity: float) -> float:
        """Return the probability that two items of this similarity become candidates."""
        return float(1 - (1 - similarity**self.rows) ** self.bands)

    def similarity_at(self, chance: float) -> float:
        """Return the similarity from which on two items become candidates with at least this probability.

        >>> Banding(bands=20, rows=5).similarity_at(0.99)
        0.7288445910641829
        """
        check_number("chance", chance)
        if not 0 <= chance <= 1:
            raise RecipeError(f"`chance` must be in [0, 1]. Got {chance:g}")
        if chance == 1:
            return 1.0
        return float((-math.expm1(math.log1p(-chance) / self.bands)) ** (1 / self.rows))

    def curve(self, points: int = 101) -> list[tuple[float, float]]:
        """Return the S-curve: similarities from 0 to 1, evenly spaced, each with its chance."""
        if isinstance(points, bool) or not isinstance(points, int) or points < 2:  # noqa: PLR2004 - 0 and 1
            raise RecipeError(f"`points` must be a whole number, at least 2. Got {points!r}")
        return [(i / (points - 1), self.chance(i / (points - 1))) for i in range(points)]

    def plot(self, path: Path | str | None = None, threshold: float | None = None) -> Figure:
        """Draw the S-curve with matplotlib, and write it if there is a path: .svg, .png or .pdf.

        With a threshold, the areas of false candidates and of missed pairs are shaded.
        """
        from lookalike.report import plots  # noqa: PLC0415 - needs matplotlib

        figure = plots.curve(self, threshold)
        if path is not None:
            plots.save(figure, Path(path))
        return figure
