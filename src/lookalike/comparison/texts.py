"""Two texts, compared exactly and explained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from lookalike import characters
from lookalike.errors import InputError, RecipeError
from lookalike.kernels.tokens import SINGLE, WORD
from lookalike.read import Batch
from lookalike.settings import Settings, recipe_of
from lookalike.shingle import Shingler, normal
from lookalike.sign import Signer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.recipe import Recipe, Shingling

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How similar two texts are, and why."""

    similarity: float
    shared: int
    """Shingles that both have."""
    only_left: int
    only_right: int
    recipe: Recipe
    bands_met: int
    """Bands in which the two signatures agree: with one or more, a run would have compared the two."""
    left: str = field(repr=False)
    right: str = field(repr=False)
    left_spans: tuple[Span, ...] = field(repr=False)
    """Where the left text has shingles that the right one has too, as positions of characters."""
    right_spans: tuple[Span, ...] = field(repr=False)

    @property
    def chance(self) -> float:
        """The chance that a run compares two texts of this similarity."""
        return self.recipe.chance(self.similarity)

    @property
    def is_pair(self) -> bool:
        """Whether the similarity reaches the threshold."""
        return self.similarity >= self.recipe.threshold > 0 and self.shared > 0

    @property
    def reason(self) -> str:
        """Why the two are a pair, or why not, in a sentence."""
        total = self.shared + self.only_left + self.only_right
        if not self.shared + self.only_left or not self.shared + self.only_right:
            return f"Not a pair: a text without {self.recipe.shingling} shingles matches nothing."
        verdict = "A pair" if self.is_pair else "Not a pair"
        relation = ">=" if self.is_pair else "<"
        return (
            f"{verdict}: {self.shared:,} of {total:,} shingles are shared, "
            f"{self.similarity:.4f} {relation} {self.recipe.threshold:g}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        names = ("similarity", "shared", "only_left", "only_right", "is_pair", "bands_met", "chance", "reason")
        spans = {"left_spans": list(self.left_spans), "right_spans": list(self.right_spans)}
        banding = self.recipe.banding
        recipe = {"threshold": self.recipe.threshold, "shingle": str(self.recipe.shingling)}
        bands = {"bands": banding.bands if banding else 0, "rows": banding.rows if banding else 0}
        return {**{name: getattr(self, name) for name in names}, **recipe, **bands, **spans}

    def __str__(self) -> str:
        return self.reason


def compare(left: str, right: str, **settings: Unpack[Settings]) -> Comparison:
    """Compare two texts exactly. The other arguments are those of `find_pairs`.

    >>> compare("a rose is a rose is a rose", "a rose is a rose", shingle="words:2").similarity
    1.0
    """
    return compare_by(recipe_of(settings), left, right)


def compare_by(recipe: Recipe, left: str, right: str) -> Comparison:
    """Compare two texts as a recipe says."""
    for text in (left, right):
        if not isinstance(text, str):
            raise InputError(f"compare takes two texts. Got a {type(text).__name__}")
    if recipe.shingling.kind in ("tokens", "elements", "weights"):
        raise RecipeError(f"compare takes two texts, and {recipe.shingling} is for lists. Use words, chars or bytes")
    shingler = Shingler(recipe.shingling)
    left, right = (as_compared(text, recipe.shingling) for text in (left, right))
    columns = shingler.columns(as_array(left, right))
    bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
    elements, sizes = shingler.sets(columns.data, bounds)
    shared = len(np.intersect1d(elements[: sizes[0]], elements[sizes[0] :], assume_unique=True))
    only_left, only_right = (int(size) - shared for size in sizes)
    in_right, in_left = which_are_shared(recipe.shingling, columns.data, bounds)
    return Comparison(
        similarity=recipe.measure.similarity(shared, *map(int, sizes)) if sizes.all() else 0.0,
        shared=shared,
        only_left=only_left,
        only_right=only_right,
        recipe=recipe,
        bands_met=bands_met(recipe, shingler, left, right),
        left=left,
        right=right,
        left_spans=shared_spans(left, in_right, recipe.shingling),
        right_spans=shared_spans(right, in_left, recipe.shingling),
    )


def as_compared(text: str, shingling: Shingling) -> str:
    """Return a text with its switches applied, but for the case of words, which only the comparison ignores."""
    return normal(text, replace(shingling, lower=False) if shingling.kind == "words" else shingling)


def as_array(*texts: str) -> pa.Array:
    """Return texts as an Arrow array."""
    try:
        return pa.array(texts, pa.large_string())
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        raise InputError("A text holds half of a surrogate pair, which is not valid Unicode. Replace it") from error


def bands_met(recipe: Recipe, shingler: Shingler, left: str, right: str) -> int:
    """Count the bands in which two texts agree."""
    keys = Signer(recipe, shingler).sign(Batch(0, as_array(left, right), None, None)).keys
    return int(np.count_nonzero((keys[:, 0] == keys[:, 1]) & (keys[:, 0] != 0)))


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
