"""Measures of similarity: from what two sets share and their sizes, and what each says of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from lookalike.errors import RecipeError

Name = Literal["jaccard", "dice", "cosine", "overlap", "containment"]

JACCARD, DICE, COSINE, OVERLAP = 0, 1, 2, 3
"""What kernels call them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to say how similar two sets are.

    jaccard      shared / all that either has
    dice         shared / the mean of both sizes
    cosine       shared / the geometric mean of both sizes
    overlap      shared / the size of the smaller
    containment  shared / the size of the left one: how much of it the right one has

    >>> Measure("dice").similarity(3, 4, 6)
    0.6
    """

    name: Name = "jaccard"

    def __post_init__(self) -> None:
        if self.name not in get_args(Name):
            raise RecipeError(f"`measure` must be {', '.join(get_args(Name)[:-1])} or containment. Got {self.name!r}")

    @property
    def code(self) -> int:
        """What kernels call the measure by which candidates are found and verified.

        Who is contained in whom is asked of pairs only: a pair by containment, either way round, is one by overlap.
        """
        return {"jaccard": JACCARD, "dice": DICE, "cosine": COSINE}.get(self.name, OVERLAP)

    @property
    def one_way(self) -> bool:
        """Whether it matters which of two sets is the left one."""
        return self.name == "containment"

    @property
    def banded(self) -> bool:
        """Whether similar sets share enough of both to meet in bands. A small set in a large one does not."""
        return self.code != OVERLAP

    def similarity(self, shared: int, left: int, right: int) -> float:
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
