"""Items that are equal or not: a collection of which only fingerprints are kept.

Nothing is shingled, signed or compared. Two items with the same 128 bits are taken to be equal, as copies always are.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import RecipeError
from lookalike.kernels.tokens import hash_texts
from lookalike.kinds.base import Collection, Excerpt
from lookalike.store.copies import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Never

    from numpy.typing import NDArray

    from lookalike.exact.scan import Hits
    from lookalike.features.columns import Columns
    from lookalike.kinds.base import Compared, Kind
    from lookalike.lsh.banding import Banding
    from lookalike.lsh.buckets import Proposer
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources
    from lookalike.resources.progress import Advance
    from lookalike.store.copies import Copies

LONGEST = 1 << 20
"""Characters of an item that are written out."""


def fingerprint_bytes(columns: Columns) -> NDArray[np.uint64]:
    """Return two hashes of the bytes of each item: of the bytes as they are, and of their complements."""
    prints = np.empty((len(columns.offsets) - 1, 2), np.uint64)
    begin, end = int(columns.offsets[0]), int(columns.offsets[-1])
    inverted = np.invert(columns.data[begin:end])
    for data in (columns.data, inverted):
        data.flags.writeable = False
    half = np.empty(len(prints), np.uint64)
    for i, (data, offsets) in enumerate(((columns.data, columns.offsets), (inverted, columns.offsets - begin))):
        hash_texts(data, offsets, half)
        prints[:, i] = half
    return prints


class WholeCollection(Collection):
    """The items of a run as fingerprints."""

    single = 0
    fragile = 0

    def __init__(self, kind: Kind, recipe: Recipe, resources: Resources, *, searched: bool) -> None:
        if not searched:
            refuse_search()
        self.recipe = recipe
        self._kind = kind
        self._resources = resources
        self._prints = Fingerprints(resources.scratch)
        self._count = 0
        self._nulls = 0

    @property
    def count(self) -> int:
        """The number of items."""
        return self._count

    @property
    def nulls(self) -> int:
        """The number of nulls."""
        return self._nulls

    @property
    def empty(self) -> int:
        """The number of nulls: anything else, even an empty text, equals others of its kind."""
        return self._nulls

    def add(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:  # noqa: ARG002 - no item is wrong
        """Keep the fingerprints of the items of a source."""
        for prints, nulls in self._resources.threads.map(self._fingerprints, batches):
            self._prints.append(prints)
            self._count += len(prints)
            self._nulls += nulls
            advance(len(prints))

    def _fingerprints(self, batch: Batch) -> tuple[NDArray[np.uint64], int]:
        """Return the fingerprints of a batch, in any thread; those of nulls are zero."""
        prints = self._kind.fingerprints(batch.items)
        np.maximum(prints[:, 0], 1, out=prints[:, 0])
        prints[batch.items.is_null().to_numpy(zero_copy_only=False)] = 0
        return prints, batch.items.null_count

    def finish(self) -> Copies:
        """Find equal items."""
        return self._prints.copies()

    def sign(self, banding: Banding) -> None:
        """Do nothing: there are no bands."""

    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Do nothing: there are no bands."""

    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float = 0.0) -> NDArray[np.float64]:  # noqa: ARG002 - 0 or 1
        """Return 1 for an item and itself, else 0: items that are not copies are not equal."""
        return np.equal(left, right).astype(np.float64)

    def exact(self, compared: Compared) -> Nothing:  # noqa: ARG002 - copies are known
        """Return a search that finds nothing: all copies are known."""
        return Nothing()

    def rounds(self, few: NDArray[np.int32]) -> list[slice]:  # noqa: ARG002
        """Return no rounds: there is nothing to scan."""
        return []

    def scan(self, *_: Any, **__: Any) -> Iterator[Hits]:  # noqa: ANN401 - whatever
        """Raise: nothing is stored that could be compared."""
        refuse_search()

    def nearest(self, *_: Any) -> Never:  # noqa: ANN401 - whatever
        """Raise: nothing is stored that could be compared."""
        refuse_search()

    def compare_sample(self, *_: Any) -> Never:  # noqa: ANN401 - whatever
        """Raise: nothing is stored that could be compared."""
        refuse_search()

    def trail(self, *_: Any) -> Never:  # noqa: ANN401 - whatever
        """Raise: nothing is signed that could be shown."""
        refuse_search()

    def costs(self, *_: Any) -> Never:  # noqa: ANN401 - whatever
        """Raise: nothing is stored that could be compared."""
        refuse_search()

    def write_out(self, pairs: Sequence[tuple[int, int]], sources: tuple[Source, ...]) -> list[tuple[Excerpt, Excerpt]]:
        """Return the two items of each pair, read again."""
        items = read_again(np.unique(np.array(pairs, np.int64)), sources)
        return [(self._excerpt(items[left]), self._excerpt(items[right])) for left, right in pairs]

    def _excerpt(self, value: Any) -> Excerpt:  # noqa: ANN401 - an item of any kind
        text = value if isinstance(value, str) else str(self._kind.as_python(value))
        return Excerpt(text[:LONGEST], (), max(len(text) - LONGEST, 0))


class Nothing:
    """An exact search without rounds."""

    shares = 0

    def among_all(self) -> Nothing:
        """Return this search."""
        return self

    def among(self, members: NDArray[np.int32]) -> Nothing:  # noqa: ARG002 - whatever they are
        """Return this search."""
        return self

    def buckets(self, width: int) -> Iterator[Proposer]:  # noqa: ARG002 - there are none
        """Yield nothing."""
        return iter(())

    def close(self) -> None:
        """Do nothing."""


def refuse_search() -> Never:
    """Raise for anything that compares items."""
    raise RecipeError("`exact_copies` is for deduplicate and find_pairs. Leave it out")


def read_again(wanted: NDArray[np.int64], sources: tuple[Source, ...]) -> dict[int, Any]:
    """Read some items again, given their indices in order."""
    found: dict[int, Any] = {}
    first = 0
    for source in sources:
        for batch in source.batches():
            low, high = np.searchsorted(wanted, (first, first + len(batch)))
            for item in islice(wanted, int(low), int(high)):
                found[int(item)] = batch.items[int(item) - first].as_py()
            first += len(batch)
    return found
