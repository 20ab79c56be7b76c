"""Two texts, compared exactly and explained."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from lookalike import characters
from lookalike.kernels.tokens import BLANK, SINGLE
from lookalike.read import Batch
from lookalike.settings import Settings, recipe_of
from lookalike.shingle import Shingler, normal
from lookalike.sign import Signer

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        """The chance that two texts of this similarity meet in a band."""
        return self.recipe.banding.chance(self.similarity)

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
        banding = {"bands": self.recipe.banding.bands, "rows": self.recipe.banding.rows}
        recipe = {"threshold": self.recipe.threshold, "shingle": str(self.recipe.shingling)}
        return {**{name: getattr(self, name) for name in names}, **recipe, **banding, **spans}

    def __str__(self) -> str:
        return self.reason


def compare(left: str, right: str, **settings: Unpack[Settings]) -> Comparison:
    """Compare two texts exactly. The other arguments are those of `find_pairs`.

    >>> compare("a rose is a rose is a rose", "a rose is a rose", shingle="words:2").similarity
    1.0
    """
    recipe = recipe_of(settings)
    shingler = Shingler(recipe.shingling)
    columns = shingler.columns(pa.array([left, right], pa.large_string()))
    bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
    elements, sizes = shingler.sets(columns.data, bounds)
    one, two = elements[: sizes[0]], elements[sizes[0] :]
    shared = len(np.intersect1d(one, two))
    union = len(one) + len(two) - shared
    left_spans, right_spans = shared_spans(left, right, recipe.shingling)
    return Comparison(
        similarity=shared / union if union else 0.0,
        shared=shared,
        only_left=len(one) - shared,
        only_right=len(two) - shared,
        recipe=recipe,
        bands_met=bands_met(recipe, shingler, left, right),
        left=left,
        right=right,
        left_spans=left_spans,
        right_spans=right_spans,
    )


def bands_met(recipe: Recipe, shingler: Shingler, left: str, right: str) -> int:
    """Count the bands in which two texts agree."""
    keys = Signer(recipe, shingler).sign(Batch(0, pa.array([left, right], pa.large_string()), None, None)).keys
    return int(np.count_nonzero((keys[:, 0] == keys[:, 1]) & (keys[:, 0] != 0)))


def shared_spans(left: str, right: str, shingling: Shingling) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return where each text has shingles of the other, as few spans as possible."""
    texts = [list(tokens(text, shingling)) for text in (left, right)]
    grams = [{gram for _, gram in windows(words, shingling.size)} for words in texts]
    both = grams[0] & grams[1]
    first, second = (tuple(merged(words, shingling.size, both)) for words in texts)
    return first, second


def tokens(text: str, shingling: Shingling) -> Iterator[tuple[Span, str]]:
    """Yield the tokens of a text with their place in it. A byte has the place of its character."""
    if shingling.kind != "words":
        for i, character in enumerate(text):
            pieces = character.encode() if shingling.kind == "bytes" else [normal(character, shingling)]
            yield from (((i, i + 1), str(piece)) for piece in pieces)
        return
    kinds = characters.classes(punctuation=shingling.punctuation)[np.array([ord(c) for c in text], np.int64)]
    begins = np.flatnonzero((kinds == SINGLE) | ((kinds != BLANK) & (np.roll(kinds, 1) != kinds) | at_start(kinds)))
    for begin, following in pairwise([*begins.tolist(), len(text)]):
        end = begin + 1 if kinds[begin] == SINGLE else word_end(kinds, begin, following)
        yield (begin, end), normal(text[begin:end], shingling)


def at_start(kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the first character if it belongs to a word."""
    start = np.zeros(len(kinds), bool)
    start[:1] = kinds[:1] != BLANK
    return start


def word_end(kinds: NDArray[np.uint8], begin: int, following: int) -> int:
    """Return where a word ends that begins before another one does."""
    other = np.flatnonzero(kinds[begin:following] != kinds[begin])
    return begin + int(other[0]) if len(other) else following


def windows(words: list[tuple[Span, str]], size: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each shingle with the index of its first token; fewer tokens than a shingle has are one."""
    for i in range(max(len(words) - size + 1, min(len(words), 1))):
        yield i, tuple(word for _, word in words[i : i + size])


def merged(words: list[tuple[Span, str]], size: int, both: set[tuple[str, ...]]) -> Iterator[Span]:
    """Yield the spans covered by shared shingles, those that overlap or touch in tokens as one."""
    begin = end = -1
    for i, gram in windows(words, size):
        if gram not in both:
            continue
        if i > end:
            if end >= 0:
                yield words[begin][0][0], words[end - 1][0][1]
            begin = i
        end = min(i + size, len(words))
    if end >= 0:
        yield words[begin][0][0], words[end - 1][0][1]
