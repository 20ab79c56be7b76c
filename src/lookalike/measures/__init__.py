"""Measures: how similar two sets are, or how close two vectors; and how likely one slot of their signatures agrees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, get_args

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Name = Literal["jaccard", "dice", "cosine", "overlap", "containment", "euclidean", "agreement", "hamming"]
Of = Literal["sets", "vectors", "bits"]
Column = Literal["similarity", "distance"]

NAMES: dict[Of, tuple[Name, ...]] = {
    "sets": ("jaccard", "dice", "cosine", "overlap", "containment"),
    "vectors": ("cosine", "euclidean", "agreement"),
    "bits": ("hamming",),
}
"""Which measures there are; the first of each is the usual one."""

JACCARD, DICE, COSINE, OVERLAP, CONTAINMENT = 0, 1, 2, 3, 4
"""What the kernels of sets call them."""

CELLS = 4.0
"""Width of the cells that vectors fall in, in distances that still count as close. Two vectors so far apart are in one
cell four times out of five; half as far apart, nine times out of ten."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to say how similar two items are.

    Of sets, what they share over
    jaccard      all that either has
    dice         the mean of both sizes
    cosine       the geometric mean of both sizes
    overlap      the size of the smaller
    containment  the size of the left one: how much of it the right one has

    Of vectors
    cosine       the cosine of the angle between them
    euclidean    the distance between them
    agreement    the share of their features that are close: apart by no more than the tolerance

    Of bits
    hamming      in how many of them two items differ

    >>> Measure("dice").similarity(3, 4, 6)
    0.6
    """

    name: Name = "jaccard"
    of: Of = "sets"
    tolerance: float | None = None
    """Of agreement: by how much a feature may differ."""
    bits: int = 0
    """Of hamming: how many bits an item has, if that is known."""

    def __post_init__(self) -> None:
        names = NAMES[self.of]
        if self.name not in names:
            known = ", ".join(names[:-1]) + " or " + names[-1] if len(names) > 1 else names[0]
            others = [of for of in get_args(Of) if self.name in NAMES[of]]
            hint = f"; that is for {others[0]}" if others else ""
            raise RecipeError(f"`measure` must be {known} for {self.of}. Got {self.name!r}{hint}")
        if (self.tolerance is not None) != (self.name == "agreement"):
            raise RecipeError(
                "`tolerance` is by how much a feature may differ to be close: give it with the measure agreement, and "
                f"only there. Got {self.tolerance!r} with {self.name}"
            )
        if self.tolerance is not None and not 0 < self.tolerance < math.inf:
            raise RecipeError(f"`tolerance` must be above 0. Got {self.tolerance:g}")

    @property
    def code(self) -> int:
        """What the kernels of sets call the measure by which candidates are found and verified.

        Who is contained in whom is asked of pairs only: a pair by containment, either way round, is one by overlap.
        """
        return {"jaccard": JACCARD, "dice": DICE, "cosine": COSINE}.get(self.name, OVERLAP)

    @property
    def one_way(self) -> bool:
        """Whether it matters which of two items is the left one."""
        return self.name == "containment"

    @property
    def banded(self) -> bool:
        """Whether similar items share enough of both to meet in bands. A small set in a large one does not."""
        return self.name not in ("overlap", "containment")

    @property
    def is_distance(self) -> bool:
        """Whether less of it is closer: a threshold is then the most that two items may be apart."""
        return self.name in ("euclidean", "hamming")

    @property
    def column(self) -> Column:
        """What the column of its values is called."""
        return "distance" if self.is_distance else "similarity"

    @property
    def best(self) -> float:
        """The score of an item with itself."""
        return 0.0 if self.is_distance else 1.0

    def score(self, value: float) -> float:
        """Return a value as a score, of which more is always closer; and a score as a value."""
        return 0.0 - value if self.is_distance else value

    def values(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores as values, and values as scores."""
        return 0.0 - scores if self.is_distance else scores

    def check(self, threshold: float) -> None:
        """Raise unless two items can be beyond the threshold, and can be on this side of it."""
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise RecipeError(f"`threshold` must be a number. Got {threshold!r}")
        if self.is_distance and not 0 <= threshold < math.inf:
            raise RecipeError(f"`threshold` of a distance must be at least 0. Got {threshold:g}")
        if not self.is_distance and not 0 < threshold <= 1:
            hint = f"; did you mean {threshold / 100:.2f}?" if 2 <= threshold <= 100 else ""  # noqa: PLR2004 - per cent
            raise RecipeError(f"`threshold` must be in (0, 1]. Got {threshold:.10g}{hint}")

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets of these sizes."""
        if self.name == "jaccard":
            return shared / (left + right - shared)
        if self.name == "dice":
            return 2 * shared / (left + right)
        if self.name == "cosine":
            return shared / math.sqrt(left * right)
        return shared / (left if self.name == "containment" else min(left, right))

    def least_jaccard(self, similarity: float) -> float:
        """Return the least Jaccard similarity of two sets that have this one.

        It is also the least share of a set that another must have, to be as similar.

        >>> Measure("cosine").least_jaccard(0.8)
        0.6400000000000001
        """
        if self.name == "jaccard":
            return similarity
        if self.name == "dice":
            return similarity / (2 - similarity)
        return similarity * similarity if self.name == "cosine" else 0.0

    def slot_chance(self, value: float, threshold: float) -> float:
        """Return the chance of a slot of two items to agree, at least, where the measure has this value.

        Of sets it is their Jaccard similarity. A slot of vectors is the side of a random plane on which one is, or the
        cell of a random line in which it falls, whose width goes by the threshold; or it is a bit, or a feature.

        >>> Measure("cosine", "vectors").slot_chance(0.5, 0.9)
        0.6666666666666666
        """
        if self.of == "sets":
            return self.least_jaccard(value)
        if self.name == "cosine":
            return 1 - math.acos(max(-1.0, min(value, 1.0))) / math.pi
        if self.name == "hamming":
            return max(1 - value / self.bits, 0.0) if self.bits else 0.0
        if self.name == "agreement":
            return value * (1 - 1 / CELLS)
        return same_cell(value, self.cell(threshold))

    def cell(self, threshold: float) -> float:
        """Return the width of a cell, for vectors."""
        if self.tolerance is not None:
            return CELLS * self.tolerance
        return CELLS * threshold if threshold > 0 else 1.0


def value_as(wanted: Column, column: Column, value: float) -> float:
    """Return a value that is a similarity or a distance, as the column says, if that is the one that is wanted."""
    if column != wanted:
        raise AttributeError(f"there is a {column} here, no {wanted}")
    return value


def same_cell(distance: float, width: float) -> float:
    """Return the chance of two vectors at this distance to fall in one cell of a random line.

    Their products with a random direction differ by a normal number, of the distance as its deviation.

    >>> same_cell(1.0, 4.0)
    0.8005...
    """
    if distance <= 0:
        return 1.0
    ratio = width / distance
    flat = 2 / (math.sqrt(2 * math.pi) * ratio) * -math.expm1(-ratio * ratio / 2)
    return max(1 - 2 * NormalDist().cdf(-ratio) - flat, 0.0)
