"""Which of some new items resemble one of an index, or an earlier one of them that is new itself.

Each item is to be compared with those before it that will be added, and with no other: of a thousand that are nearly
the same one is added, so that is a thousand comparisons, and not a thousand times as many. So items are taken some at a
time, in order. Those of them that resemble each other are told apart first; the ones that are left are new, and all
later items that resemble one of them are not.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from lookalike.index.snapshot import Found, best_of, keep, together
from lookalike.index.storage.part import halves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.index.kit import Signed
    from lookalike.index.snapshot import View

TOGETHER = 256
"""Items that are told apart in one go."""


class Resembling:
    """Looks for what resembles some items, in order."""

    def __init__(self, view: View, alone: View, signed: Signed, least: float) -> None:
        """Take what is there already, the items in a view of their own, and what they are."""
        self._view = view
        self._alone = alone
        self._signed = signed
        self._least = least
        self._one_way = view.kit.recipe.measure.one_way
        self._part = len(view.held)
        first, copy = halves(alone.held[0].part.copies)
        self._copies = first, copy.astype(np.int64)
        there = signed.prints[:, 0] != 0
        there[copy] = False
        self._firsts = np.flatnonzero(there)
        """Items that have a set that none before them has."""
        self._last = np.arange(len(there))
        np.maximum.at(self._last, *self._copies)
        """Of each of them the last with the same set."""
        self._is_known = np.zeros(len(there), bool)
        """Whether it resembles something."""
        self._found: list[Found] = []
        self._late: list[tuple[int, int, float]] = []
        """Items like an earlier one that has later copies, for which that counts: (earlier, item, score)."""

    def find(self) -> Found:
        """Return the best of what each item resembles, if it does; the items are a part after those of the view."""
        self._take(self._view.search(self._signed, self._least, places=self._firsts, top=1))
        step = max(len(self._firsts), 1) if self._one_way else TOGETHER
        for begin in range(0, len(self._firsts), step):
            some = self._firsts[begin : begin + step]
            self._note(self._new_among(some[~self._is_known[some]]))
        found = best_of(together(self._found), 1)
        return together((found, *self._of_copies(found)))

    def _new_among(self, some: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of some items resemble no earlier one of them that is new."""
        inside = np.zeros(len(self._last), bool)
        inside[some] = True
        pairs: list[tuple[int, int]] = []
        for _, found in self._alone.firsts(
            self._signed, some, self._least, lambda place, item: inside[item] & (item < place)
        ):
            pairs += zip(found.query.tolist(), found.item.tolist(), strict=True)
        known = set()
        for item, earlier in groupby(sorted(pairs), itemgetter(0)):
            if any(one not in known for _, one in earlier):
                known.add(item)
        return np.setdiff1d(some, list(known))

    def _note(self, new: NDArray[np.int64]) -> None:
        """Note what resembles new items: those after them, and later copies of others."""
        for like, one, score in self._like(new):
            after = like > one
            part = np.full(np.count_nonzero(after), self._part)
            self._take(Found(like[after], part, one[after].astype(np.uint32), score[after]))
            self._late += zip(*(column[~after].tolist() for column in (like, one, score)), strict=True)

    def _like(
        self, new: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
        """Yield what resembles new items, if it or a copy of it comes later: it, the new one, the score.

        Where it matters which of two is in the other, it is the others that are asked about.
        """
        if self._one_way:
            is_new = np.zeros(len(self._last), bool)
            is_new[new] = True
            for _, found in self._alone.firsts(
                self._signed,
                self._firsts,
                self._least,
                lambda place, item: is_new[item] & (self._last[place] > item) & (item != place),
            ):
                yield found.query, found.item.astype(np.int64), found.score
            return
        for _, found in self._alone.firsts(
            self._signed, new, self._least, lambda place, item: (self._last[item] > place) & (item != place)
        ):
            yield found.item.astype(np.int64), found.query, found.score

    def _take(self, found: Found) -> None:
        """Note what was found of some items."""
        keep(self._found, found, 1)
        self._is_known[found.query] = True

    def _of_copies(self, found: Found) -> Iterator[Found]:
        """Yield what copies resemble: the first with their set if it is new; else what that resembles, or a later one.

        A later one comes before the copy, and not before the first.
        """
        first, copy = self._copies
        new = ~self._is_known[first]
        best = np.full(np.count_nonzero(new), self._view.kit.recipe.measure.best)
        yield Found(copy[new], np.full(len(best), self._part), first[new].astype(np.uint32), best)
        at = np.searchsorted(found.query, first[~new])
        like_first = found[at]
        late = Found(*self._late_of(first[~new], copy[~new]))
        yield best_of(together((Found(copy[~new], like_first.part, like_first.item, like_first.score), late)), 1)

    def _late_of(
        self, first: NDArray[np.int64], copy: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]:
        """Return what copies resemble that came after the first of them."""
        by_first: dict[int, list[tuple[int, float]]] = {}
        for earlier, item, score in self._late:
            by_first.setdefault(earlier, []).append((item, score))
        rows = [
            (one, self._part, item, score)
            for of, one in zip(first.tolist(), copy.tolist(), strict=True)
            for item, score in by_first.get(of, ())
            if item < one
        ]
        query, part, items, scores = (np.array([row[i] for row in rows]) for i in range(4))
        return query.astype(np.int64), part.astype(np.int64), items.astype(np.uint32), scores.astype(np.float64)
