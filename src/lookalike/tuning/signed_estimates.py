"""How long searches among signed sets would take: by their bands, by bands with more rows, or exactly."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lookalike.exact.all_pairs import AllPairs
from lookalike.lsh.buckets import MAX_SEEN
from lookalike.tuning.cost import ENTER, TEXTS, Expected, SetCosts, all_pairs_seconds
from lookalike.tuning.set_search import rare_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.exact.elements import ElementPrefixes
    from lookalike.lsh.banding import Banding
    from lookalike.tuning.collisions import Collisions
    from lookalike.tuning.drawn import DrawnPairs
    from lookalike.tuning.set_search import SetSearch

JOIN_WORDS = 8
"""The typical length of the outlines by which large buckets are searched, in words."""


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
        return self._collisions.expect(self._collisions.banding, self._collisions.drawn.compared)[1]

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""
        large, drawn = self._collisions.met.in_large, self._collisions.drawn
        all_met, all_candidates = self._collisions.expect(banding, drawn.compared)
        near_met, near_candidates = self._collisions.expect(banding, self._near)
        collisions = (1 - large) * all_met + large * near_met
        candidates = (1 - large) * all_candidates + large * near_candidates
        if candidates > MAX_SEEN:  # what is not remembered is compared again
            candidates = max(collisions, candidates)
        per_item = 2 * candidates / self._count
        expected = Expected(
            candidates=candidates,
            collisions=collisions,
            per_item=np.full(len(self._sizes), per_item),
            without_candidate=np.full(len(self._sizes), np.exp(-per_item)),
        )
        sign, *rest = self._costs.seconds(banding, expected)
        joined = all_pairs_seconds(large * all_met, JOIN_WORDS, 0.0)
        again = 0.0 if banding == self._collisions.banding else sign + TEXTS.make * self._elements
        return again + sum(rest) + joined

    @cached_property
    def _near(self) -> NDArray[np.bool_]:
        """Which of the collisions drawn are left over when a large bucket is searched exactly."""
        return self._collisions.drawn.close(JOIN_WORDS, self._search.min_jaccard)

    @property
    def least_exact_seconds(self) -> float:
        """The time that an exact search takes at least: to make sets, and to enter them or compare all with all."""
        return TEXTS.make * self._elements + min(self._dense_seconds, ENTER * self._elements)

    @cached_property
    def exact_seconds(self) -> float:
        """The time of an exact search. Where all with all takes long, that by rare elements is prepared to tell its."""
        if self._dense_seconds <= ENTER * self._elements or isinstance(self.rounds, AllPairs):
            return TEXTS.make * self._elements + self._dense_seconds
        return rare_seconds(self.rounds)

    @cached_property
    def rounds(self) -> AllPairs | ElementPrefixes:
        """The exact search, prepared."""
        return self._search.whole(self._search.compared, only=True)

    @cached_property
    def _dense_seconds(self) -> float:
        """The time to compare all with all, once sets are made."""
        words = self._drawn.best_words(self._search.min_jaccard, self._count)
        return self._drawn.dense_seconds(words, self._search.min_jaccard, self._count)
