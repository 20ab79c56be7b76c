"""Texts and lists of token ids: compared as sets of shingles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lookalike.comparison.texts import compare_texts, other_spans, shared_shingles
from lookalike.features.columns import text_columns
from lookalike.features.elements import number_columns
from lookalike.features.shinglers import shingler_for
from lookalike.kinds.base import Excerpt, Kind
from lookalike.kinds.comparers import SetComparer
from lookalike.kinds.shingled import SetCollection
from lookalike.kinds.trails import join, shingle_trail
from lookalike.kinds.whole import fingerprint_bytes
from lookalike.lsh.minhash import Signer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.comparison.texts import TextComparison
    from lookalike.features.shingles import Shingler
    from lookalike.features.shingling import Shingling
    from lookalike.kinds.trails import Trail
    from lookalike.lsh.banding import Banding
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources

LONGEST = 1 << 20
"""Bytes of a text that are written out; differences are looked for in these."""


class TextKind(Kind):
    """Texts: sets of words, characters or bytes in a row."""

    name = "texts"
    noun = "text"
    part = "shingle"
    excerpt_unit = "characters"
    column = "text"
    is_text = True

    def shingler(self, shingling: Shingling) -> Shingler:
        """Return what makes the shingles of items."""
        return shingler_for(shingling)

    def collection(self, recipe: Recipe, resources: Resources, *, searched: bool = True) -> TextCollection:
        """Return an empty collection."""
        return TextCollection(recipe, resources, self.shingler(recipe.shingling), searched=searched)

    def comparer(self, recipe: Recipe) -> SetComparer:
        """Return what signs and compares texts that are not part of a run."""
        return SetComparer(recipe, self.shingler(recipe.shingling))

    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per text, the same for equal ones."""
        return fingerprint_bytes(text_columns(items))

    def explain(self, recipe: Recipe, items: pa.Array) -> TextComparison:
        """Compare two texts."""
        return compare_texts(recipe, self.shingler(recipe.shingling), items)


class TokenKind(TextKind):
    """Lists of token ids: sets of ids in a row."""

    name = "tokens"
    excerpt_unit = "token ids"
    column = "tokens"
    is_text = False

    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per list, the same for equal ones."""
        return fingerprint_bytes(number_columns(items))


class TextCollection(SetCollection):
    """The texts of a run."""

    def trail(self, banding: Banding, batches: Iterator[Batch]) -> Trail:
        """Return the shingles of texts, and their signatures."""
        signer = Signer(replace(self.recipe, banding=banding), self._shingler)
        return join(shingle_trail(signer, batch.items) for batch in batches)

    def write_out(
        self,
        pairs: Sequence[tuple[int, int]],
        sources: tuple[Source, ...],  # noqa: ARG002 - texts are stored
    ) -> list[tuple[Excerpt, Excerpt]]:
        """Return the texts of each pair, and where they differ."""
        return [self._excerpts(left, right) for left, right in pairs]

    def _excerpts(self, left: int, right: int) -> tuple[Excerpt, Excerpt]:
        data, shingler = self._items.data.view(), self._shingler
        bounds = self._items.bounds(np.array([left, right]))
        found = []
        for (begin, end), shared in zip(bounds, shared_shingles(shingler, data, bounds), strict=True):
            text, more = shingler.readable_bytes(data[begin:end], LONGEST)
            found.append(Excerpt(text, other_spans(text, shared, shingler), more))
        return found[0], found[1]
