"""What the later stages must know of items of any kind: how similar two are, and which two may be similar at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.engines.local.verify import SetVerifier, VectorVerifier, Verifier
from lookalike.exact.bits import Parts
from lookalike.exact.elements import ElementFilter, ElementPrefixes
from lookalike.exact.prefixes import PrefixFilter
from lookalike.exact.scan import Few, Hits, scan
from lookalike.exact.vectors import SIDE, Blocks, above
from lookalike.exact.weights import WeightFilter
from lookalike.features.weighted import WeightedSets, WeightVerifier
from lookalike.lsh.family import Hamming
from lookalike.lsh.minhash import Signer
from lookalike.measures import CONTAINMENT
from lookalike.tuning.sets import settle_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.expand import IndexedPairs
    from lookalike.engines.local.run import Run
    from lookalike.features.shingles import Shingler
    from lookalike.lsh.buckets import Candidates, Join, Seen
    from lookalike.lsh.family import Family
    from lookalike.store.items import Block, Items
    from lookalike.store.sets import Sets
    from lookalike.store.vectors import Vectors

TEXT_AT_A_TIME = 1 << 22
"""Bytes of text of the items that are looked for in one scan; a larger sample takes several."""


class Proposer(Protocol):
    """Some items that may be similar, and what is left to compare of them."""

    def proposals(
        self, roots: NDArray[np.int32], sides: NDArray[np.uint8], seen: Seen, join: Join
    ) -> Iterator[Candidates]:
        """Yield candidates until nothing is left. The caller may unite `roots` in between."""


class Rounds(Protocol):
    """A search that misses nothing, in rounds."""

    shares: int
    """How many rounds there are."""

    def buckets(self, width: int) -> Iterator[Proposer]:
        """Yield who is to be compared in each round; `width` is how many pivots are taken at first."""


class Exact(Protocol):
    """Finds candidates that miss no pair."""

    def everywhere(self) -> Rounds:
        """Look among all items."""

    def among(self, members: NDArray[np.int32]) -> Rounds:
        """Look among some."""


class Space(Protocol):
    """Items of one kind, with a measure."""

    def verifier(self) -> Verifier:
        """Return what compares candidates."""

    def exact(self, collected: Collected) -> Exact:
        """Return what finds candidates that miss no pair."""

    def settle(self, collected: Collected, found: Rounds) -> None:
        """Give the recipe of the run bands after all, and sign by them, if that takes less than the rounds prepared."""

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some items in parts that can be looked for in one scan."""

    def scan(
        self, few: NDArray[np.int32], among: NDArray[np.int32], least: float, *, one_way: bool = False
    ) -> Iterator[Hits]:
        """Compare a few items with many others: yield who is similar enough, some of the many at a time.

        With `one_way`, a measure that is so is taken of the few in the others; else the better way round.
        """

    def directed(self, pairs: IndexedPairs, collected: Collected) -> IndexedPairs:
        """Return pairs as the measure has them: of one that is one-way, each way round that reaches the threshold."""


@dataclass(frozen=True, slots=True)
class SetSpace:
    """Sets: of shingles, or as they are."""

    run: Run
    items: Items
    shingler: Shingler
    sets: Sets

    def verifier(self) -> Verifier:
        """Return what compares sets."""
        return SetVerifier(self.sets, self.run.threads, self.run.recipe.measure)

    def exact(self, collected: Collected) -> Exact:
        """Return the prefix filter."""
        run = self.run
        found = ElementFilter if run.recipe.shingling.kind == "elements" else PrefixFilter
        return found(collected, self.items, self.sets, run.recipe, run.scratch, run.threads)

    def settle(self, collected: Collected, found: Rounds) -> None:
        """Sign sets of elements, if that takes less than the exact search."""
        run = self.run
        if not isinstance(found, ElementPrefixes) or (banding := settle_sets(run, collected, found)) is None:
            return
        found.close()
        run.recipe = replace(run.recipe, banding=banding)
        signer = Signer(run.recipe, self.shingler)
        self.items.take_keys(list(run.threads.map(lambda bounds: self._signed(signer, bounds), self.items.parts())))

    def _signed(self, signer: Signer, bounds: NDArray[np.int64]) -> Block:
        """Put the band keys of some items on disk."""
        return self.items.store_keys(signer.keys(self.items.data.view(), *bounds.T.copy())[0])

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some items by the length of their texts."""
        return list(slices(self.items.lengths[few].astype(np.int64) + 1, TEXT_AT_A_TIME))

    def scan(
        self, few: NDArray[np.int32], among: NDArray[np.int32], least: float, *, one_way: bool = False
    ) -> Iterator[Hits]:
        """Compare a few sets with many others."""
        made, measure = Few.of(few, self.items, self.shingler), self.run.recipe.measure
        code = CONTAINMENT if one_way and measure.one_way else measure.code
        goal = (code, measure.least_jaccard(least), least)
        return scan(made, among, self.items, self.shingler, self.run.threads, goal)

    def sizes_of(self, items: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the sizes of some sets."""
        return Few.of(items, self.items, self.shingler).sizes

    def directed(self, pairs: IndexedPairs, collected: Collected) -> IndexedPairs:
        """Return pairs as they are, or by containment both ways round; one way when two collections are compared."""
        if not self.run.recipe.measure.one_way:
            return pairs
        both = collected.boundary is None
        return pairs.one_way(collected.copies, self.sets.sizes, self.run.recipe.threshold, both=both)


@dataclass(frozen=True, slots=True)
class WeightSpace(SetSpace):
    """Weighted sets."""

    sets: WeightedSets

    def verifier(self) -> Verifier:
        """Return what compares weighted sets."""
        return WeightVerifier(self.sets, self.run.threads, self.run.recipe.measure)

    def exact(self, collected: Collected) -> Exact:
        """Return the prefix filter by weight."""
        run = self.run
        return WeightFilter(collected, self.items, self.sets, run.recipe, run.scratch, run.threads)


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Vectors, or bits."""

    run: Run
    vectors: Vectors
    family: Family

    def verifier(self) -> Verifier:
        """Return what compares vectors."""
        return VectorVerifier(self.family, self.vectors, self.run.threads)

    def exact(self, collected: Collected) -> Exact:
        """Return what compares all with all; or bits that may differ little, by parts that are the same."""
        blocks = Blocks(self.family, self.vectors, collected.copies.originals, self.run.recipe.least_score)
        if isinstance(self.family, Hamming) and self.family.parts:
            return Parts(blocks, self.run.recipe.measure.bits, self.family.parts, self.run.threads)
        return blocks

    def settle(self, collected: Collected, found: Rounds) -> None:
        """Leave it as it is: bands of vectors are settled before."""

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some vectors in blocks."""
        return [slice(begin, begin + SIDE) for begin in range(0, len(few), SIDE)]

    def scan(
        self,
        few: NDArray[np.int32],
        among: NDArray[np.int32],
        least: float,
        *,
        one_way: bool = False,  # noqa: ARG002 - no measure of vectors is
    ) -> Iterator[Hits]:
        """Compare a few vectors with many others."""
        ready = self.family.ready(few)
        for begin in range(0, len(among), SIDE):
            some = among[begin : begin + SIDE]
            for one, two in above(self.family, ready, self.family.ready(some), least, same=False):
                scores = self.family.scores(few[one], some[two])
                enough = scores >= least
                yield Hits(some[two[enough]], one[enough], scores[enough], 0)
            self.vectors.trim()
            yield Hits(some[:0], some[:0], np.empty(0), len(some))

    def directed(self, pairs: IndexedPairs, collected: Collected) -> IndexedPairs:  # noqa: ARG002 - as they are
        """Return pairs as they are."""
        return pairs
