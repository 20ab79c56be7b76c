"""Two sets, compared: what both have, and what only one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.comparison.base import Comparison, count_meetings
from lookalike.measures.sets import set_measure

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe

PLAIN = 1e4, 1e15
"""Weights between these are written with two digits after the point, others with six in all."""

Amounts = dict[Any, float]
"""Elements, and how much there is of each: 1 in a set, how often it occurs in a bag, its weight if it has one."""


@dataclass(frozen=True)
class SetComparison(Comparison):
    """How similar two sets are, and why."""

    left: Amounts = field(repr=False)
    """The elements of the left one, with 1 for each, how often it is there in a bag, or its weight."""
    right: Amounts = field(repr=False)

    @cached_property
    def shared(self) -> float:
        """How much both have: elements, or weight."""
        return sum(min(self.left[element], self.right[element]) for element in self.shared_elements)

    @cached_property
    def only_left(self) -> float:
        """How much the left one has beyond that."""
        return beyond(self.left, self.right)

    @cached_property
    def only_right(self) -> float:
        """How much the right one has beyond that."""
        return beyond(self.right, self.left)

    @cached_property
    def shared_elements(self) -> list[Any]:
        """The elements that both have, those first of which there is most."""
        return by_amount({one: min(much, self.right[one]) for one, much in self.left.items() if one in self.right})

    @cached_property
    def left_elements(self) -> list[Any]:
        """The elements that only the left one has, those first of which there is most."""
        return by_amount({one: much for one, much in self.left.items() if one not in self.right})

    @cached_property
    def right_elements(self) -> list[Any]:
        """The elements that only the right one has, those first of which there is most."""
        return by_amount({one: much for one, much in self.right.items() if one not in self.left})

    @property
    def weighted(self) -> bool:
        """Whether the elements have weights."""
        return not self.recipe.shingling.feature.countable

    @property
    def counted(self) -> bool:
        """Whether there can be more or less of an element: in bags and weighted sets."""
        return self.recipe.shingling.bag or self.weighted

    @property
    def missing(self) -> str:
        """What there is nothing of, which cannot be similar to anything; empty if both are there."""
        return "" if self.left and self.right else "a set without elements"

    @property
    def shares(self) -> str:
        """What the two have in common, as a part of a sentence: it ends before the value."""
        unit = "of the weight is" if self.weighted else "elements are"
        total = self.shared + self.only_left + self.only_right
        return f"{number(self.shared)} of {number(total)} {unit} shared, "

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        amounts = {name: getattr(self, name) for name in ("shared", "only_left", "only_right")}
        elements = {name: getattr(self, name) for name in ("shared_elements", "left_elements", "right_elements")}
        sides = {"left": list(self.left.items()), "right": list(self.right.items())} if self.counted else {}
        return {**super().to_dict(), **amounts, **elements, **sides}


def explain_sets(
    recipe: Recipe, items: pa.Array, keys: NDArray[np.uint64], value: float | None = None
) -> SetComparison:
    """Compare two sets by a recipe, given their band keys, and their similarity if it is known."""
    left, right = (amounts(item.as_py() or [], bag=recipe.shingling.bag) for item in items)
    if value is None and not (left and right):
        value = 0.0
    if value is None:
        sizes = sum(left.values()), sum(right.values())
        value = set_measure(recipe).similarity(sizes[0] - beyond(left, right), *sizes)
    return SetComparison(value, recipe.threshold, recipe, count_meetings(keys), left, right)


def amounts(elements: list[Any], *, bag: bool) -> Amounts:
    """Return the elements of a set, and how much there is of each.

    >>> amounts(["tea", "milk", "tea"], bag=True)
    {'tea': 2, 'milk': 1}
    """
    if not elements or not isinstance(elements[0], dict):
        return dict(Counter(elements)) if bag else dict.fromkeys(elements, 1)
    weights: Amounts = {}
    for pair in elements:
        weights[pair["element"]] = weights.get(pair["element"], 0.0) + pair["weight"]
    return weights


def beyond(one: Amounts, other: Amounts) -> float:
    """Return how much one set has beyond what the other has."""
    return sum(max(amount - other.get(element, 0), 0) for element, amount in one.items())


def by_amount(some: Amounts) -> list[Any]:
    """Return elements, those first of which there is most; among equals by their own order, as a set has none."""
    return sorted(some, key=lambda element: (-some[element], element))


def number(amount: float) -> str:
    """Write a number of elements, or a weight, for people.

    >>> number(1_234_567), number(2 / 3), number(1_300_003.0)
    ('1,234,567', '0.666667', '1,300,003')
    """
    if isinstance(amount, int):
        return f"{amount:,}"
    return f"{amount:,.2f}".rstrip("0").rstrip(".") if PLAIN[0] <= amount < PLAIN[1] else f"{amount:,.6g}"
