"""The comparison of two sets: the elements in both, and in only one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.comparison.base import Comparison, count_shared_bands
from lookalike.measures.sets import set_measure

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe

TWO_DECIMALS = 1e4, 1e15
"""Weights in this range are written with two decimals, others with six significant digits."""

Amounts = dict[Any, float]
"""The amount of each element: 1 in a set, its count in a bag, or its weight."""


@dataclass(frozen=True)
class SetComparison(Comparison):
    """How similar two sets are, and why."""

    left: Amounts = field(repr=False)
    """The elements of the left set, each with 1, its count in a bag, or its weight."""
    right: Amounts = field(repr=False)

    @cached_property
    def shared(self) -> float:
        """The number of elements, or the weight, that both sets have."""
        return sum(min(self.left[element], self.right[element]) for element in self.shared_elements)

    @cached_property
    def only_left(self) -> float:
        """The number of elements, or the weight, that only the left set has."""
        return excess(self.left, self.right)

    @cached_property
    def only_right(self) -> float:
        """The number of elements, or the weight, that only the right set has."""
        return excess(self.right, self.left)

    @cached_property
    def shared_elements(self) -> list[Any]:
        """The elements in both sets, the largest amounts first."""
        return by_amount({key: min(amount, self.right[key]) for key, amount in self.left.items() if key in self.right})

    @cached_property
    def left_elements(self) -> list[Any]:
        """The elements in only the left set, the largest amounts first."""
        return by_amount({key: amount for key, amount in self.left.items() if key not in self.right})

    @cached_property
    def right_elements(self) -> list[Any]:
        """The elements in only the right set, the largest amounts first."""
        return by_amount({key: amount for key, amount in self.right.items() if key not in self.left})

    @property
    def weighted(self) -> bool:
        """Whether the elements have weights."""
        return not self.recipe.shingling.feature.countable

    @property
    def counted(self) -> bool:
        """Whether elements have counts or weights: in bags and weighted sets."""
        return self.recipe.shingling.bag or self.weighted

    @property
    def missing(self) -> str:
        """A description of the item that is empty and so matches nothing; an empty text if neither is."""
        return "" if self.left and self.right else "a set without elements"

    @property
    def shares(self) -> str:
        """What the two items share, as the part of a sentence that precedes the value."""
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
        value = set_measure(recipe).similarity(sizes[0] - excess(left, right), *sizes)
    return SetComparison(value, recipe.threshold, recipe, count_shared_bands(keys), left, right)


def amounts(elements: list[Any], *, bag: bool) -> Amounts:
    """Return the elements of a set, with the amount of each.

    >>> amounts(["tea", "milk", "tea"], bag=True)
    {'tea': 2, 'milk': 1}
    """
    if not elements or not isinstance(elements[0], dict):
        return dict(Counter(elements)) if bag else dict.fromkeys(elements, 1)
    weights: Amounts = {}
    for pair in elements:
        weights[pair["element"]] = weights.get(pair["element"], 0.0) + pair["weight"]
    return weights


def excess(left: Amounts, right: Amounts) -> float:
    """Return the amount that the left set has beyond the right one."""
    return sum(max(amount - right.get(element, 0), 0) for element, amount in left.items())


def by_amount(weights: Amounts) -> list[Any]:
    """Return elements, the largest amounts first, then in the elements' own order, since a set has none."""
    return sorted(weights, key=lambda element: (-weights[element], element))


def number(amount: float) -> str:
    """Format a number of elements, or a weight.

    >>> number(1_234_567), number(2 / 3), number(1_300_003.0)
    ('1,234,567', '0.666667', '1,300,003')
    """
    if isinstance(amount, int):
        return f"{amount:,}"
    return f"{amount:,.2f}".rstrip("0").rstrip(".") if TWO_DECIMALS[0] <= amount < TWO_DECIMALS[1] else f"{amount:,.6g}"
