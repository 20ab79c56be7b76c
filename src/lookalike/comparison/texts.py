"""The comparison of two texts: what they share, and where."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.comparison.base import Comparison, count_shared_bands
from lookalike.lsh.minhash import Signer
from lookalike.measures.sets import set_measure
from lookalike.read import Batch

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.shingles import Shingler
    from lookalike.recipe import Recipe

Span = tuple[int, int]


@dataclass(frozen=True)
class TextComparison(Comparison):
    """How similar two texts are, and why."""

    shared: int
    """The number of shingles in both texts."""
    only_left: int
    only_right: int
    left: str = field(repr=False)
    """The text as it was compared. Token ids are separated by spaces."""
    right: str = field(repr=False)
    left_spans: tuple[Span, ...] = field(repr=False)
    """The character spans of the left text that shared shingles cover."""
    right_spans: tuple[Span, ...] = field(repr=False)

    @property
    def missing(self) -> str:
        """A description of the item that is empty and so matches nothing; an empty text if neither is."""
        if self.shared + self.only_left and self.shared + self.only_right:
            return ""
        return f"a {self.recipe.shingling.feature.noun} without {self.recipe.shingling} shingles"

    @property
    def shares(self) -> str:
        """What the two items share, as the part of a sentence that precedes the value."""
        return f"{self.shared:,} of {self.shared + self.only_left + self.only_right:,} shingles are shared, "

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        counts = {name: getattr(self, name) for name in ("shared", "only_left", "only_right")}
        spans = {"left_spans": list(self.left_spans), "right_spans": list(self.right_spans)}
        return {**super().to_dict(), **counts, **spans}


def compare_texts(recipe: Recipe, shingler: Shingler, items: pa.Array) -> TextComparison:
    """Compare two texts, or lists of tokens, by a recipe."""
    columns = shingler.columns(items)
    bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
    elements, sizes = shingler.sets(columns.data, bounds)
    shared = len(np.intersect1d(elements[: sizes[0]], elements[sizes[0] :], assume_unique=True))
    only_left, only_right = (int(size) - shared for size in sizes)
    left, right = (shingler.readable(item.as_py()) for item in items)
    in_right, in_left = shared_shingles(shingler, columns.data, bounds)
    return TextComparison(
        value=set_measure(recipe).similarity(shared, *map(int, sizes)) if sizes.all() else 0.0,
        threshold=recipe.threshold,
        recipe=recipe,
        bands_met=count_shared_bands(Signer(recipe, shingler).sign(Batch(0, items, None, None)).keys),
        shared=shared,
        only_left=only_left,
        only_right=only_right,
        left=left,
        right=right,
        left_spans=shared_spans(left, in_right, shingler),
        right_spans=shared_spans(right, in_left, shingler),
    )


def shared_shingles(
    shingler: Shingler, data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which shingles of each item the other item has too, in order. Item i is `data[slice(*bounds[i])]`."""
    marker = type(shingler)(replace(shingler.shingling, bag=False))
    left, right = (marker.grams(data, bounds[i : i + 1, 0], bounds[i : i + 1, 1])[0].copy() for i in (0, 1))
    return np.isin(left, right), np.isin(right, left)


def shared_spans(text: str, shared: NDArray[np.bool_], shingler: Shingler) -> tuple[Span, ...]:
    """Return the spans of a text that shared shingles cover, given which of its shingles are shared."""
    begins, ends = shingler.token_bounds(text)
    return spans_of(begins, ends, covered(len(begins), shared, shingler.shingling.size))


def other_spans(text: str, shared: NDArray[np.bool_], shingler: Shingler) -> tuple[Span, ...]:
    """Return the spans of tokens that no shared shingle covers. The text may be the start of a longer one."""
    begins, ends = shingler.token_bounds(text)
    return spans_of(begins, ends, ~covered(len(begins), shared, shingler.shingling.size))


def covered(tokens: int, shared: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return which of the first tokens are in a shared shingle of this size, given which shingles are shared."""
    first = np.flatnonzero(shared[:tokens])
    steps = np.zeros(tokens + 1, np.int64)
    np.add.at(steps, first, 1)
    np.add.at(steps, np.minimum(first + size, tokens), -1)
    return np.cumsum(steps[:-1]) > 0


def spans_of(begins: NDArray[np.int64], ends: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[Span, ...]:
    """Return where the runs of wanted tokens begin and end."""
    edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0))
    return tuple((int(begins[low]), int(ends[high - 1])) for low, high in edges.reshape(-1, 2))
