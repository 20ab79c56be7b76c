"""Signatures by hand: by permutations, row orders or hash functions of the user's own, as in a lecture; or by planes.

Permutations, orders and hash functions all give each row of the characteristic matrix a number per slot. A column's
slot is the least number of its rows. One pass over the rows computes all slots of all columns: see `steps`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lookalike.checks import plain_number
from lookalike.errors import RecipeError
from lookalike.measures.sets import SetMeasure
from lookalike.measures.vectors import VectorMeasure
from lookalike.tracing.steps import Steps, one_pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe
    from lookalike.tracing.tables import Grid

HashFunction = str | Callable[[int], int]
"""A function of the number of a row: a callable, or a formula such as "3x + 1 mod 5"."""

FORMULA = re.compile(r"(?P<a>\d*) *\*? *x *(?:(?P<sign>[+-]) *(?P<b>\d+))? *(?:mod|%) *(?P<m>\d+)")

LARGEST = 1 << 62
"""Values of hash functions are below this."""


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """Signatures made by hand."""

    labels: tuple[str, ...]
    """The name of each slot."""
    slots: NDArray[np.int64]
    """A row per slot, a column per item."""
    steps: Steps | None = None
    names: NDArray[Any] | None = None
    """What the values of slots stand for, where that is an element."""


class Hand(ABC):
    """A way to make signatures by hand, with one slot for each thing that the user gave."""

    option: ClassVar[str]
    """The argument of `trace` that it is given by."""

    def __init__(self, given: Sequence[Any]) -> None:
        self.given = list(given)
        if not self.given:
            raise RecipeError(f"`{self.option}` must hold at least one, for the first slot. Got none")

    @property
    def count(self) -> int:
        """The number of slots."""
        return len(self.given)

    @abstractmethod
    def check(self, recipe: Recipe) -> None:
        """Raise unless such signatures mean something for the items."""

    @abstractmethod
    def sign(self, matrix: Grid, first_row: int) -> Signed:
        """Return the signatures of the columns of a characteristic matrix, whose rows are numbered."""


class Numbering(Hand):
    """Gives each row a number per slot. A slot of a column is the least number of its rows."""

    def check(self, recipe: Recipe) -> None:
        """Raise unless items are sets."""
        feature = recipe.shingling.feature
        if not isinstance(recipe.measure, SetMeasure) or not feature.countable or recipe.shingling.bag:
            what = f"bags of {feature.items}" if recipe.shingling.bag else feature.items
            raise RecipeError(f"`{self.option}` is for sets, without counts or weights. Leave it out for {what}")

    def sign(self, matrix: Grid, first_row: int) -> Signed:
        """Return the signatures, by one pass over the rows."""
        labels, numbers = self.labels(), self.numbers(matrix.rows, first_row)
        steps = Steps(one_pass(matrix, numbers, first_row), labels, matrix.columns)
        slots = steps[-1].signatures
        return Signed(labels, slots, steps, self.names(slots))

    def labels(self) -> tuple[str, ...]:
        """Return the name of each slot."""
        return tuple(f"h{i}" for i in range(1, self.count + 1))

    @abstractmethod
    def numbers(self, rows: tuple[Any, ...], first_row: int) -> NDArray[np.int64]:
        """Return the number of each row in each slot: a row of numbers per slot."""

    def names(self, slots: NDArray[np.int64]) -> NDArray[Any] | None:  # noqa: ARG002 - most numbers are just numbers
        """Return the elements that the values of slots stand for, if they do."""
        return None


class Permutations(Numbering):
    """Permutations: the place of each row among all rows."""

    option = "permutations"

    def numbers(self, rows: tuple[Any, ...], first_row: int) -> NDArray[np.int64]:  # noqa: ARG002 - has its own numbers
        """Return the places of rows."""
        for one in self.given:
            places = sorted(map(plain_number, one))
            if places not in (list(range(1, len(rows) + 1)), list(range(len(rows)))):
                raise RecipeError(
                    f"`permutations` must each hold the numbers 1 to {len(rows)}, the place of every row. Got {one!r}"
                )
        return np.array(self.given, np.int64)


class Orders(Numbering):
    """Orders of rows: all elements, the first one first. A slot is the first element that a set has."""

    option = "orders"

    def numbers(self, rows: tuple[Any, ...], first_row: int) -> NDArray[np.int64]:  # noqa: ARG002 - has its own numbers
        """Return the place of each row in each order."""
        self.given = [list(order) for order in self.given]
        for order in self.given:
            if len(order) != len(rows) or set(order) != set(rows):
                raise RecipeError(f"`orders` must each hold every row once. Got {order!r} for the rows {list(rows)!r}")
        return np.array([[order.index(row) for row in rows] for order in self.given], np.int64)

    def names(self, slots: NDArray[np.int64]) -> NDArray[Any]:
        """Return the first element in each order that each set has; None for an empty set."""
        found = np.full(slots.shape, None, object)
        for (slot, item), place in np.ndenumerate(slots):
            order = self.given[slot]
            found[slot, item] = order[place] if place < len(order) else None
        return found


class HashFunctions(Numbering):
    """Hash functions of the number of a row."""

    option = "hash_functions"

    def __init__(self, given: Sequence[HashFunction]) -> None:
        super().__init__(given)
        self._functions = [parsed(function) for function in self.given]

    def labels(self) -> tuple[str, ...]:
        """Return the formulas, as far as they are known."""
        usual = super().labels()
        given = [
            function if isinstance(function, str) else name for function, name in zip(self.given, usual, strict=True)
        ]
        return tuple(given) if len(set(given)) == len(given) else usual

    def numbers(self, rows: tuple[Any, ...], first_row: int) -> NDArray[np.int64]:
        """Return the hash values of the numbers of rows."""
        numbers = range(first_row, first_row + len(rows))
        found = [[plain_number(function(number)) for number in numbers] for function in self._functions]
        for value in (value for values in found for value in values):
            if isinstance(value, bool) or not isinstance(value, int) or not -LARGEST < value < LARGEST:
                raise RecipeError(f"`hash_functions` must return whole numbers below 2^62. Got {value!r}")
        return np.array(found, np.int64)


class Planes(Hand):
    """Planes through the origin, by their normals. A slot is the side that a vector is on: 1 or 0."""

    option = "planes"

    def check(self, recipe: Recipe) -> None:
        """Raise unless items are vectors that are compared by angle."""
        measure = recipe.measure
        if not isinstance(measure, VectorMeasure) or not measure.uses_direction_only:
            raise RecipeError(
                f"`planes` is for vectors that are compared by angle. Got {recipe.shingling.feature.items} by "
                f"{measure.name}; lists of whole numbers are sets, unless `shingle='vectors'`"
            )

    def sign(self, matrix: Grid, first_row: int) -> Signed:  # noqa: ARG002 - numbers of rows do not matter
        """Return the sides of planes that vectors are on."""
        normals = np.array(self.given, np.float64)
        if normals.shape != (self.count, len(matrix)):
            raise RecipeError(f"`planes` must each hold {len(matrix)} numbers, as the vectors do. Got {self.given!r}")
        labels = tuple(f"plane {i}" for i in range(1, self.count + 1))
        return Signed(labels, (normals @ matrix.values > 0).astype(np.int64))


def parsed(function: HashFunction) -> Callable[[int], int]:
    """Return a hash function, given as such or as a formula.

    >>> [parsed("3x + 1 mod 5")(x) for x in range(5)]
    [1, 4, 2, 0, 3]
    """
    if callable(function):
        return function
    found = FORMULA.fullmatch(function.strip()) if isinstance(function, str) else None
    if found is None or not int(found["m"]):
        raise RecipeError(f"`hash_functions` must be functions, or formulas such as '3x + 1 mod 5'. Got {function!r}")
    factor, modulus = int(found["a"] or 1), int(found["m"])
    shift = int(f"{found['sign'] or '+'}{found['b'] or 0}")
    return lambda x: (factor * x + shift) % modulus


def hand_of(*given: tuple[Callable[[Sequence[Any]], Hand], Iterable[Any] | None]) -> Hand | None:
    """Return the way to make signatures that was asked for, if any."""
    wanted = [way(list(values)) for way, values in given if values is not None]
    if len(wanted) > 1:
        names = " and ".join(f"`{hand.option}`" for hand in wanted)
        raise RecipeError(f"{names} are different ways to make signatures. Give one of them")
    return wanted[0] if wanted else None


def keys_of(slots: NDArray[Any], rows: int) -> NDArray[np.uint64]:
    """Return a key per band and item: equal slots have equal keys. They are numbered from 1 in each band."""
    bands = slots.reshape(-1, rows, slots.shape[1])
    return np.array([1 + numbered(map(tuple, band.T.tolist())) for band in bands], np.uint64)


def numbered(values: Iterable[Hashable]) -> NDArray[np.uint64]:
    """Return a number for each value: the same for equal ones, in the order in which they first appear.

    >>> numbered("abacb").tolist()
    [0, 1, 0, 2, 1]
    """
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.uint64)
