"""Bands and rows from the threshold and the recall wanted."""

from __future__ import annotations

import math
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from lookalike.errors import RecipeError
from lookalike.measures import Measure, Name, Of
from lookalike.recipe import LARGEST_SIGNATURE, Banding, check_number, check_threshold

if TYPE_CHECKING:
    from collections.abc import Iterator

FALSE_CANDIDATES = 2500.0
"""What the area under the S-curve left of the threshold costs, in slots of signature."""

COMPARED = 50.0
"""What it costs to compare two vectors, in slots."""

MOST_ROWS = 100

LEAST = 1e-3
"""Thresholds below are met by items that share next to nothing, and would need signatures without end."""


def tune(
    threshold: float = 0.8,
    recall: float = 0.99,
    *,
    measure: Name = "jaccard",
    of: Of = "sets",
    items: int = 100_000,
    sample: Any = None,  # noqa: ANN401 - whatever holds texts
    **settings: Any,  # noqa: ANN401 - those of estimate_costs
) -> Banding:
    """Return the cheapest banding that finds a pair at the threshold with at least the chance `recall`.

    >>> tune(threshold=0.8, recall=0.99)
    Banding(bands=20, rows=7)

    The threshold is one of the measure, of sets, vectors or bits. Bands of sets go by the least Jaccard similarity that
    follows from it. Those of vectors are for so many items, none of which has anything to do with most of the others.

    >>> tune(threshold=0.8, recall=0.99, measure="dice")
    Banding(bands=21, rows=5)
    >>> tune(threshold=0.9, recall=0.99, measure="cosine", of="vectors")
    Banding(bands=73, rows=18)

    With `sample`, a collection as `find_pairs` takes it, the banding is the cheapest for the similarities that some of
    its items have. The other arguments are those of `estimate_costs`, which tells more.
    """
    measured = Measure(measure, of, tolerance=1.0 if measure == "agreement" else None)
    measured.check(threshold)
    if of != "sets":
        return tune_vectors(measured, threshold, recall, items)
    threshold = jaccard_of(threshold, measured)
    check_promise(threshold, recall)
    if sample is not None:
        from lookalike.estimate import estimate_costs  # noqa: PLC0415 - needs NumPy and Numba

        return estimate_costs(sample, threshold=threshold, recall=recall, **settings).banding
    if settings:
        raise TypeError(f"the setting {min(settings)!r} says how to read a sample; give a `sample` too")
    return min(choices(threshold, recall), key=lambda banding: cost(banding, threshold))


def balance(threshold: float = 0.8, *, weights: tuple[float, float] = (0.5, 0.5), slots: int = 128) -> Banding:
    """Return the banding of at most that many slots with the least weighted areas of error. It promises no recall.

    `weights` are those of the false positives, the area under the S-curve left of the threshold, and of the false
    negatives, the area above it on the right. Other libraries choose so; see what recall follows before you rely on it.

    >>> balance(0.8)
    Banding(bands=9, rows=13)
    >>> balance(0.8).chance(0.8)
    0.39884387824016365
    """
    check_threshold(threshold)
    check_weights(weights)
    if isinstance(slots, bool) or not isinstance(slots, int) or not 1 <= slots <= LARGEST_SIGNATURE:
        raise RecipeError(f"`slots` must be a whole number in 1..{LARGEST_SIGNATURE}. Got {slots!r}")
    positive, negative = weights

    def weighed() -> Iterator[tuple[float, int, int]]:
        for rows in range(1, slots + 1):
            for bands, (left, right) in enumerate(islice(areas(threshold, rows), slots // rows), 1):
                yield positive * left + negative * right, bands, rows

    _, bands, rows = min(weighed())
    return Banding(bands, rows)


def jaccard_of(threshold: float, measure: Measure) -> float:
    """Return the least Jaccard similarity that follows from a threshold of another measure, for its bands."""
    if not measure.banded:
        raise RecipeError(
            f"`{measure.name}` has no bands: the search for it is always exact. Leave the bands to others"
        )
    return measure.least_jaccard(threshold)


def tune_vectors(measure: Measure, threshold: float, recall: float, items: int) -> Banding:
    """Return the cheapest banding for so many vectors, if slots of two that have nothing in common agree by halves."""
    check_recall(recall)
    if recall == 1:
        raise RecipeError("`recall` 1 means an exact search, which has no bands. Ask for less, such as 0.999")
    if measure.name == "hamming":
        raise RecipeError("The bands of bits depend on how many there are: a run settles them. Leave this to it")
    meets = measure.slot_chance(threshold, threshold)

    def taken(banding: Banding) -> float:
        return banding.slots + COMPARED * items / 2 * banding.bands * 0.5**banding.rows

    return min(choices(meets, recall), key=taken)


def check_promise(threshold: float, recall: float) -> None:
    """Raise unless there are bands and rows with this recall at this threshold."""
    check_threshold(threshold)
    if threshold < LEAST:
        raise RecipeError(
            f"`threshold` must be at least {LEAST:g}. Got {threshold:g}; give bands and rows for less, or recall 1"
        )
    check_recall(recall)
    if recall == 1:
        raise RecipeError("`recall` 1 means an exact search, which has no bands. Ask for less, such as 0.999")


def check_recall(recall: float) -> None:
    """Raise unless a recall can be promised."""
    check_number("recall", recall)
    if not 0 < recall <= 1:
        hint = f"; did you mean {recall / 100:g}?" if 1 < recall <= 100 else ""  # noqa: PLR2004 - per cent
        raise RecipeError(f"`recall` must be in (0, 1]. Got {recall:g}{hint}")


def check_weights(weights: tuple[float, float]) -> None:
    """Raise unless both kinds of error count: without one of them, the best curve is one that is hardly an S."""
    both = tuple(weights)
    if len(both) != 2:  # noqa: PLR2004 - two kinds of error
        raise RecipeError(f"`weights` must be two numbers, of false positives and of false negatives. Got {both}")
    for weight in both:
        check_number("weights", weight)
    if not all(0 < weight < math.inf for weight in both):
        raise RecipeError(f"`weights` must be above 0. Got {both[0]:g} and {both[1]:g}; only their ratio matters")


def choices(threshold: float, recall: float) -> list[Banding]:
    """List the bandings that keep the promise, one for each number of rows, up to the longest signature."""
    found = []
    for rows in range(1, LARGEST_SIGNATURE):
        bands = bands_for(threshold, recall, rows)
        if bands * rows > LARGEST_SIGNATURE:
            break
        found.append(Banding(bands, rows))
        if bands * rows > FALSE_CANDIDATES or rows > MOST_ROWS:
            break
    return found


def bands_for(threshold: float, recall: float, rows: int) -> int:
    """Return the least number of bands that reaches the recall at the threshold."""
    meets = threshold**rows
    if meets >= recall:
        return 1
    bands = math.ceil(math.log1p(-recall) / math.log1p(-meets))
    return bands if 1 - (1 - meets) ** bands >= recall else bands + 1


def cost(banding: Banding, threshold: float) -> float:
    """Estimate what a banding costs an item: its slots, and the candidates below the threshold it lets through."""
    return banding.slots + FALSE_CANDIDATES * error_areas(banding, threshold)[0]


def error_areas(banding: Banding, threshold: float) -> tuple[float, float]:
    """Return the area under the S-curve left of the threshold, and the area above it on the right.

    They are the shares of all similarities, if each were as frequent, that are compared in vain and that are missed.
    """
    return next(islice(areas(threshold, banding.rows), banding.bands - 1, None))


def areas(threshold: float, rows: int) -> Iterator[tuple[float, float]]:
    """Yield both areas of error for 1, 2, 3, ... bands.

    Let I(b) be the integral of (1 - s^r)^b. By parts, (1 + b r) I(b) = [s (1 - s^r)^b] + b r I(b - 1): nothing but
    sums of what is positive, so it loses no digits, which the sum of binomials would.
    """
    misses = 1 - threshold**rows
    apart = left = threshold
    whole = 1.0
    for slots in count(rows, rows):
        apart *= misses
        left = (apart + slots * left) / (1 + slots)
        whole *= slots / (1 + slots)
        yield threshold - left, max(whole - left, 0.0)
