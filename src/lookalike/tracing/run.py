"""Run a small collection through the machine, and keep what a run throws away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.engines.local.collect import collect
from lookalike.engines.local.run import Run
from lookalike.errors import InputError, RecipeError
from lookalike.lsh import buckets
from lookalike.lsh.banding import Banding
from lookalike.options import names
from lookalike.tracing.by_hand import HashFunctions, Orders, Permutations, Planes, hand_of, keys_of
from lookalike.tracing.result import Bucket, Trace, matrix_of, universe_of
from lookalike.tracing.tables import Listing
from lookalike.tuning.tune import tune

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.kinds import Collection
    from lookalike.kinds.trails import Trail
    from lookalike.lsh.buckets import Banded
    from lookalike.options import Settings
    from lookalike.recipe import Recipe
    from lookalike.tracing.by_hand import Hand, HashFunction, Signed

MAX_ITEMS = 500
"""The maximum number of items: more have more pairs than anyone looks at. Up to here, a run splits no bucket."""

FAR_TOO_MANY = 10 * MAX_ITEMS
"""The number of items from which a collection is not even read; it may be an estimate."""


def trace(
    items: Any,  # noqa: ANN401 - whatever holds items
    *,
    permutations: Iterable[Sequence[int]] | None = None,
    orders: Iterable[Sequence[Any]] | None = None,
    hash_functions: Iterable[HashFunction] | None = None,
    planes: Iterable[Sequence[float]] | None = None,
    universe: Iterable[Any] | None = None,
    first_row: int = 0,
    **settings: Unpack[Settings],
) -> Trace:
    """Show what `find_pairs` does with a small collection: shingles, signatures, bands, buckets, candidates.

    >>> sets = {"S1": {"a", "d"}, "S2": {"c"}, "S3": {"b", "d", "e"}, "S4": {"a", "c", "d"}}
    >>> trace(sets, hash_functions=["x+1 mod 5", "3x+1 mod 5"]).signatures
                S1  S2  S3  S4
    x+1 mod 5    1   3   0   1
    3x+1 mod 5   0   2   0   0

    Up to 500 items are signed, banded and compared as `find_pairs` would with the same settings and these bands. If
    none are given, they follow from threshold and recall.

    For sets, signatures can be made by hand instead, as in a lecture. There is one slot per entry of
    `permutations` (for each row of the characteristic matrix, its place), of `orders` (the rows themselves, the first
    one first) or of `hash_functions` (functions of the number of a row, or formulas such as "3x+1 mod 5"). For vectors
    that are compared by angle, `planes` are the normals of planes. `universe` lists the rows of the matrix in order; by
    default these are the elements of all sets, sorted. `first_row` is the number of the first one. Unless `bands` and
    `rows` are given, each slot made by hand is a band.
    """
    hand = hand_of((Permutations, permutations), (Orders, orders), (HashFunctions, hash_functions), (Planes, planes))
    check_settings(settings)
    with Run(settings, items) as run:
        if hand is not None:
            hand.check(run.asked.recipe)
            run.asked = replace(run.asked, recipe=with_slots(run.asked.recipe, hand))
        if (run.source.estimated_rows() or 0) > FAR_TOO_MANY:
            raise too_many(run.source.estimated_rows(), "about ")
        collected = collect(run)
        check_size(collected.items.count)
        recipe = banded(run, collected)
        assert recipe.banding is not None  # noqa: S101 - for the type checker
        trail = collected.items.trail(recipe.banding, run.source.batches())
        return Tracer(run, collected, recipe, trail).trace(hand, universe, first_row)


def check_size(count: int) -> None:
    """Raise unless a collection is small, but not empty."""
    if count > MAX_ITEMS:
        raise too_many(count)
    if count == 0:
        raise InputError("There are no items to trace. Pass at least one")


def too_many(count: int | None, about: str = "") -> InputError:
    """Return an error about a collection that is too large."""
    return InputError(f"A trace shows at most {MAX_ITEMS} items, to look at. Got {about}{count:,}; pick some of them")


def check_settings(settings: Settings) -> None:
    """Raise for a setting that a trace would ignore."""
    for name in names("checking"):
        if settings.get(name):
            raise RecipeError(
                f"`{name}` is for runs. Leave it out: a trace compares all items, and shows what it missed"
            )


def with_slots(recipe: Recipe, hand: Hand) -> Recipe:
    """Return a recipe with as many slots as are made by hand."""
    banding = recipe.banding or Banding(hand.count, 1)
    if banding.slots != hand.count:
        raise RecipeError(
            f"`bands` x `rows` must be the number of `{hand.option}`. Got {banding.bands} x {banding.rows} for "
            f"{hand.count}"
        )
    return replace(recipe, banding=banding)


def banded(run: Run, collected: Collected) -> Recipe:
    """Return the recipe with bands: those given, those of a run, or those that follow from threshold and recall."""
    items = collected.items
    recipe, measure = items.recipe, items.recipe.measure
    if recipe.banding is not None:
        return recipe
    if not measure.banded:
        raise RecipeError(f"`{measure.name}` has no bands: the search for it is always exact. Choose another measure")
    bits = measure.bits if measure.takes_bits else None
    banding = tune(
        recipe.threshold, run.asked.recall, measure=measure.name, of=measure.of, bits=bits, items=items.count,
        **({"tolerance": measure.tolerance} if measure.takes_tolerance else {}),
    )  # fmt: skip
    items.sign(banding)
    return replace(recipe, banding=banding)


@dataclass(frozen=True, slots=True)
class HandKeys:
    """Items with band keys that were made by hand."""

    keys: NDArray[np.uint64]

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.keys[0])

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""
        keys[:] = self.keys[band]


@dataclass(frozen=True, slots=True)
class Tracer:
    """Makes the trace of a collection that was read, signed and searched for copies."""

    run: Run
    collected: Collected
    recipe: Recipe
    trail: Trail

    def trace(self, hand: Hand | None, universe: Iterable[Any] | None, first_row: int) -> Trace:
        """Return the trace."""
        items, original = self.collected.items, self.collected.copies.original
        names = tuple(self.collected.names(np.arange(items.count)).to_pylist())
        rows = None if universe is None else checked_universe(tuple(universe), self.trail)
        signed = self._sign(hand, names, rows, first_row)
        banding = self.recipe.banding
        assert banding is not None  # noqa: S101 - for the type checker
        trail, keys = self.trail, band_keys(items, banding.bands)
        with_keys: Banded = items
        if signed is not None:
            trail, keys = replace(trail, slots=signed.slots), keys_of(signed.slots, banding.rows)
            keys[:, original < 0] = 0
            with_keys = HandKeys(keys)
        copies = {names[item]: names[first] for item, first in enumerate(original.tolist()) if item != first >= 0}
        return Trace(
            items=names,
            recipe=self.recipe,
            buckets=self._buckets(with_keys, keys, names),
            copies=copies,
            notes=tuple(self._notes(hand, copies)),
            steps=signed.steps if signed else None,
            _trail=trail,
            _universe=rows,
            _labels=signed.labels if signed else tuple(f"slot {slot}" for slot in range(1, banding.slots + 1)),
            _names=signed.names if signed else None,
            _keys=keys,
            _values=exact_values(items, original),
            _compared=original >= 0,
        )

    def _sign(
        self, hand: Hand | None, names: tuple[Any, ...], rows: tuple[Any, ...] | None, first_row: int
    ) -> Signed | None:
        """Return the signatures made by hand, if that was asked for."""
        if hand is None:
            return None
        parts = self.trail.parts
        return hand.sign(matrix_of(names, parts, universe_of(self.recipe, parts, rows)), first_row)

    def _buckets(self, with_keys: Banded, keys: NDArray[np.uint64], names: tuple[Any, ...]) -> Listing[Bucket]:
        """Return the buckets in which items meet, as a run finds them."""
        compared, threads = self.collected.compared.originals, self.run.threads
        found = buckets.buckets(with_keys, compared, len(keys), threads, width=buckets.ALL)
        records = (
            Bucket(band + 1, int(keys[band, members[0]]), tuple(names[item] for item in sorted(members.tolist())))
            for band, some in enumerate(found)
            for members in sorted(some.members(), key=min)
        )
        return Listing(records, {"band": "band", "key": "key", "items": "items"}, "No two items met in any band.")

    def _notes(self, hand: Hand | None, copies: dict[Any, Any]) -> Iterator[str]:
        """Yield what a reader should know."""
        if copies:
            yield (
                f"{len(copies)} of the items {'is a copy' if len(copies) == 1 else 'are copies'} of an earlier one, "
                "with the same features: a run compares the original only"
            )
        if self.collected.items.empty:
            yield f"{self.collected.items.empty} of the items have no features and meet nothing"
        banding = self.recipe.banding
        if hand is None and self.collected.plan is None and banding is not None:
            yield (
                "find_pairs searches such a collection exactly where that is faster; with "
                f"bands={banding.bands} and rows={banding.rows}, it searches as shown here"
            )


def checked_universe(universe: tuple[Any, ...], trail: Trail) -> tuple[Any, ...]:
    """Return the rows that were given; raise unless every part of an item is one of them, once."""
    held = set(universe)
    if len(held) < len(universe):
        raise RecipeError("`universe` must hold every row once. Drop those that are repeated")
    for parts in trail.parts:
        if unknown := [name for name in parts if name not in held]:
            raise RecipeError(f"`universe` must hold the elements of all items. Add {unknown[0]!r}")
    return universe


def band_keys(items: Collection, bands: int) -> NDArray[np.uint64]:
    """Return the key of each item in each band."""
    keys = np.empty((bands, items.count), np.uint64)
    for band in range(bands):
        items.read_band(band, keys[band])
    return keys


def exact_values(items: Collection, original: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the exact similarity or distance of every two items; NaN for those without features."""
    measure = items.recipe.measure
    compared = np.flatnonzero(original == np.arange(len(original))).astype(np.int32)
    scores = np.full((len(original), len(original)), np.nan)
    left, right = (compared[side] for side in np.triu_indices(len(compared), 1))
    if len(left):
        scores[left, right] = scores[right, left] = items.scores(left, right)
    scores[compared, compared] = measure.best
    present = np.flatnonzero(original >= 0)
    values = np.full_like(scores, np.nan)
    values[np.ix_(present, present)] = measure.values(scores[np.ix_(original[present], original[present])])
    return values
