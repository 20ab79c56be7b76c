"""What a kind of items answers: how its items are stored, signed, searched, compared and explained.

A `Kind` is stateless; there is one instance per kind. It makes a `Collection` of the items of a run, compares two
items, and knows what its items are called. Nothing above asks for a kind by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from lookalike.comparison.base import Comparison
    from lookalike.exact.base import Exact, Rounds
    from lookalike.exact.scan import Hits
    from lookalike.features.shingling import Shingling
    from lookalike.kinds.trails import Trail
    from lookalike.lsh.banding import Banding
    from lookalike.neighbours.best import Finder
    from lookalike.read import Batch, Source
    from lookalike.recipe import Recipe
    from lookalike.resources import Resources
    from lookalike.resources.progress import Advance
    from lookalike.store.copies import Copies
    from lookalike.tuning.cost import Costs
    from lookalike.tuning.sample import Tally


@dataclass(frozen=True, slots=True)
class Compared:
    """The items of a run that are compared with each other."""

    originals: NDArray[np.int32]
    """The items that stand for themselves and all their copies."""
    sides: NDArray[np.uint8]
    """1, 2 or 3 for an original with copies in the first collection, the second, or both; empty for one collection."""


class Estimates(Protocol):
    """How long searches among a collection would take, in seconds of one core."""

    @property
    def exact_seconds(self) -> float:
        """The time of an exact search."""

    @property
    def exact_is_cheap(self) -> bool:
        """Whether an exact search takes so little that bands cannot be much faster."""

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands."""


class SignedEstimates(Protocol):
    """How long searches among signed items would take, in seconds of one core, apart from what was done."""

    @property
    def candidates(self) -> float:
        """The number of candidates that the bands bring together."""

    @property
    def least_exact_seconds(self) -> float:
        """The time that an exact search takes at least."""

    @property
    def exact_seconds(self) -> float:
        """The time of an exact search. To find out may take as long as to prepare one."""

    @property
    def rounds(self) -> Rounds:
        """An exact search, prepared."""

    def seconds(self, banding: Banding) -> float:
        """Return the time of a search by bands, which includes signing if they are others."""


class Collection(ABC):
    """The items of one run: stored as they are read, then searched.

    The flow is `add` for each source, `finish`, `sign` with the bands chosen; then all other methods may be called.
    """

    recipe: Recipe
    """The recipe by which items are compared. Once they are complete, its measure knows all about them."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of items."""

    @property
    @abstractmethod
    def nulls(self) -> int:
        """The number of nulls."""

    @property
    @abstractmethod
    def empty(self) -> int:
        """Items without features, nulls included."""

    @property
    @abstractmethod
    def single(self) -> int:
        """Items with a single feature."""

    @property
    @abstractmethod
    def fragile(self) -> int:
        """Items that a single changed token brings below the threshold."""

    @abstractmethod
    def add(self, batches: Iterator[Batch], source: Source, advance: Advance) -> None:
        """Store the items of a source; sign them, too, if the recipe has bands."""

    @abstractmethod
    def finish(self) -> Copies:
        """Find equal items, once all are stored."""

    @abstractmethod
    def sign(self, banding: Banding) -> None:
        """Give every item its band keys, unless it has them already."""

    @abstractmethod
    def read_band(self, band: int, keys: NDArray[np.uint64]) -> None:
        """Read the keys of one band, for every item."""

    @abstractmethod
    def scores(self, left: NDArray[np.int32], right: NDArray[np.int32], min_score: float = 0.0) -> NDArray[np.float64]:
        """Return the exact score of each left item with the right one; where it is below `min_score`, it or 0.

        A one-way measure is taken the better way round.
        """

    @abstractmethod
    def exact(self, compared: Compared) -> Exact:
        """Return a search that misses no pair."""

    def estimates(self, compared: Compared, prepared: Rounds) -> Estimates:
        """Return how long searches would take, given an exact search that is prepared.

        A kind whose bands follow from the recipe alone is not asked.
        """
        raise NotImplementedError

    def signed_estimates(self, compared: Compared, *, united: bool) -> SignedEstimates | None:  # noqa: ARG002
        """Return how long other searches would take than that by the bands by which items are signed.

        None if that is fast enough, or no other is known. With `united`, items that are connected need no comparison.
        """
        return None

    @abstractmethod
    def rounds(self, few: NDArray[np.int32]) -> list[slice]:
        """Cut some items in parts that are small enough to be looked for in one scan."""

    @abstractmethod
    def scan(
        self, few: NDArray[np.int32], among: NDArray[np.int32], min_score: float, *, one_way: bool = False
    ) -> Iterator[Hits]:
        """Compare a few items with many others: yield what is similar enough, some of the many at a time.

        With `one_way`, a one-way measure is taken of the few in the others; otherwise the better way round.
        """

    @abstractmethod
    def nearest(self, queries: NDArray[np.int32], among: NDArray[np.int32], k: int, recall: float) -> Finder:
        """Return what finds the nearest items of each query."""

    @abstractmethod
    def compare_sample(
        self, sample: NDArray[np.int32], originals: NDArray[np.int32], tally: Tally, random: np.random.Generator
    ) -> int:
        """Compare a sample with all originals, or a random part of them, and count how close they are.

        Return with how many.
        """

    @abstractmethod
    def costs(self, sample: NDArray[np.int32], compared: int) -> Costs:
        """Return the cost model of the collection, given a sample of it and how many items are compared."""

    def set_sizes(self) -> NDArray[np.int32] | None:
        """Return the size of each item as a set; None if items are not sets. A one-way measure asks for them."""
        return None

    @abstractmethod
    def trail(self, banding: Banding, batches: Iterator[Batch]) -> Trail:
        """Return what the items consist of, and their signatures, given the batches they came in."""

    @abstractmethod
    def write_out(self, pairs: Sequence[tuple[int, int]], sources: tuple[Source, ...]) -> list[tuple[Excerpt, Excerpt]]:
        """Return the two items of each pair in a form that people can read, and where they differ."""


class Signed(Protocol):
    """Items after signing, with what comparing them takes."""

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The band keys: those of item i are `keys[:, i]`."""

    @property
    def prints(self) -> NDArray[np.uint64]:
        """Two numbers per item, the same for equal items; the first is 0 for an item without features."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The size of each item."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """Items after signing, without what comparing them takes."""

    keys: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    sizes: NDArray[np.int64]


Places = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""Places among queries, and items."""

Load = Callable[["NDArray[np.int64]"], Any]
"""Returns the features of some items."""


class Comparer(ABC):
    """Signs and compares items that are not part of a run. Every method may be called by several threads at a time."""

    recipe: Recipe

    @abstractmethod
    def key(self, items: pa.Array) -> Signed:
        """Sign items with all that finding them takes; their sizes may be upper bounds."""

    @abstractmethod
    def sign(self, items: pa.Array) -> Signed:
        """Sign items with all that comparing them takes."""

    @abstractmethod
    def features(self, items: pa.Array) -> Any:  # noqa: ANN401 - what `scores` takes
        """Return the features of items, to compare queries with."""

    @abstractmethod
    def candidates(
        self,
        queries: Any,  # noqa: ANN401 - signed items
        places: NDArray[np.int64],
        items: NDArray[np.int64],
        load: Load,
        min_score: float,
    ) -> Iterator[Places]:
        """Yield (query, item) that may be similar enough, without bands: of queries at some places, and some items."""

    @abstractmethod
    def possible(self, queries: NDArray[Any], items: NDArray[Any], min_score: float) -> NDArray[np.bool_]:
        """Return which pairs may be similar enough, by the sizes of queries and upper bounds of those of items."""

    @abstractmethod
    def scores(
        self,
        queries: Any,  # noqa: ANN401 - signed items
        left: NDArray[np.int32],
        items: Any,  # noqa: ANN401 - features
        right: NDArray[np.int32],
        min_score: float,
    ) -> NDArray[np.float64]:
        """Return the exact score of queries with items; anything less where it is below the minimum.

        Pairs with the same query come together.
        """


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An item in a form that people can read."""

    text: str
    """The beginning of the item, or all of it."""
    differs: tuple[tuple[int, int], ...]
    """The spans of the text that the other item does not have."""
    more: int
    """How many characters, token ids, elements or numbers follow."""


class Kind(ABC):
    """A kind of items: texts, sets, vectors."""

    name: ClassVar[str]
    """What recipes and readers call it."""
    noun: ClassVar[str]
    """What an item is called."""
    part: ClassVar[str]
    """What an item is made of."""
    lacks: ClassVar[str] = ""
    """What an item without features lacks, if not its parts."""
    excerpt_unit: ClassVar[str]
    """What an excerpt of a long item is cut to a number of."""
    has_parts: ClassVar[bool] = True
    """Whether an item has a number of parts of its own, and may have none, or a single one."""
    column: ClassVar[str]
    """The column of items in tables that an index writes."""
    is_text: ClassVar[bool] = False
    """Whether an item is a single string."""
    chooses_early: ClassVar[bool] = True
    """Whether bands follow from the recipe alone, so that items are signed while they are read."""

    @abstractmethod
    def collection(self, recipe: Recipe, resources: Resources, *, searched: bool = True) -> Collection:
        """Return an empty collection. Items that will not be searched are neither signed nor sampled."""

    def whole_collection(self, recipe: Recipe, resources: Resources, *, searched: bool = True) -> Collection:
        """Return an empty collection in which only equal items are found."""
        from lookalike.kinds.whole import WholeCollection  # noqa: PLC0415 - which derives from what is above

        return WholeCollection(self, recipe, resources, searched=searched)

    @abstractmethod
    def fingerprints(self, items: pa.Array) -> NDArray[np.uint64]:
        """Return two numbers per item, the same for equal items only; those of a null mean nothing."""

    @abstractmethod
    def comparer(self, recipe: Recipe) -> Comparer:
        """Return what signs and compares items that are not part of a run."""

    @abstractmethod
    def explain(self, recipe: Recipe, items: pa.Array) -> Comparison:
        """Compare the two items of an array, which have been checked."""

    def check(self, batch: Batch, source: Source, recipe: Recipe) -> None:  # noqa: B027 - most kinds accept all items
        """Raise where an item cannot be compared, naming its place."""

    def compared_as(self, shingling: Shingling) -> str:
        """Return what items are compared by, in words."""
        return f"{shingling} shingles"

    def as_python(self, value: Any) -> Any:  # noqa: ANN401 - what Arrow makes of an item
        """Return an item as users pass it, given its Arrow value as a Python object."""
        return value

    def written_length(self, length: int) -> str:
        """Return the length of an item in words, for kinds whose items have one length."""
        return f"{length} {self.part}s"
