"""Two texts, compared: what they share, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.comparison.base import Comparison, meetings
from lookalike.features import characters
from lookalike.features.shingles import Shingler, normal
from lookalike.kernels.tokens import SINGLE, WORD
from lookalike.lsh.minhash import Signer
from lookalike.read import Batch

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.features.shingling import Shingling
    from lookalike.recipe import Recipe

Span = tuple[int, int]


@dataclass(frozen=True)
class TextComparison(Comparison):
    """How similar two texts are, and why."""

    shared: int
    """Shingles that both have."""
    only_left: int
    only_right: int
    left: str = field(repr=False)
    """The text in the form that was compared; token ids as numbers with spaces between them."""
    right: str = field(repr=False)
    left_spans: tuple[Span, ...] = field(repr=False)
    """Where the left text has shingles that the right one has too, as positions of characters."""
    right_spans: tuple[Span, ...] = field(repr=False)

    @property
    def missing(self) -> str:
        """What there is nothing of, which cannot be similar to anything; empty if both are there."""
        if self.shared + self.only_left and self.shared + self.only_right:
            return ""
        what = "a list" if self.recipe.shingling.kind == "tokens" else "a text"
        return f"{what} without {self.recipe.shingling} shingles"

    @property
    def shares(self) -> str:
        """What the two have in common, as a part of a sentence: it ends before the value."""
        return f"{self.shared:,} of {self.shared + self.only_left + self.only_right:,} shingles are shared, "

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        counts = {name: getattr(self, name) for name in ("shared", "only_left", "only_right")}
        spans = {"left_spans": list(self.left_spans), "right_spans": list(self.right_spans)}
        return {**super().to_dict(), **counts, **spans}


def compare_texts(recipe: Recipe, items: pa.Array) -> TextComparison:
    """Compare two texts, or lists of tokens, as a recipe says."""
    shingling = recipe.shingling
    shingler = Shingler(shingling)
    columns = shingler.columns(items)
    bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
    elements, sizes = shingler.sets(columns.data, bounds)
    shared = len(np.intersect1d(elements[: sizes[0]], elements[sizes[0] :], assume_unique=True))
    only_left, only_right = (int(size) - shared for size in sizes)
    left, right = (as_compared(item.as_py(), shingling) for item in items)
    in_right, in_left = which_are_shared(shingling, columns.data, bounds)
    return TextComparison(
        value=recipe.measure.similarity(shared, *map(int, sizes)) if sizes.all() else 0.0,
        threshold=recipe.threshold,
        recipe=recipe,
        bands_met=meetings(Signer(recipe, shingler).sign(Batch(0, items, None, None)).keys),
        shared=shared,
        only_left=only_left,
        only_right=only_right,
        left=left,
        right=right,
        left_spans=shared_spans(left, in_right, shingling),
        right_spans=shared_spans(right, in_left, shingling),
    )


def as_compared(item: str | list[int] | None, shingling: Shingling) -> str:
    """Return a text with its switches applied, but for the case of words, which only the comparison ignores."""
    if shingling.kind == "tokens":
        return " ".join(map(str, item or []))
    return normal(str(item or ""), replace(shingling, lower=False) if shingling.kind == "words" else shingling)


def which_are_shared(
    shingling: Shingling, data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell of the shingles of two items, in order, which the other has too; item i is `data[slice(*bounds[i])]`."""
    marker = Shingler(replace(shingling, bag=False))
    left, right = (marker.grams(data, bounds[i : i + 1, 0], bounds[i : i + 1, 1])[0].copy() for i in (0, 1))
    return np.isin(left, right), np.isin(right, left)


def shared_spans(text: str, shared: NDArray[np.bool_], shingling: Shingling) -> tuple[Span, ...]:
    """Return where a text has shared shingles, given which of its shingles are; those that touch are one span."""
    begins, ends = token_bounds(text, shingling)
    return spans_of(begins, ends, covered(len(begins), shared, shingling))


def other_spans(text: str, shared: NDArray[np.bool_], shingling: Shingling) -> tuple[Span, ...]:
    """Return where a text has tokens that no shared shingle covers. The text may be the beginning of a longer one."""
    begins, ends = token_bounds(text, shingling)
    return spans_of(begins, ends, ~covered(len(begins), shared, shingling))


def covered(tokens: int, shared: NDArray[np.bool_], shingling: Shingling) -> NDArray[np.bool_]:
    """Tell which of the first tokens are in a shared shingle, given which of the shingles are shared."""
    first = np.flatnonzero(shared[:tokens])
    steps = np.zeros(tokens + 1, np.int64)
    np.add.at(steps, first, 1)
    np.add.at(steps, np.minimum(first + shingling.size, tokens), -1)
    return np.cumsum(steps[:-1]) > 0


def spans_of(begins: NDArray[np.int64], ends: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[Span, ...]:
    """Return where the runs of wanted tokens begin and end."""
    edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0))
    return tuple((int(begins[low]), int(ends[high - 1])) for low, high in edges.reshape(-1, 2))


def token_bounds(text: str, shingling: Shingling) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each token of a text begins and ends, in characters. A byte has the place of its character.

    Token ids stand in the text as numbers with spaces between them.
    """
    places = np.arange(len(text))
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    if shingling.kind in ("words", "tokens"):
        words = shingling.kind == "words"
        kinds = characters.classes(punctuation=shingling.punctuation)[codes] if words else WORD * (codes != ord(" "))
        inside = kinds == WORD
        begins = (kinds == SINGLE) | (inside & ~np.append(False, inside[:-1]))
        ends = (kinds == SINGLE) | (inside & ~np.append(inside[1:], False))
        return np.flatnonzero(begins), np.flatnonzero(ends) + 1
    if shingling.kind == "bytes":
        lengths = 1 + sum((codes >= first).astype(np.int64) for first in (0x80, 0x800, 0x10000))
        places = np.repeat(places, lengths)
    return places, places + 1
