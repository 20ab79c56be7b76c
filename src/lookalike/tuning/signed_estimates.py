"""How long searches among signed sets would take: by their bands, by bands with more rows, or exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lookalike.exact.all_pairs import allowed_differences, separates, words_for
from lookalike.lsh.buckets import MAX_SEEN
from lookalike.tuning.cost import ENTER, TEXTS, Expected, SetCosts, all_pairs_seconds, verify_seconds
from lookalike.tuning.set_search import search_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.tuning.collisions import Collisions
    from lookalike.tuning.set_search import Found, SetSearch

JOIN_WORDS = 8
"""The typical length of the outlines by which large buckets are searched, in words."""


@dataclass(frozen=True, slots=True)
class DrawnPairs:
    """Pairs drawn from all pairs of items: their Jaccard similarities, and the sizes of both sets."""

    jaccard: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    counts: NDArray[np.bool_]
    """Which of them would be compared: not those that are united, where clusters are wanted."""

    def share_close(self, words: int, min_jaccard: float) -> float:
        """Return the share of pairs that would be verified: outlines do not tell that they are below the threshold."""
        both = self.left + self.right
        apart = both * (1 - self.jaccard) / (1 + self.jaccard)
        bits = 64 * words
        seen = bits / 2 * -np.expm1(-2 * apart / bits)
        close = seen <= allowed_differences(1, min_jaccard) / 2 * both
        return float(np.mean(close & self.counts))

    def share_in_size(self, min_jaccard: float) -> float:
        """Return the share of pairs that their sizes do not tell to be below the threshold."""
        return float(np.mean(np.minimum(self.left, self.right) >= min_jaccard * np.maximum(self.left, self.right)))


class SignedEstimates:
    """How long searches among signed sets of shingles would take, in seconds of one core.

    What was done, signing, is not counted again; what other searches need in addition is.
    """

    def __init__(self, search: SetSearch, collisions: Collisions, drawn: DrawnPairs) -> None:
        self._search = search
        self._collisions = collisions
        self._drawn = drawn
        self._count = len(search.compared)
        self._sizes = np.concatenate((drawn.left, drawn.right))
        self._costs = SetCosts(self._sizes, self._count, search.recipe.sketch)
        self._elements = self._costs.mean_size * self._count

    @property
    def candidates(self) -> float:
        """The number of candidates that the bands bring together; those that clusters spare are left out."""
        return self._collisions.expect(self._collisions.banding)[1]

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""
        collisions, candidates = self._collisions.expect(banding)
        if candidates > MAX_SEEN:  # what is not remembered is compared again
            candidates = max(collisions, candidates)
        large = self._collisions.met.in_large
        per_item = 2 * (1 - large) * candidates / self._count
        expected = Expected(
            candidates=(1 - large) * candidates,
            collisions=(1 - large) * collisions,
            per_item=np.full(len(self._sizes), per_item),
            without_candidate=np.full(len(self._sizes), np.exp(-2 * candidates / self._count)),
        )
        sign, *rest = self._costs.seconds(banding, expected)
        if banding == self._collisions.banding:
            sign = 0.0
        else:
            sign += TEXTS.make * self._elements
        return sign + sum(rest) + all_pairs_seconds(large * collisions, JOIN_WORDS, 0.0)

    @property
    def least_exact_seconds(self) -> float:
        """The time that an exact search takes at least: to make sets, and to enter them or compare all with all."""
        return TEXTS.make * self._elements + min(self._dense_seconds, ENTER * self._elements)

    @cached_property
    def exact_seconds(self) -> float:
        """The time of an exact search. Where all with all takes long, that by rare elements is prepared to tell its."""
        if self._dense_seconds <= ENTER * self._elements:
            return self.least_exact_seconds
        return search_seconds(self.rounds) + self._verify_seconds

    @cached_property
    def rounds(self) -> Found:
        """The exact search, prepared."""
        return self._search.whole(self._search.compared, only=True)

    @cached_property
    def _words(self) -> int:
        return words_for(float(np.quantile(self._sizes, 0.75)), self._search.min_jaccard, self._count)

    @cached_property
    def _verify_seconds(self) -> float:
        close = self._drawn.share_close(self._words, self._search.min_jaccard)
        return verify_seconds(close * self._count**2 / 2, self._costs.mean_size)

    @cached_property
    def _dense_seconds(self) -> float:
        """The time to compare all with all, once sets are made."""
        if not separates(self._words, float(np.quantile(self._sizes, 0.75)), self._search.min_jaccard):
            return np.inf
        pairs = self._drawn.share_in_size(self._search.min_jaccard) * self._count**2 / 2
        return all_pairs_seconds(pairs, self._words, self._elements) + self._verify_seconds
