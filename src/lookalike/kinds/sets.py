"""Sets: baskets of elements, compared as they are."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.comparison.sets import explain_sets
from lookalike.exact.all_pairs import AllPairs
from lookalike.exact.elements import ElementPrefixes
from lookalike.exact.prefixes import ALL, Sampler
from lookalike.features.shinglers import shingler_for
from lookalike.features.shingling import Shingling
from lookalike.kinds.base import Excerpt, Kind
from lookalike.kinds.comparers import SetComparer
from lookalike.kinds.shingled import SetCollection
from lookalike.kinds.trails import element_trail, join
from lookalike.lsh.minhash import Signer
from lookalike.tuning.cost import CHEAP, SETS, SetCosts, exact_set_seconds, meetings_are_cheap
from lookalike.tuning.sample import SAMPLED, Closeness, draw_others
from lookalike.tuning.set_search import ElementSearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.comparison.sets import SetComparison
    from lookalike.exact.base import Rounds
    from lookalike.features.shingles import Shingler
    from lookalike.kinds.base import Compared
    from lookalike.kinds.trails import Trail
    from lookalike.lsh.banding import Banding
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources

LONGEST = 1 << 20
"""Characters of a set that are written out."""

SEPARATOR = ", "
"""Between the elements of a set that is written out."""

CELLS = 200
"""Cells in which similarities are counted."""


class SetKind(Kind):
    """Sets of elements."""

    name = "elements"
    noun = "set"
    part = "element"
    excerpt_unit = "elements"
    column = "elements"
    chooses_early = False

    def compared_as(self, shingling: Shingling) -> str:  # noqa: ARG002 - as they are
        """Return what sets are compared by, in words."""
        return "elements"

    def shingler(self, shingling: Shingling) -> Shingler:
        """Return what makes numbers of elements."""
        return shingler_for(shingling)

    def collection(self, recipe: Recipe, resources: Resources, *, searched: bool = True) -> SetCollection:
        """Return an empty collection."""
        return ElementCollection(recipe, resources, self.shingler(recipe.shingling), searched=searched)

    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per set, the same for equal ones, whatever the order and repetition of elements."""
        shingler = shingler_for(Shingling(self.name, 1))
        columns = shingler.columns(items)
        bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
        elements, sizes = shingler.sets(columns.data, bounds)
        mixed = elements ^ (elements >> np.uint64(29)) ^ (elements << np.uint64(23))
        return np.stack((sum_per_set(elements, sizes), sum_per_set(mixed, sizes)), axis=1)

    def comparer(self, recipe: Recipe) -> SetComparer:
        """Return what signs and compares sets that are not part of a run."""
        return SetComparer(recipe, self.shingler(recipe.shingling))

    def explain(self, recipe: Recipe, items: pa.Array) -> SetComparison:
        """Compare two sets."""
        signed = Signer(recipe, self.shingler(recipe.shingling)).sign_sets(items)
        return explain_sets(recipe, items, signed.keys)


def sum_per_set(numbers: NDArray[np.uint64], sizes: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the sum of the numbers of each set, modulo 2^64."""
    sums = np.append(np.zeros(1, np.uint64), np.cumsum(numbers, dtype=np.uint64))
    ends = np.cumsum(sizes)
    found: NDArray[np.uint64] = sums[ends] - sums[ends - sizes]
    return found


class WrittenSets(SetCollection):
    """Sets that are written out by the names their elements have in the input."""

    def _fragile_below(self) -> float:
        """Return 0: sets are not made of tokens."""
        return 0.0

    def write_out(self, pairs: Sequence[tuple[int, int]], sources: tuple[Source, ...]) -> list[tuple[Excerpt, Excerpt]]:
        """Return the elements of both sets of each pair, those they share first."""
        named = read_elements(np.array(pairs, np.int64).reshape(-1), sources)
        return [
            (excerpt_of(named[left], set(named[right])), excerpt_of(named[right], set(named[left])))
            for left, right in pairs
        ]


class ElementCollection(WrittenSets):
    """The sets of a run."""

    def _make_signer(self, *, exactly: bool) -> Signer | Sampler:
        """Return what signs sets, or keeps them whole for an exact search: elements are not as rare as shingles."""
        return Sampler(self.recipe, self._shingler, ALL) if exactly else Signer(self.recipe, self._shingler)

    def sign(self, banding: Banding) -> None:
        """Give stored sets their band keys, unless they were signed while they were read."""
        if self.recipe.banding is None:
            self._sign_stored(Signer(replace(self.recipe, banding=banding), self._shingler))

    def trail(self, banding: Banding, batches: Iterator[Batch]) -> Trail:
        """Return the elements of sets, and their signatures."""
        signer = Signer(replace(self.recipe, banding=banding), self._shingler)
        return join(element_trail(signer, batch.items, bag=self.recipe.shingling.bag) for batch in batches)

    def exact(self, compared: Compared) -> ElementSearch:
        """Return the search by rare elements and outlines, or by outlines alone where none are rare."""
        return self._filter(ElementSearch, compared)

    def estimates(self, compared: Compared, prepared: Rounds) -> SetEstimates:
        """Return how long searches would take."""
        assert isinstance(prepared, (AllPairs, ElementPrefixes))  # noqa: S101 - what `exact` has prepared
        return SetEstimates(self, compared, prepared)

    def sizes_of(self, items: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the sizes of stored sets."""
        return self._items.sizes[items]

    def max_jaccard(self, similarity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the highest Jaccard similarities of sets, given their similarities."""
        return np.asarray(self._measure.max_jaccard(similarity))  # type: ignore[arg-type]  # arrays, too


class SetEstimates:
    """How long searches among sets would take.

    An exact search is prepared first: how many sets meet in it is known then, and mostly decides, as nothing is faster
    than a few meetings per set. Only where they are many, a sample tells what bands would take.
    """

    def __init__(self, collection: ElementCollection, compared: Compared, prepared: AllPairs | ElementPrefixes) -> None:
        self._collection = collection
        self._compared = compared.originals
        self._prepared = prepared

    @cached_property
    def exact_seconds(self) -> float:
        """The time of an exact search."""
        found = self._prepared
        if isinstance(found, AllPairs):
            return found.seconds
        return exact_set_seconds(found.comparisons(), found.share_kept(), found.mean_size)

    @property
    def exact_is_cheap(self) -> bool:
        """Whether an exact search takes no longer than signing."""
        found, count = self._prepared, len(self._compared)
        if isinstance(found, ElementPrefixes) and meetings_are_cheap(found.max_collisions, count):
            return True
        return self.exact_seconds <= CHEAP * count

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""
        return sum(self._costs.seconds(banding, self._closeness.expect(banding)))

    @cached_property
    def _costs(self) -> SetCosts:
        recipe = self._collection.recipe
        size = float(self._collection.sizes_of(self._compared).mean())
        return SetCosts(np.array([size]), len(self._compared), recipe.sketch, SETS)

    @cached_property
    def _closeness(self) -> Closeness:
        """How close some sets are to others, by Jaccard similarity."""
        collection, compared = self._collection, self._compared
        random = np.random.default_rng(collection.recipe.seed)
        sample = np.sort(random.choice(compared, min(SAMPLED, len(compared)), replace=False))
        others = draw_others(compared, random)
        counts = np.zeros(CELLS + 1)
        for hits in collection.scan(sample, others, 0.0):
            similarity = hits.similarity[hits.item != sample[hits.few]]
            jaccard = collection.max_jaccard(similarity)
            counts += np.bincount((jaccard * CELLS).astype(np.int64), minlength=CELLS + 1)
        middles = np.minimum((np.arange(CELLS + 1) + 0.5) / CELLS, 1.0)
        return Closeness(middles, counts * (len(compared) / len(others) / len(sample)), len(compared))


def read_elements(items: NDArray[np.int64], sources: tuple[Source, ...]) -> dict[int, list[str]]:
    """Read the elements of some items again, by the names they have in the input, each once and in order."""
    wanted = np.unique(items)
    found: dict[int, list[str]] = {}
    first = 0
    for source in sources:
        count = 0
        for batch in source.batches():
            low, high = np.searchsorted(wanted, (first + count, first + count + len(batch)))
            for item in wanted[low:high]:
                elements = batch.items[int(item) - first - count].as_py() or []
                found[int(item)] = names_of(elements)
            count += len(batch)
        first += count
    return found


def names_of(elements: list[Any]) -> list[str]:
    """Write out elements, each once, with their weights if they have any.

    >>> names_of([{"element": "milk", "weight": 2.0}, {"element": "tea", "weight": 0.5}])
    ['milk: 2', 'tea: 0.5']
    """
    if not elements or not isinstance(elements[0], dict):
        return [str(element) for element in dict.fromkeys(elements)]
    weights: dict[Any, float] = {}
    for pair in elements:
        weights[pair["element"]] = weights.get(pair["element"], 0.0) + pair["weight"]
    return [f"{element}: {str(weight).removesuffix('.0')}" for element, weight in weights.items()]


def excerpt_of(elements: list[str], others: set[str]) -> Excerpt:
    """Write out one of two sets, what both have first; beyond some length, only count its elements."""
    held: list[str] = []
    differs: list[tuple[int, int]] = []
    length = 0
    for element in sorted(elements, key=lambda element: element not in others):
        if length > LONGEST:
            break
        if element not in others:
            differs.append((length, length + len(element)))
        held.append(element)
        length += len(element) + len(SEPARATOR)
    return Excerpt(SEPARATOR.join(held), tuple(differs), len(elements) - len(held))
