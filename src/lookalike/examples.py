"""Examples of what a run decided, with the texts, for people to look at: clusters, and pairs close to the threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lookalike.arrays.pair_codes import pair_codes
from lookalike.arrays.random import scramble
from lookalike.comparison import other_spans, which_are_shared
from lookalike.engines.local.cluster import Keep, clusters_of_pairs
from lookalike.store.vectors import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.comparison import Span
    from lookalike.engines.local.cluster import Members
    from lookalike.engines.local.collect import Collected
    from lookalike.engines.local.expand import IndexedPairs
    from lookalike.engines.local.run import Run
    from lookalike.engines.local.verify import Verified, Verifier
    from lookalike.features.shingling import Shingling
    from lookalike.lsh.buckets import Candidates
    from lookalike.store.items import Items

Kind = Literal["largest", "typical", "above", "below"]

REMEMBERED = 1 << 12
"""Candidates below the threshold that are remembered for each example wanted, to find the most similar of them."""

LONGEST = 1 << 20
"""Bytes of a text that are held: differences are looked for in these."""

SEPARATOR = ", "
"""Between the elements of a set that is written out."""

SHOWN = 24
"""Numbers of a vector that are written out."""

CONTINUES = 0x80
"""A byte of UTF-8 that continues a character has this as its two highest bits."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two items of an example."""

    id: str
    text: str = field(repr=False)
    """The text in the form that was compared; token ids as numbers with spaces between them, a set with commas."""
    differs: tuple[Span, ...] = field(repr=False)
    """Where the text has tokens that no shared shingle covers, as positions of characters."""
    more: int
    """Characters, token ids or elements beyond those held in `text`."""


@dataclass(frozen=True, slots=True)
class Example:
    """Two items side by side: the keeper of a cluster and a member, or a pair just above or below the threshold."""

    kind: Kind
    similarity: float
    size: int | None
    """Items in the cluster; none for pairs close to the threshold."""
    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Choice:
    """Two items that will be an example, by index."""

    kind: Kind
    similarity: float
    size: int | None
    left: int
    right: int


class Rejected:
    """Remembers some candidates that turned out to be no pairs: those with the least hash, in whatever order they come.

    There may be billions of them, and a run does not compute how similar they are: only that they fall short.
    """

    def __init__(self, examples: int) -> None:
        self._room = examples * REMEMBERED
        self._codes = np.empty(0, np.uint64)
        self._bound = ~np.uint64(0)

    def see(self, candidates: Candidates, pairs: Verified) -> None:
        """Take note of candidates, and of those among them that are pairs."""
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
        """Return the candidates remembered, in order."""
        left, right = self._codes >> np.uint64(32), self._codes & np.uint64(0xFFFFFFFF)
        return left.astype(np.int32), right.astype(np.int32)

    def _below(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return the codes of those pairs whose hash is below that of all that were left out."""
        codes = pair_codes(left, right).view(np.uint64)
        return codes[scramble(codes) <= self._bound]


def gather(
    run: Run,
    collected: Collected,
    verifier: Verifier,
    pairs: IndexedPairs | Verified,
    rejected: Rejected,
    clusters: Members | None = None,
) -> tuple[Example, ...]:
    """Choose examples of each kind, as many as the run is to keep, and read their texts.

    `pairs` are those found, or keepers with their members. Their clusters are made here unless given.
    """
    if not run.examples:
        return ()
    with run.stages.timed("examples"):
        chooser = Chooser(run, collected, verifier)
        if clusters is None and collected.boundary is None:
            clusters = clusters_of_pairs(pairs.left, pairs.right, Keep())
        choices = [] if clusters is None else [*chooser.largest(clusters), *chooser.typical(clusters)]
        choices += [*chooser.above(pairs), *chooser.below(rejected)]
        return read(choices, run, collected)


class Chooser:
    """Chooses what is worth looking at."""

    def __init__(self, run: Run, collected: Collected, verifier: Verifier) -> None:
        self._count = run.examples
        self._threshold = run.recipe.least_score
        self._best = run.recipe.measure.best
        self._value = run.recipe.measure.score
        self._random = np.random.default_rng(run.recipe.seed)
        self._collected = collected
        self._verifier = verifier

    def largest(self, clusters: Members) -> list[Choice]:
        """Choose the largest clusters."""
        order = np.argsort(-np.bincount(clusters.cluster), kind="stable")
        return [self._widest("largest", clusters, int(cluster)) for cluster in order[: self._count]]

    def typical(self, clusters: Members) -> list[Choice]:
        """Choose clusters of the median size, by chance, that are not among the largest."""
        sizes = np.bincount(clusters.cluster)
        rest = np.argsort(-sizes, kind="stable")[self._count :]
        if not len(rest):
            return []
        middle = np.sort(rest[sizes[rest] == np.sort(sizes)[(len(sizes) - 1) // 2]])
        chosen = np.sort(self._random.permutation(middle)[: self._count])
        return [self._widest("typical", clusters, int(cluster)) for cluster in chosen]

    def above(self, pairs: IndexedPairs | Verified) -> list[Choice]:
        """Choose the pairs with the least similarity that reaches the threshold, but no copies, which are no news."""
        near = np.flatnonzero((pairs.similarity >= self._threshold) & (pairs.similarity < self._best))
        near = near[np.argsort(pairs.similarity[near], kind="stable")]
        original = self._collected.copies.original
        one, two = original[pairs.left[near]], original[pairs.right[near]]
        _, first = np.unique(pair_codes(one, two), return_index=True)
        return [
            Choice("above", self._value(float(pairs.similarity[at])), None, int(pairs.left[at]), int(pairs.right[at]))
            for at in near[np.sort(first)[: self._count]]
        ]

    def below(self, rejected: Rejected) -> list[Choice]:
        """Choose the most similar of the candidates that fell short."""
        left, right = rejected.items()
        if not len(left):
            return []
        similarity = self._verifier.similarity(left, right)
        short = np.flatnonzero(similarity < self._threshold)
        order = short[np.argsort(-similarity[short], kind="stable")][: self._count]
        return [
            Choice(
                "below", self._value(float(similarity[at])), None, *self._on_their_sides(int(left[at]), int(right[at]))
            )
            for at in order
        ]

    def _on_their_sides(self, left: int, right: int) -> tuple[int, int]:
        """Return items with the shingles of these two, one of each collection if there are two."""
        boundary, original = self._collected.boundary, self._collected.copies.original
        if boundary is None:
            return left, right
        for one, two in ((left, right), (right, left)):
            here = np.flatnonzero(original[:boundary] == one)
            there = np.flatnonzero(original[boundary:] == two)
            if len(here) and len(there):
                return int(here[0]), boundary + int(there[0])
        raise AssertionError("a candidate has an item on each side")

    def _widest(self, kind: Kind, clusters: Members, cluster: int) -> Choice:
        """Choose the keeper of a cluster and the member least similar to it."""
        begin, end = np.searchsorted(clusters.cluster, (cluster, cluster + 1))
        item, keeper = clusters.item[begin:end], clusters.keeper[begin:end]
        similarity = self._verifier.similarity_of_items(item, keeper, self._collected.copies)
        at = int(np.argmin(np.where(item == keeper, np.inf, similarity)))
        return Choice(kind, self._value(float(similarity[at])), len(item), int(keeper[at]), int(item[at]))


def read(choices: list[Choice], run: Run, collected: Collected) -> tuple[Example, ...]:
    """Read the ids and texts of what was chosen, and see where they differ."""
    if not choices:
        return ()
    left, right = (np.array([getattr(choice, side) for choice in choices], np.int64) for side in ("left", "right"))
    ids = zip(collected.names(left).to_pylist(), collected.names_against(right).to_pylist(), strict=True)
    sets = (
        read_sets(np.concatenate((left, right)), run) if run.recipe.shingling.kind in ("elements", "weights") else None
    )
    seen: dict[tuple[int, int], tuple[Side, Side]] = {}
    for choice, names in zip(choices, ids, strict=True):
        two = (choice.left, choice.right)
        if two not in seen and sets is not None:
            seen[two] = sides_of_sets(sets[choice.left], sets[choice.right], names)
        elif two not in seen:
            seen[two] = sides(choice, collected.items, run.recipe.shingling, names)
    return tuple(
        Example(choice.kind, choice.similarity, choice.size, *seen[choice.left, choice.right]) for choice in choices
    )


def sides(
    choice: Choice, items: Items | Vectors, shingling: Shingling, names: tuple[object, object]
) -> tuple[Side, Side]:
    """Read both items of an example."""
    if isinstance(items, Vectors):
        return side_of_vector(items.matrix[choice.left], names[0]), side_of_vector(items.matrix[choice.right], names[1])
    data = items.data.view()
    bounds = items.bounds(np.array([choice.left, choice.right]))
    found = []
    for name, (begin, end), shared in zip(names, bounds, which_are_shared(shingling, data, bounds), strict=True):
        text, more = text_of(data[begin:end], tokens=shingling.kind == "tokens")
        found.append(Side(str(name), text, other_spans(text, shared, shingling), more))
    return found[0], found[1]


def read_sets(items: NDArray[np.int64], run: Run) -> dict[int, list[str]]:
    """Read the elements of some items again, by the names they have in the input, each once and in order."""
    wanted = np.unique(items)
    found: dict[int, list[str]] = {}
    first = 0
    for source in run.sources:
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
    """Write out elements, each once; where they have weights, with these.

    >>> names_of([{"element": "milk", "weight": 2.0}, {"element": "tea", "weight": 0.5}])
    ['milk: 2', 'tea: 0.5']
    """
    if not elements or not isinstance(elements[0], dict):
        return [str(element) for element in dict.fromkeys(elements)]
    weights: dict[Any, float] = {}
    for pair in elements:
        weights[pair["element"]] = weights.get(pair["element"], 0.0) + pair["weight"]
    return [f"{element}: {str(weight).removesuffix('.0')}" for element, weight in weights.items()]


def sides_of_sets(left: list[str], right: list[str], names: tuple[object, object]) -> tuple[Side, Side]:
    """Write out two sets, what they share first; beyond some length only how many elements there are."""
    return (side_of_set(left, set(right), str(names[0])), side_of_set(right, set(left), str(names[1])))


def side_of_set(elements: list[str], others: set[str], name: str) -> Side:
    """Write out one of two sets."""
    held: list[str] = []
    differs: list[Span] = []
    length = 0
    for element in sorted(elements, key=lambda element: element not in others):
        if length > LONGEST:
            break
        if element not in others:
            differs.append((length, length + len(element)))
        held.append(element)
        length += len(element) + len(SEPARATOR)
    return Side(name, SEPARATOR.join(held), tuple(differs), len(elements) - len(held))


def side_of_vector(vector: NDArray[Any], name: object) -> Side:
    """Write out the first numbers of a vector."""
    held = vector[:SHOWN].tolist()
    text = SEPARATOR.join(f"{number:016x}" if isinstance(number, int) else f"{number:.4g}" for number in held)
    return Side(str(name), text, (), vector.size - len(held))


def text_of(data: NDArray[np.uint8], *, tokens: bool) -> tuple[str, int]:
    """Return the text of an item as far as it is held, and how many characters or token ids there are beyond."""
    held = data[:LONGEST]
    if tokens:
        return " ".join(map(str, held.view(np.int64).tolist())), (data.size - held.size) // 8
    text = held.tobytes().decode("utf-8", "strict" if held.size == data.size else "ignore")
    return text, int(np.count_nonzero((data & 0xC0) != CONTINUES)) - len(text)
