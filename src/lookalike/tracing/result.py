"""A trace: what a run does with a small collection, step by step, as tables that people can read."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.summary import plural
from lookalike.tracing.tables import Grid, Listing, key_shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lookalike.kinds.trails import Names, Trail
    from lookalike.lsh.banding import Banding
    from lookalike.recipe import Recipe
    from lookalike.tracing.steps import Steps

BRIEF = 12
"""Rows shown of the tables of a trace that prints itself as a whole."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Items that have the same key in a band: each two of them are candidates."""

    band: int
    """The number of the band, from 1."""
    key: int
    items: tuple[Any, ...]
    """The IDs of the items."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two items that met in at least one bucket, and their exact similarity or distance."""

    left: Any
    right: Any
    bands: tuple[int, ...]
    """The bands in which they met, from 1."""
    value: float
    """The exact similarity or distance."""
    is_pair: bool
    """Whether it reaches the threshold."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Two items, how many slots of their signatures agree, and how many should."""

    left: Any
    right: Any
    equal: int
    """The number of slots that agree."""
    agreement: float
    """The share of slots that agree. For MinHash, it estimates the Jaccard similarity."""
    expected: float
    """The chance that a slot agrees, given the exact value: for MinHash, the Jaccard similarity; for measures that do
    not determine it, a lower bound."""
    value: float
    """The exact similarity or distance."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items whose exact similarity or distance reaches the threshold."""

    left: Any
    right: Any
    value: float
    chance: float
    """The chance that two items of this similarity or distance meet."""


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """What a run does with a small collection: shingles, signatures, bands, buckets, candidates, pairs.

    Every part prints itself as a table, in a terminal and in a notebook. Bands are numbered from 1.
    """

    items: tuple[Any, ...]
    """The IDs of the items."""
    recipe: Recipe
    """The recipe of the run, with its bands."""
    buckets: Listing[Bucket]
    """The buckets in which at least two items met, band by band. Copies are not in them, as a run compares their
    original only."""
    copies: dict[Any, Any]
    """Items with the same features as an earlier one, which is their original."""
    notes: tuple[str, ...]
    """What a reader should know, in sentences."""
    steps: Steps | None
    """The one-pass algorithm row by row, for `hash_functions`, `permutations` and `orders`."""
    _trail: Trail = field(repr=False)
    _universe: tuple[Any, ...] | None = field(repr=False)
    _labels: tuple[str, ...] = field(repr=False)
    _names: NDArray[Any] | None = field(repr=False)
    _keys: NDArray[np.uint64] = field(repr=False)
    _values: NDArray[np.float64] = field(repr=False)
    _compared: NDArray[np.bool_] = field(repr=False)

    @property
    def banding(self) -> Banding:
        """The bands and rows."""
        assert self.recipe.banding is not None  # noqa: S101 - a trace has bands
        return self.recipe.banding

    @cached_property
    def shingles(self) -> dict[Any, dict[Any, float]]:
        """What each item consists of: its shingles, elements or numbers, each with its amount.

        The amount is 1 in a set, the count in a bag, the weight in a weighted set, the number in a vector.
        """
        return dict(zip(self.items, self._trail.parts, strict=True))

    @cached_property
    def matrix(self) -> Grid:
        """The characteristic matrix: a row per shingle or element of any item, a column per item."""
        return matrix_of(self.items, self._trail.parts, universe_of(self.recipe, self._trail.parts, self._universe))

    @cached_property
    def signatures(self) -> Grid:
        """The signature matrix: a row per slot, a column per item. Rows of a band belong together."""
        values = self._trail.slots if self._names is None else self._names
        return Grid(self._labels, self.items, values, group=self.banding.rows)

    @cached_property
    def firsts(self) -> Grid | None:
        """The shingle or element that each slot of a signature comes from; None where it is not one of them.

        A MinHash is the first element of a set in a random order: this is that element.
        """
        if self._names is not None:
            return self.signatures
        if self._trail.firsts is None:
            return None
        values = np.full((len(self._labels), len(self.items)), "", object)
        found: Names = self._trail.firsts()
        for item, names in enumerate(found):
            values[: len(names), item] = names
        return Grid(self._labels, self.items, values, group=self.banding.rows)

    @cached_property
    def bands(self) -> Grid:
        """The key of each item in each band. Items with the same key are in one bucket."""
        names = tuple(f"band {band}" for band in range(1, self.banding.bands + 1))
        return Grid(names, self.items, self._keys, show=key_shown)

    @cached_property
    def exact(self) -> Grid:
        """The exact similarity or distance of every two items; NaN for an item without features."""
        return Grid(self.items, self.items, self._values)

    @cached_property
    def estimates(self) -> Listing[Estimate]:
        """Every two items with the share of slots that agree, and the share that was to be expected."""
        heads = {"left": "left", "right": "right", "equal": "equal slots", "agreement": "agreement"}
        if not self.recipe.measure.slot_is_value:
            heads["expected"] = "expected"
        return Listing(self._estimates(), {**heads, "value": self._column}, "No two items have features.")

    @cached_property
    def candidates(self) -> Listing[Candidate]:
        """Every two items that met, with the bands in which they did, and whether they are a pair."""
        heads = {"left": "left", "right": "right", "bands": "met in bands", "value": self._column, "is_pair": "pair"}
        return Listing(self._candidates(), heads, "No two items met in any band.")

    @cached_property
    def pairs(self) -> Listing[Pair]:
        """The pairs that a run reports: candidates that reach the threshold, and copies."""
        found = (pair for pair in self._all_pairs() if self.met(pair.left, pair.right))
        return Listing(found, self._pair_heads, "No candidate reaches the threshold.")

    @cached_property
    def missed(self) -> Listing[Pair]:
        """The false negatives: pairs at or above the threshold that did not meet in any band."""
        found = (pair for pair in self._all_pairs() if not self.met(pair.left, pair.right))
        return Listing(found, self._pair_heads, "Every pair was found.")

    @property
    def false_candidates(self) -> Listing[Candidate]:
        """The false positives: candidates below the threshold, which verification rejects."""
        heads = {"left": "left", "right": "right", "bands": "met in bands", "value": self._column}
        found = (one for one in self.candidates if not one.is_pair)
        return Listing(found, heads, "Every candidate is a pair.")

    def met(self, left: Any, right: Any) -> bool:  # noqa: ANN401 - ids
        """Return whether two items met in a bucket, or are copies of items that did, or of each other."""
        one, two = sorted((self.copies.get(name, name) for name in (left, right)), key=self._place.__getitem__)
        return bool(one == two or (one, two) in self._meetings)

    def plot(self, path: Path | str | None = None) -> Figure:
        """Draw the S-curve, with the pairs of items on it: those that met, and those that did not.

        Many pairs are counted: the share of those that met is drawn for each range of similarities. The plot is written
        to `path` if given: .svg, .png or .pdf.
        """
        from lookalike.report import trace_plots  # noqa: PLC0415 - needs matplotlib

        return trace_plots.saved(trace_plots.pairs_on_curve(self), path)

    def plot_signatures(self, path: Path | str | None = None) -> Figure:
        """Draw the signature matrix, band by band. In each band, items of one bucket have the same colour."""
        from lookalike.report import trace_plots  # noqa: PLC0415 - needs matplotlib

        return trace_plots.saved(trace_plots.signatures(self), path)

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as plain values, ready for JSON. The columns of matrices are in the order of `items`."""
        grids = {name: getattr(self, name) for name in ("signatures", "firsts", "bands")}
        records = {name: getattr(self, name) for name in ("buckets", "estimates", "candidates", "pairs", "missed")}
        return {
            "items": list(self.items),
            "recipe": json.loads(self.recipe.to_json()),
            "shingles": [list(parts.items()) for parts in self._trail.parts],
            **{name: None if grid is None else grid.to_dict() for name, grid in grids.items()},
            **{name: [asdict(record) for record in listing] for name, listing in records.items()},
            "copies": [[copy, first] for copy, first in self.copies.items()],
            "notes": list(self.notes),
        }

    @cached_property
    def _meetings(self) -> set[tuple[Any, Any]]:
        return {(one.left, one.right) for one in self.candidates}

    @cached_property
    def _place(self) -> dict[Any, int]:
        return {name: number for number, name in enumerate(self.items)}

    @property
    def _column(self) -> str:
        return self.recipe.measure.column

    @property
    def _pair_heads(self) -> dict[str, str]:
        return {"left": "left", "right": "right", "value": self._column, "chance": "chance to meet"}

    def _is_pair(self, value: float) -> bool:
        return self.recipe.measure.score(value) >= self.recipe.min_score

    def _estimates(self) -> Iterator[Estimate]:
        slots, recipe = self._trail.slots, self.recipe
        for left, right in self._comparable():
            equal, value = int(np.count_nonzero(slots[:, left] == slots[:, right])), float(self._values[left, right])
            expected = recipe.measure.slot_chance(value, recipe.threshold)
            yield Estimate(self.items[left], self.items[right], equal, equal / len(slots), expected, value)

    def _candidates(self) -> Iterator[Candidate]:
        met: dict[tuple[int, int], list[int]] = defaultdict(list)
        for bucket in self.buckets:
            members = [self._place[name] for name in bucket.items]
            for number, left in enumerate(members):
                for right in members[number + 1 :]:
                    met[left, right].append(bucket.band)
        for (left, right), bands in sorted(met.items()):
            value = float(self._values[left, right])
            yield Candidate(self.items[left], self.items[right], tuple(bands), value, self._is_pair(value))

    def _all_pairs(self) -> Iterator[Pair]:
        """Yield all pairs that reach the threshold, whether they met or not."""
        for left, right in self._comparable():
            value = float(self._values[left, right])
            if self._is_pair(value):
                yield Pair(self.items[left], self.items[right], value, self.recipe.chance(value))

    def _comparable(self) -> Iterator[tuple[int, int]]:
        """Yield every two items that have features."""
        places = np.flatnonzero(self._compared).tolist()
        for number, left in enumerate(places):
            for right in places[number + 1 :]:
                yield left, right

    @property
    def _headline(self) -> str:
        measure, banding = self.recipe.measure, self.banding
        side = "at most" if measure.is_distance else "at least"
        return (
            f"Trace: {plural(len(self.items), 'item')}, signatures of {plural(banding.slots, 'slot')} in "
            f"{plural(banding.bands, 'band')} of {plural(banding.rows, 'row')}; a pair has {measure.name} {side} "
            f"{self.recipe.threshold:g} on {self.recipe.shingling}"
        )

    @property
    def _outcome(self) -> str:
        real = sum(one.is_pair for one in self.candidates)
        return (
            f"{plural(len(self.candidates), 'candidate')} in {plural(len(self.buckets), 'bucket')}: "
            f"{plural(real, 'pair')}, {plural(len(self.candidates) - real, 'false candidate')}; "
            f"{plural(len(self.missed), 'pair')} missed"
        )

    def __repr__(self) -> str:
        candidates = self.candidates.cells(BRIEF).text() if self.candidates else ""
        tables = [self.signatures.cells(BRIEF).text(), candidates]
        return "\n\n".join(filter(None, (self._headline, *tables, "\n".join((self._outcome, *self.notes)))))

    def _repr_html_(self) -> str:
        tables = [self.signatures.cells(BRIEF).html(), self.candidates.cells(BRIEF).html() if self.candidates else ""]
        texts = (self._headline, *tables, self._outcome, *self.notes)
        return "".join(text if text in tables else f"<p>{escape(text)}</p>" for text in texts)


def universe_of(recipe: Recipe, parts: list[dict[Any, float]], given: tuple[Any, ...] | None = None) -> tuple[Any, ...]:
    """Return the rows of the characteristic matrix: those given, or the parts of all items.

    What comes in sequence, as shingles of texts and numbers of vectors do, is in the order in which it first appears;
    elements of sets are sorted.
    """
    if given is not None:
        return given
    found = tuple(dict.fromkeys(name for one in parts for name in one))
    sequential = recipe.shingling.feature.sized
    return found if sequential else tuple(sorted(found))


def matrix_of(items: tuple[Any, ...], parts: list[dict[Any, float]], universe: tuple[Any, ...]) -> Grid:
    """Return the characteristic matrix: the amount of each part of the universe in each item."""
    place = {name: row for row, name in enumerate(universe)}
    whole = all(isinstance(amount, int) for one in parts for amount in one.values())
    values = np.zeros((len(universe), len(items)), np.int64 if whole else np.float64)
    for column, one in enumerate(parts):
        for name, amount in one.items():
            values[place[name], column] = amount
    return Grid(universe, items, values)
