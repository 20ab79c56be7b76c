"""Choice of examples of what a run decided: clusters, and pairs close to the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lookalike.arrays.pair_codes import pair_codes
from lookalike.arrays.random import scramble
from lookalike.engines.local.cluster import Keep, clusters_of_pairs
from lookalike.examples import Example, ExampleKind, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.engines.local.cluster import Members
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.expand import IndexedPairs
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.search import Search
    from lookalike.engines.local.verify import Verified
    from lookalike.kinds import Excerpt
    from lookalike.lsh.buckets import Candidates

REJECTED_PER_EXAMPLE = 1 << 12
"""Candidates below the threshold that are kept per example, to choose the most similar of them."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Two items chosen as an example, by index."""

    kind: ExampleKind
    similarity: float
    size: int | None
    left: int
    right: int


class Rejected:
    """A random sample of the candidates that are not pairs: those with the lowest hashes, whatever their order.

    There may be billions of them. A run only decides that they are below the threshold; it computes no scores.
    """

    def __init__(self, examples: int) -> None:
        self._room = examples * REJECTED_PER_EXAMPLE
        self._codes = np.empty(0, np.uint64)
        self._bound = ~np.uint64(0)

    def see(self, candidates: Candidates, pairs: Verified) -> None:
        """Add candidates, given those among them that are pairs."""
        if not self._room:
            return
        few = self._below(candidates.left, candidates.right)
        codes = np.union1d(self._codes, np.setdiff1d(few, self._below(pairs.left, pairs.right)))
        if len(codes) > self._room:
            hashes = scramble(codes)
            self._bound = np.partition(hashes, self._room - 1)[self._room - 1]
            codes = codes[hashes <= self._bound]
        self._codes = codes

    def items(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the sampled candidates, in order."""
        left, right = self._codes >> np.uint64(32), self._codes & np.uint64(0xFFFFFFFF)
        return left.astype(np.int32), right.astype(np.int32)

    def _below(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return the codes of those pairs whose hash is within the current bound."""
        codes = pair_codes(left, right).view(np.uint64)
        return codes[scramble(codes) <= self._bound]


def choose_examples(
    run: Run, collected: Collected, search: Search, pairs: IndexedPairs | Verified, clusters: Members | None = None
) -> tuple[Example, ...]:
    """Choose examples, as many of each kind as the run asks for, and write out their items.

    `pairs` are those found, or keepers with their members. Clusters are derived from them unless given.
    """
    if not run.examples:
        return ()
    with run.stages.timed("examples"):
        chooser = Chooser(run, collected, search)
        if clusters is None and collected.boundary is None:
            clusters = clusters_of_pairs(pairs.left, pairs.right, Keep())
        choices = [*chooser.above(pairs), *chooser.below(search.rejected)]
        if clusters is not None:
            choices += [*chooser.chained(pairs), *chooser.largest(clusters), *chooser.typical(clusters)]
        return written(choices, run, collected)


class Chooser:
    """Chooses the pairs and clusters worth showing. It chooses no pair twice, nor two pairs with the same contents."""

    def __init__(self, run: Run, collected: Collected, search: Search) -> None:
        recipe = search.plan.recipe
        self._count = run.examples
        self._min_score = recipe.min_score
        self._best = recipe.measure.best
        self._value = recipe.measure.score
        self._random = np.random.default_rng(recipe.seed)
        self._collected = collected
        self._verifier = search.verifier
        self._chosen: set[frozenset[int]] = set()
        """The originals of the pairs chosen so far."""

    def largest(self, clusters: Members) -> list[Choice]:
        """Choose the largest clusters."""
        order = np.argsort(-np.bincount(clusters.cluster), kind="stable")[: self._count]
        return [choice for cluster in order if (choice := self._widest("largest", clusters, int(cluster)))]

    def typical(self, clusters: Members) -> list[Choice]:
        """Choose random clusters of the median size that are not among the largest."""
        sizes = np.bincount(clusters.cluster)
        rest = np.argsort(-sizes, kind="stable")[self._count :]
        if not len(rest):
            return []
        middle = np.sort(rest[sizes[rest] == np.sort(sizes)[(len(sizes) - 1) // 2]])
        drawn = (self._widest("typical", clusters, int(cluster)) for cluster in self._random.permutation(middle))
        return sorted(islice(filter(None, drawn), self._count), key=lambda choice: choice.left)

    def chained(self, pairs: IndexedPairs | Verified) -> list[Choice]:
        """Choose the members least similar to their keepers, of those below the threshold."""
        below = np.flatnonzero(pairs.similarity < self._min_score)
        order = below[np.argsort(pairs.similarity[below], kind="stable")].tolist()
        unseen = (at for at in order if self._key(int(pairs.left[at]), int(pairs.right[at])) not in self._chosen)
        return [self._pair("chained", pairs, at) for at in islice(unseen, self._count)]

    def above(self, pairs: IndexedPairs | Verified) -> list[Choice]:
        """Choose the pairs closest above the threshold, except copies, which show nothing new."""
        near = np.flatnonzero((pairs.similarity >= self._min_score) & (pairs.similarity < self._best))
        near = near[np.argsort(pairs.similarity[near], kind="stable")]
        original = self._collected.copies.original
        one, two = original[pairs.left[near]], original[pairs.right[near]]
        _, first = np.unique(pair_codes(one, two), return_index=True)
        return [self._pair("above", pairs, int(at)) for at in near[np.sort(first)[: self._count]]]

    def below(self, rejected: Rejected) -> list[Choice]:
        """Choose the most similar of the rejected candidates."""
        left, right = rejected.items()
        if not len(left):
            return []
        similarity = self._verifier.scores(left, right)
        below = np.flatnonzero(similarity < self._min_score)
        order = below[np.argsort(-similarity[below], kind="stable")][: self._count]
        return [
            self._choice("below", float(similarity[at]), None, *self._one_per_collection(int(left[at]), int(right[at])))
            for at in order
        ]

    def _pair(self, kind: ExampleKind, pairs: IndexedPairs | Verified, at: int) -> Choice:
        """Choose one of the pairs."""
        return self._choice(kind, float(pairs.similarity[at]), None, int(pairs.left[at]), int(pairs.right[at]))

    def _one_per_collection(self, left: int, right: int) -> tuple[int, int]:
        """Return two items with the features of these originals, one of each collection if there are two."""
        boundary, original = self._collected.boundary, self._collected.copies.original
        if boundary is None:
            return left, right
        for one, two in ((left, right), (right, left)):
            lefts = np.flatnonzero(original[:boundary] == one)
            rights = np.flatnonzero(original[boundary:] == two)
            if len(lefts) and len(rights):
                return int(lefts[0]), boundary + int(rights[0])
        raise AssertionError("a candidate has an item on each side")

    def _widest(self, kind: ExampleKind, clusters: Members, cluster: int) -> Choice | None:
        """Choose the keeper of a cluster and the member least similar to it, unless each was chosen already."""
        begin, end = np.searchsorted(clusters.cluster, (cluster, cluster + 1))
        item, keeper = clusters.item[begin:end], clusters.keeper[begin:end]
        similarity = self._verifier.scores_of_items(item, keeper, self._collected.copies)
        for at in np.argsort(similarity, kind="stable").tolist():
            one, other = int(keeper[at]), int(item[at])
            if one != other and self._key(one, other) not in self._chosen:
                return self._choice(kind, float(similarity[at]), len(item), one, other)
        return None

    def _choice(self, kind: ExampleKind, score: float, size: int | None, left: int, right: int) -> Choice:
        """Choose a pair."""
        self._chosen.add(self._key(left, right))
        return Choice(kind, self._value(score), size, left, right)

    def _key(self, left: int, right: int) -> frozenset[int]:
        """Return what pairs with the same contents have in common."""
        original = self._collected.copies.original
        return frozenset((int(original[left]), int(original[right])))


def written(choices: list[Choice], run: Run, collected: Collected) -> tuple[Example, ...]:
    """Read the ids of the chosen items, and write out the items."""
    if not choices:
        return ()
    left, right = (np.array([getattr(choice, side) for choice in choices], np.int64) for side in ("left", "right"))
    ids = zip(collected.names(left).to_pylist(), collected.names_against(right).to_pylist(), strict=True)
    pairs = list(dict.fromkeys(zip(left.tolist(), right.tolist(), strict=True)))
    excerpts = dict(zip(pairs, collected.items.write_out(pairs, run.sources), strict=True))
    return tuple(
        Example(
            choice.kind,
            choice.similarity,
            choice.size,
            *map(side, names, excerpts[choice.left, choice.right]),
        )
        for choice, names in zip(choices, ids, strict=True)
    )


def side(name: object, excerpt: Excerpt) -> Side:
    """Return one of the two items of an example."""
    return Side(str(name), excerpt.text, excerpt.differs, excerpt.more)
