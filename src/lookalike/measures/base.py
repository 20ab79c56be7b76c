"""What every measure knows: which values are close, what it promises of a slot, and how its axis is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from lookalike.checks import check_number
from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

Of = Literal["sets", "vectors", "bits"]
Column = Literal["similarity", "distance"]

CLASSES: dict[tuple[str, str], type[Measure]] = {}
"""Every measure by what it is of and its name."""

NAMES: dict[str, tuple[str, ...]] = {}
"""Names of the measures of sets, of vectors, of bits; the first of each is the default."""

M = TypeVar("M", bound="type[Measure]")


def register(of: str, name: str) -> Any:  # noqa: ANN401 - a decorator
    """Return a decorator that makes a class known as the measure of this name.

    >>> @register("sets", "same")
    ... class Same(Measure):
    ...     \"\"\"Whether two sets are equal.\"\"\"
    >>> Measure("same")
    Measure(name='same', of='sets', tolerance=None, bits=0)
    """

    def add(cls: M) -> M:
        CLASSES[of, name] = cls
        NAMES[of] = (*(one for one in NAMES.get(of, ()) if one != name), name)
        return cls

    return add


def all_names() -> tuple[str, ...]:
    """Return the names of all measures, each once."""
    return tuple(dict.fromkeys(name for names in NAMES.values() for name in names))


def class_of(of: object, name: object) -> type[Measure]:
    """Return the class of a measure; `Measure` itself if there is none of that name."""
    known = CLASSES.get((of, name)) if isinstance(of, str) and isinstance(name, str) else None
    return known or Measure


@dataclass(frozen=True, slots=True, repr=False)
class Measure:
    """How similar two items are, or how far apart.

    Of sets: the size of the intersection, divided by
    jaccard      the size of the union
    dice         the mean of both sizes
    cosine       the geometric mean of both sizes
    overlap      the size of the smaller set
    containment  the size of the left set: how much of it is in the right one

    Of vectors:
    cosine       the cosine of the angle between them
    euclidean    the distance between them
    agreement    the share of features that differ by at most the tolerance

    Of bits:
    hamming      the number of bits that differ

    `Measure(name, of)` is an instance of the class registered under that name, as `pathlib.Path` makes the path class
    of the platform.

    >>> Measure("dice").similarity(3, 4, 6)
    0.6
    """

    name: str = "jaccard"
    of: str = "sets"
    tolerance: float | None = None
    """For agreement: the largest difference between two close features."""
    bits: int = 0
    """For hamming: the number of bits per item, if known."""

    is_distance: ClassVar[bool] = False
    """Whether a smaller value is closer. The threshold is then a maximum."""
    is_default: ClassVar[bool] = False
    """Whether "similarity" alone, without the name of a measure, means this one."""
    is_whole: ClassVar[bool] = False
    """Whether its values are whole numbers."""
    one_way: ClassVar[bool] = False
    """Whether it matters which of two items is the left one."""
    banded: ClassVar[bool] = True
    """Whether similar items agree in enough slots to meet in bands."""
    takes_tolerance: ClassVar[bool] = False
    takes_bits: ClassVar[bool] = False
    needs_threshold: ClassVar[bool] = False
    """Whether the chance that a slot agrees depends on the threshold."""
    slot_is_value: ClassVar[bool] = False
    """Whether the chance that a slot agrees is the value itself."""
    slot_bytes: ClassVar[int | None] = None
    """Bytes of a slot of a signature, where it is a number."""
    counts_zero: ClassVar[bool] = False
    """Whether pairs with the value 0 are counted. Sets that share nothing are not, nor are equal bits, being copies."""
    unrelated_slot: ClassVar[float | None] = None
    """The chance that a slot of two unrelated items agrees; None if that is next to nothing."""

    def __new__(cls, name: str = "jaccard", of: str = "sets", *_: object, **__: object) -> Self:
        """Make an instance of the class registered under the name."""
        return object.__new__(class_of(of, name) if cls is Measure else cls)  # type: ignore[return-value]

    def __repr__(self) -> str:
        values = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
        return f"Measure({values})"

    def __post_init__(self) -> None:
        if type(self) is Measure:
            raise unknown_measure(self.name, self.of)
        if (self.tolerance is not None) != self.takes_tolerance:
            raise RecipeError(
                "`tolerance` is the largest difference between two close features: it is required by the measure "
                f"agreement and not accepted by any other. Got {self.tolerance!r} with {self.name}"
            )
        if self.tolerance is not None:
            check_number("tolerance", self.tolerance)
        if self.tolerance is not None and not 0 < self.tolerance < math.inf:
            raise RecipeError(f"`tolerance` must be above 0. Got {self.tolerance:g}")

    @property
    def column(self) -> Column:
        """Name of the column of its values."""
        return "distance" if self.is_distance else "similarity"

    @property
    def best(self) -> float:
        """The score of an item with itself."""
        return 0.0 if self.is_distance else 1.0

    def score(self, value: float) -> float:
        """Return the score of a value, or the value of a score. A greater score is always closer."""
        return 0.0 - value if self.is_distance else value

    def values(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of scores, or the scores of values."""
        return 0.0 - scores if self.is_distance else scores

    def check(self, threshold: float) -> None:
        """Raise unless a threshold separates close items from others."""
        check_number("threshold", threshold)
        if self.is_distance and not 0 <= threshold < math.inf:
            raise RecipeError(f"`threshold` of a distance must be at least 0. Got {threshold:g}")
        if not self.is_distance and not 0 < threshold <= 1:
            hint = f"; did you mean {threshold / 100:.2f}?" if 2 <= threshold <= 100 else ""  # noqa: PLR2004 - per cent
            raise RecipeError(f"`threshold` must be in (0, 1]. Got {threshold:.10g}{hint}")

    def check_banded(self) -> None:
        """Raise unless items can be found by bands, and all is known that the chance of a slot depends on."""
        if not self.banded:
            raise RecipeError(
                f"`{self.name}` has no bands: the search for it is always exact, and there is nothing to tune. Search "
                "as it is, or choose jaccard, dice or cosine"
            )
        if self.takes_bits and not self.bits:
            raise RecipeError(f"`bits` must be the number of bits per item for the measure {self.name}, such as 64")

    def with_bits(self, bits: int) -> Self:
        """Return the measure for items of so many bits, if that matters to it."""
        return replace(self, bits=bits) if self.takes_bits else self

    def slot_chance(self, value: float, threshold: float) -> float:
        """Return a lower bound of the chance that a slot of two items agrees, given the value of the measure."""
        raise NotImplementedError

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets, from the sizes of the intersection and of both."""
        raise NotImplementedError(f"{self.name} of {self.of} does not follow from the sizes of sets")

    # The axis of plots and tables

    @property
    def label(self) -> str:
        """What its axis is called."""
        return "similarity" if self.is_default else f"{self.name} {self.column}"

    @property
    def unit(self) -> str:
        """The unit of its values, if they have one."""
        return ""

    @property
    def lowest(self) -> float:
        """The lowest value of a similarity."""
        return 0.0

    def axis_end(self, threshold: float | None) -> float:  # noqa: ARG002 - that of a distance goes by it
        """Return where the axis ends: at the similarity 1, or at twice the threshold of a distance."""
        return 1.0

    def axis_steps(self, end: float, threshold: float | None) -> tuple[float, float]:  # noqa: ARG002 - of a distance
        """Return by how much an axis may be extended at a time, and up to where."""
        return end, end

    def axis_ticks(self, end: float, count: int) -> list[float]:
        """Return evenly spaced values from 0 to the end."""
        return [end * i / count for i in range(count + 1)]

    def bin_edges(self, threshold: float, count: int) -> set[float]:  # noqa: ARG002 - of a distance
        """Return where ranges of values begin and end, apart from the threshold."""
        return {i / count for i in range(count + 1)}

    def farthest(self, slot: float, threshold: float | None) -> float:  # noqa: ARG002 - of a distance without end
        """Return the least similar value, or a distance at which a slot agrees with less than this chance."""
        return self.lowest


def unknown_measure(name: str, of: str) -> RecipeError:
    """Return an error that lists the measures there are."""
    if of not in NAMES:
        return RecipeError(f"`of` must be {one_of(NAMES)}. Got {of!r}")
    others = [other for other, names in NAMES.items() if name in names]
    hint = f"; that is a measure of {others[0]}" if others else ""
    return RecipeError(f"`measure` must be {one_of(NAMES[of])} for {of}. Got {name!r}{hint}")


def one_of(names: Iterable[str]) -> str:
    """Return names as a choice in a sentence.

    >>> one_of(["sets", "vectors", "bits"])
    'sets, vectors or bits'
    """
    *rest, last = names
    return f"{', '.join(rest)} or {last}" if rest else last


def value_as(wanted: Column, column: Column, value: float) -> float:
    """Return a value if it is of the wanted column, a similarity or a distance."""
    if column != wanted:
        raise AttributeError(f"this measure has a {column}, not a {wanted}")
    return value
