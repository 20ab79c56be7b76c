"""Choice of bands and rows for a threshold and a recall."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from lookalike.checks import check_number, check_threshold, plain_number
from lookalike.errors import RecipeError
from lookalike.lsh.banding import LARGEST_SIGNATURE, Banding
from lookalike.measures import NAMES, Measure, one_of
from lookalike.measures.base import class_of
from lookalike.tuning.bandings import short_bandings

if TYPE_CHECKING:
    from collections.abc import Iterator

FALSE_CANDIDATES = 2500.0
"""The cost of the area under the S-curve left of the threshold, in slots."""

COMPARED = 50.0
"""The cost of comparing two vectors, in slots."""

MAX_ROWS = 100

MIN_SLOT_CHANCE = 1e-3
"""Items at lower thresholds share next to nothing, and would need extremely long signatures."""


def tune(
    threshold: float | None = None,
    recall: float = 0.99,
    *,
    measure: str | None = None,
    of: str | None = None,
    bits: int | None = None,
    items: int = 100_000,
    sample: Any = None,  # noqa: ANN401 - any collection of items
    **settings: Any,  # noqa: ANN401 - those of estimate_costs
) -> Banding:
    """Return the cheapest banding that finds a pair at the threshold with at least the chance `recall`.

    >>> tune(threshold=0.8, recall=0.99)
    Banding(bands=20, rows=7)

    The threshold is a value of the measure: 0.8 by default, but distances have no default. `of` is what the measure
    compares: sets, vectors or bits. It is needed where the name is ambiguous: cosine is the measure of sets unless `of`
    is vectors. Bands of sets depend on the minimum Jaccard similarity that follows from the threshold. Bands of vectors
    and bits are chosen for a collection of `items` mostly unrelated items; hamming needs the number of `bits` per item.

    >>> tune(threshold=0.8, recall=0.99, measure="dice")
    Banding(bands=33, rows=5)
    >>> tune(threshold=0.9, recall=0.99, measure="cosine", of="vectors")
    Banding(bands=73, rows=18)
    >>> tune(threshold=3, recall=0.99, measure="hamming", bits=64)
    Banding(bands=9, rows=19)

    With `sample`, a collection as `find_pairs` takes it, the banding is the cheapest for the similarities found among
    its items, and `of` follows from the collection. The other arguments are those of `estimate_costs`, which returns
    more detail.
    """
    threshold, recall = plain_number(threshold), plain_number(recall)
    if sample is not None:
        if of is not None or bits is not None:
            raise RecipeError("`of` and `bits` follow from the items of a `sample`. Leave them out")
        from lookalike.estimate import estimate_costs  # noqa: PLC0415 - needs NumPy and Numba

        if threshold is not None:
            settings["threshold"] = threshold
        return estimate_costs(sample, recall=recall, **{**settings, "measure": measure}).banding
    measured = measure_for(measure, of, bits, settings.pop("tolerance", None))
    if settings:
        raise TypeError(f"`{min(settings)}` is a setting for reading a `sample`. Give a `sample`, or leave it out")
    threshold = threshold_for(measured, threshold)
    slot_chance = slot_at(measured, threshold, recall)
    bandings = short_bandings(slot_chance, recall, FALSE_CANDIDATES, MAX_ROWS)
    unrelated = measured.unrelated_slot
    if unrelated is None:
        return min(bandings, key=lambda banding: cost(banding, slot_chance))
    return min(bandings, key=lambda banding: cost_among(banding, items, unrelated))


def measure_for(
    name: str | None = None, of: str | None = None, bits: int | None = None, tolerance: float | None = None
) -> Measure:
    """Return the measure of this name, of sets, vectors or bits.

    The tolerance of features does not change the chance of a slot, so it may be left out.

    >>> measure_for("hamming", bits=64)
    Measure(name='hamming', of='bits', tolerance=None, bits=64)
    """
    if of is not None and of not in NAMES:
        raise RecipeError(f"`of` must be {one_of(NAMES)}. Got {of!r}")
    name = name or NAMES[of or "sets"][0]
    of = of or next((one for one, names in NAMES.items() if name in names), "sets")
    if bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or bits < 1):
        raise RecipeError(f"`bits` must be a whole number, at least 1. Got {bits!r}")
    found = class_of(of, name)
    if bits is not None and not found.takes_bits:
        raise RecipeError(f"`bits` is the number of bits per item, for the measure hamming. Leave it out for {name}")
    if found.takes_tolerance and tolerance is None:
        tolerance = 1.0
    return Measure(name, of, tolerance, bits or 0)


def threshold_for(measure: Measure, threshold: float | None) -> float:
    """Return the threshold, or the default one of a similarity."""
    if threshold is None:
        if measure.is_distance:
            raise RecipeError(f"`threshold` must be the maximum distance of two items, for the measure {measure.name}")
        return 0.8
    measure.check(threshold)
    return threshold


def slot_at(measure: Measure, threshold: float, recall: float) -> float:
    """Return the chance that a slot agrees at the threshold; raise an error if no bands can reach the recall."""
    measure.check_banded()
    measure.check(threshold)
    slot_chance = measure.slot_chance(threshold, threshold)
    if slot_chance < MIN_SLOT_CHANCE:
        rule = f"at least {MIN_SLOT_CHANCE:g}" if measure.is_default else "closer"
        why = "" if measure.is_default else f", where a slot agrees with a chance of {slot_chance:g}"
        raise RecipeError(
            f"`threshold` must be {rule}. Got {threshold:g}{why}; give `bands` and `rows` for it, or `recall` 1"
        )
    check_recall(recall)
    if recall == 1:
        raise RecipeError("`recall` 1 means an exact search, which has no bands. Give less, such as 0.999")
    return slot_chance


def balance(threshold: float = 0.8, *, weights: tuple[float, float] = (0.5, 0.5), slots: int = 128) -> Banding:
    """Return the banding of at most `slots` slots that minimises the weighted areas of error. It guarantees no recall.

    `weights` are those of the false positives, the area under the S-curve left of the threshold, and of the false
    negatives, the area above it on the right. Other libraries choose bands this way; check the resulting recall before
    you rely on it.

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

    def weighted_errors() -> Iterator[tuple[float, int, int]]:
        for rows in range(1, slots + 1):
            for bands, (left, right) in enumerate(islice(areas(threshold, rows), slots // rows), 1):
                yield positive * left + negative * right, bands, rows

    _, bands, rows = min(weighted_errors())
    return Banding(bands, rows)


def check_recall(recall: float) -> None:
    """Raise an error unless the recall is in (0, 1]."""
    check_number("recall", recall)
    if not 0 < recall <= 1:
        hint = f"; did you mean {recall / 100:g}?" if 1 < recall <= 100 else ""  # noqa: PLR2004 - per cent
        raise RecipeError(f"`recall` must be in (0, 1]. Got {recall:g}{hint}")


def check_weights(weights: tuple[float, float]) -> None:
    """Raise an error unless both weights are positive: with one of them 0, the best curve is hardly an S."""
    both = tuple(weights) if isinstance(weights, Iterable) else (weights,)
    if len(both) != 2:  # noqa: PLR2004 - two kinds of error
        raise RecipeError(f"`weights` must be two numbers, of false positives and of false negatives. Got {weights!r}")
    for weight in both:
        check_number("weights", weight)
    if not all(0 < weight < math.inf for weight in both):
        raise RecipeError(f"`weights` must be above 0. Got {both[0]:g} and {both[1]:g}; only their ratio matters")


def cost(banding: Banding, threshold: float) -> float:
    """Estimate the cost of a banding per item: its slots, and the false candidates that it lets through."""
    return banding.slots + FALSE_CANDIDATES * error_areas(banding, threshold)[0]


def cost_among(banding: Banding, items: int, unrelated: float) -> float:
    """Estimate the cost of a banding per item, given the chance that a slot of unrelated items agrees."""
    return banding.slots + COMPARED * items / 2 * banding.bands * unrelated**banding.rows


def error_areas(banding: Banding, threshold: float) -> tuple[float, float]:
    """Return the area under the S-curve left of the threshold, and the area above it on the right.

    If all similarities were equally frequent, they would be the shares of false candidates and of missed pairs.
    """
    return next(islice(areas(threshold, banding.rows), banding.bands - 1, None))


def areas(threshold: float, rows: int) -> Iterator[tuple[float, float]]:
    """Yield both areas of error for 1, 2, 3, ... bands.

    Let I(b) be the integral of (1 - s^r)^b. By parts, (1 + b r) I(b) = [s (1 - s^r)^b] + b r I(b - 1): only sums of
    positive numbers, so it loses no digits, which the sum of binomials would.
    """
    misses = 1 - threshold**rows
    apart = left = threshold
    whole = 1.0
    for slots in count(rows, rows):
        apart *= misses
        left = (apart + slots * left) / (1 + slots)
        whole *= slots / (1 + slots)
        yield threshold - left, max(whole - left, 0.0)
