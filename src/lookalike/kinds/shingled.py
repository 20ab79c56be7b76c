"""Collections of sets: of the shingles of texts, of token ids, or of elements."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lookalike.arrays.slices import slices
from lookalike.exact.prefixes import PrefixFilter, Sampler, cutoff
from lookalike.exact.scan import Few, scan, shingle_search
from lookalike.exact.set_scores import larger_first, score_sets, similarities_from_counts
from lookalike.kernels.codes import JACCARD, OVERLAP
from lookalike.kernels.shingles import power_of_two
from lookalike.kinds.base import Collection
from lookalike.lsh.minhash import Signer
from lookalike.measures import Jaccard
from lookalike.measures.sets import set_measure
from lookalike.neighbours.sets import ListFinder, ScanFinder
from lookalike.store.items import Items
from lookalike.store.sets import READ_AHEAD, Sets
from lookalike.tuning.collisions import Collisions, Counter
from lookalike.tuning.cost import SetCosts
from lookalike.tuning.drawn import DrawnPairs
from lookalike.tuning.set_search import SetSearch, draw
from lookalike.tuning.signed_estimates import SignedEstimates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lookalike.exact.base import Exact
    from lookalike.exact.scan import Hits, TaskSearch
    from lookalike.features.shingles import Shingler
    from lookalike.kinds.base import Compared
    from lookalike.lsh.banding import Banding
    from lookalike.neighbours.best import Finder
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources
    from lookalike.resources.progress import Advance
    from lookalike.store.copies import Copies
    from lookalike.store.items import Block
    from lookalike.tuning.sample import Tally

F = TypeVar("F", bound=PrefixFilter)

ELEMENTS_AT_A_TIME = 1 << 20
"""Elements of sets compared in one task."""

ELEMENTS_MAPPED = 1 << 23
"""Elements of sets that one task may map, where sets are many."""

MANY_ELEMENTS = 1 << 24
"""From so many elements on, reading a set maps much that is not needed."""

TEXT_AT_A_TIME = 1 << 22
"""Bytes of the items that are looked for in one scan; a larger sample takes several."""


class SetCollection(Collection):
    """The items of a run, compared as sets of shingles."""

    def __init__(self, recipe: Recipe, resources: Resources, shingler: Shingler, *, searched: bool) -> None:
        self.recipe = recipe
        self._measure = set_measure(recipe)
        self._resources = resources
        self._shingler = shingler
        self._signer = self._make_signer(exactly=searched and recipe.banding is None)
        self._items = Items(resources.scratch, self._fragile_below())
        self._local = threading.local()

    @property
    def count(self) -> int:
        """The number of items."""
        return self._items.count

    @property
    def nulls(self) -> int:
        """The number of nulls."""
        return self._items.nulls

    @property
    def empty(self) -> int:
        """Items without a shingle, nulls included."""
        return self._items.empty

    @property
    def single(self) -> int:
        """Items with a single shingle."""
        return self._items.single

    @property
    def fragile(self) -> int:
        """Items that a single changed token brings below the threshold."""
        return self._items.fragile

    def _make_signer(self, *, exactly: bool) -> Signer | Sampler:
        """Return what signs items while they are read, or samples them for an exact search."""
        if exactly:
            return Sampler(self.recipe, self._shingler, cutoff(self.recipe))
        return Signer(self.recipe, self._shingler)

    def _fragile_below(self) -> float:
        """Return the number of shingles below which a single changed token brings an item below the threshold."""
        threshold, size = self._measure.min_jaccard(self.recipe.threshold), self.recipe.shingling.size
        return size * (1 + threshold) / (1 - threshold) if threshold < 1 else 0.0

    # Storing

    def add(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:  # noqa: ARG002 - no item is wrong
        """Sign the items of a source, and store them."""
        items = self._items
        for stored in self._resources.threads.map(lambda batch: items.store(self._signer.sign(batch)), batches):
            items.append(stored)
            advance(stored.block.count)

    def finish(self) -> Copies:
        """Find items with equal sets."""
        self._items.finish()
        self._sets = self._make_sets()
        return self._items.copies()

    def _make_sets(self) -> Sets:
        return Sets(self._items, self._shingler, self._resources.scratch, self._resources.threads)

    def sign(self, banding: Banding) -> None:
        """Give stored items their band keys, unless they were signed while they were read."""
        if self.recipe.banding != banding:
            self._sign_stored(Signer(replace(self.recipe, banding=banding), self._shingler))

    def _sign_stored(self, signer: Signer) -> None:
        """Give stored items their band keys."""
        items = self._items

        def sign(bounds: NDArray[np.int64]) -> Block:
            return items.store_keys(signer.keys(items.data.view(), *bounds.T.copy())[0])

        items.take_keys(list(self._resources.threads.map(sign, items.parts())))

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""
        self._items.read_band(band, keys)

    # Comparing

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float = 0.0) -> NDArray[np.float64]:
        """Return the similarity of each left item with the right one; 0 where it is below the minimum."""
        self._sets.make(np.concatenate((left, right)))
        if self._measure.search_code != OVERLAP:
            return self._scores(left, right, min_score)
        order, left, right = larger_first(left, right, self._sets.sizes)
        out = np.empty(len(left), np.float64)
        out[order] = self._scores(left, right, min_score)
        return out

    def _scores(self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float) -> NDArray[np.float64]:
        """Return similarities, once the sets are made."""
        sizes, threads = self._sets.sizes, self._resources.threads
        out = np.empty(len(left), np.float64)

        def compare(part: slice) -> None:
            self._write_scores(left[part], right[part], float(min_score), out[part])

        work = sizes[left].astype(np.int64) + sizes[right]
        many = self._sets.total > MANY_ELEMENTS
        if many:
            work += 2 * READ_AHEAD // self._sets.elements.itemsize
        for _ in threads.map(compare, slices(work, ELEMENTS_MAPPED if many else ELEMENTS_AT_A_TIME)):
            self._sets.trim()
        return out

    def _write_scores(
        self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float, out: NDArray[np.float64]
    ) -> None:
        """Write the similarity of each left item with the right one; 0 where it is below the minimum."""
        sets = (self._sets.elements, self._sets.begins, self._sets.sizes)
        score_sets(self._measure, self._measure.search_code, (left, right), sets, min_score, out, self._table)

    def _table(self, largest: int) -> NDArray[np.uint64]:
        size = power_of_two(2 * largest)
        if not hasattr(self._local, "table") or self._local.table.size < size:
            self._local.table = np.empty(size, np.uint64)
        table: NDArray[np.uint64] = self._local.table
        return table

    def set_sizes(self) -> NDArray[np.int32]:
        """Return the size of each set that was compared."""
        return self._sets.sizes

    # Searching

    def exact(self, compared: Compared) -> Exact:
        """Return the search by rare shingles, or by outlines where none are rare."""
        return self._filter(SetSearch, compared)

    def _filter(self, search: type[F], compared: Compared) -> F:
        resources = self._resources
        return search(
            compared.originals,
            compared.sides,
            self._items,
            self._sets,
            self.recipe,
            resources.scratch,
            resources.threads,
        )

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some items by the length of their texts."""
        return list(slices(self._items.lengths[few].astype(np.int64) + 1, TEXT_AT_A_TIME))

    def scan(
        self, few: NDArray[np.int32], among: NDArray[np.int32], min_score: float, *, one_way: bool = False
    ) -> Iterator[Hits]:
        """Compare a few sets with many others."""
        made = self._few(few)
        code = self._measure.kernel_code if one_way else self._measure.search_code
        return self._scan(made, self._task_search(made, code, min_score), among)

    def _few(self, items: NDArray[np.int32]) -> Few:
        return Few.of(items, self._items, self._shingler)

    def _scan(self, few: Few, search_task: TaskSearch, among: NDArray[np.int32]) -> Iterator[Hits]:
        return scan(search_task, len(few), among, self._items, self._resources.threads)

    def _task_search(self, few: Few, code: int, min_score: float) -> TaskSearch:
        """Return what compares the few with others, by a kernel of the measure."""
        goal = (self._measure.min_jaccard(min_score), min_score)
        compute = similarities_from_counts(self._measure, code)
        return shingle_search(few, self._items.data.view(), self._shingler, compute, goal)

    def nearest(self, queries: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float) -> Finder:  # noqa: ARG002 - exactly
        """Return what finds the nearest sets: by lists of the sets with each element, if the measure has a kernel."""
        if self._measure.kernel is None:
            return ScanFinder(self, among)
        goal = (self._measure.kernel_code, self.recipe.min_score)
        return ListFinder(self._sets, self._resources.threads, goal, among)

    # Sampling

    def signed_estimates(self, compared: Compared, *, united: bool) -> SignedEstimates | None:
        """Count what meets in some bands; where that is much, return how long searches would take."""
        banding, seed, originals = self.recipe.banding, self.recipe.seed, compared.originals
        if banding is None or len(originals) < 2:  # noqa: PLR2004 - a pair
            return None
        counter = Counter(self, (originals, compared.sides), banding, self._resources.threads, seed)
        if counter.are_few():
            return None
        search, met = self._filter(SetSearch, compared), counter.met()
        shared = DrawnPairs.of(met.left, met.right, self._sets, compared.sides)
        drawn = draw(search, originals)
        if united:
            shared, drawn = shared.below(search.min_jaccard), drawn.below(search.min_jaccard)
        return SignedEstimates(search, Collisions(banding, met, shared, len(originals) ** 2 / 2), drawn)

    def compare_sample(
        self,
        sample: NDArray[np.int32],
        originals: NDArray[np.int32],
        tally: Tally,
        random: np.random.Generator,  # noqa: ARG002 - with all of them
    ) -> int:
        """Compare a sample with all others, by the measure and by Jaccard similarity, the chance of a slot."""
        few = self._few(sample)
        by_jaccard = shingle_search(
            few, self._items.data.view(), self._shingler, similarities_from_counts(Jaccard(), JACCARD), (0.0, 0.0)
        )
        scans = [self._scan(few, by_jaccard, originals)]
        follows = self._measure.from_jaccard(1.0) is not None
        if not follows:
            scans.append(self._scan(few, self._task_search(few, self._measure.search_code, 0.0), originals))
        with self._resources.stages.stage("scan", len(originals)) as advance:
            for hits in zip(*scans, strict=True):
                others = hits[0].item != sample[hits[0].few]
                jaccard, similarity = hits[0].similarity[others], hits[-1].similarity[others]
                if follows:
                    similarity = np.asarray(self._measure.from_jaccard(jaccard))
                tally.add(hits[0].few[others].astype(np.int64), similarity, jaccard)
                advance(hits[0].scanned)
        return len(originals)

    def costs(self, sample: NDArray[np.int32], compared: int) -> SetCosts:
        """Return the cost model of the collection."""
        return SetCosts(self._few(sample).sizes.astype(np.float64), compared, self.recipe.sketch)
