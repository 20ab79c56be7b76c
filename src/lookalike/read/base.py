"""What every source of items offers: two passes over the same items, and a name for each.

The first pass (`batches`) decodes only what deciding needs: the item, the id, the rank. The second (`rows`) delivers
every column of the same items in the same order, so that a mask made from the first selects from the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict, get_args

from lookalike.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

EncodingErrors = Literal["strict", "replace"]
Format = Literal["parquet", "jsonl", "csv", "text", "npy"]
Kind = str
"""What items are: texts; lists of token ids, in order; sets; weighted sets; vectors of numbers; bits, in bytes."""


class Reading(TypedDict, total=False):
    """How items are to be read.

    kind             what they are; by default seen from the input
    text             the column to compare; guessed if there is a usual name or a single candidate
    id               the column that names items; never guessed
    rank             the column that `keep=max:COLUMN` compares
    item, element    the columns of a long table, which has a row for each element of each set
    weight           the column of a long table that has the weight of each element; or whether the numbers of a sparse
                     matrix are weights
    transpose        whether elements are to be the items: the sets of those that have them
    lines            whether files are text with an item a line
    encoding_errors  what to do with text that is not UTF-8: refuse ("strict") or use U+FFFD ("replace")
    batch_bytes      about how much is in memory at a time
    scratch          where to keep what can be read only once; the system's place for temporary files if None
    """

    kind: Kind | None
    text: str | None
    id: str | None
    rank: str | None
    item: str | None
    element: str | None
    weight: str | bool | None
    transpose: bool
    lines: bool
    encoding_errors: EncodingErrors
    batch_bytes: int
    scratch: Path | None


@dataclass(frozen=True, slots=True)
class Options:
    """The same, complete and checked."""

    kind: Kind | None = None
    text: str | None = None
    id: str | None = None
    rank: str | None = None
    item: str | None = None
    element: str | None = None
    weight: str | bool | None = None
    transpose: bool = False
    lines: bool = False
    encoding_errors: EncodingErrors = "strict"
    batch_bytes: int = 4 << 20
    scratch: Path | None = None

    def __post_init__(self) -> None:
        if self.encoding_errors not in get_args(EncodingErrors):
            raise RecipeError(f"`encoding_errors` must be strict or replace. Got {self.encoding_errors!r}")
        if self.batch_bytes < 1:
            raise RecipeError(f"`batch_bytes` must be at least 1. Got {self.batch_bytes}")
        if (self.item is None) != (self.element is None):
            raise RecipeError(
                "`item` and `element` go together: the two columns of a long table. Give both, or neither"
            )
        if self.item is not None and (self.text is not None or self.id is not None):
            raise RecipeError("`item` and `element` say what to read of a long table. Leave `text` and `id` out")

        if isinstance(self.weight, str) and self.item is None:
            raise RecipeError(
                "`weight` is a column of a long table, beside `item` and `element`. Give all three; or True, if the "
                "numbers of a sparse matrix are weights"
            )
        if self.weight is True and self.item is not None:
            raise RecipeError("`weight` must be the name of a column of the long table. Got True")

    @property
    def long(self) -> bool:
        """Whether the input is a table with a row for each element of each set."""
        return self.item is not None


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of consecutive items. Its arrays may be slices: mind their `offset`."""

    first: int
    """Index of its first item among all items of the source."""
    items: pa.Array
    """Texts: `string` or `large_string`, valid UTF-8. Tokens: `large_list<int64>`. Elements: a `large_list` of numbers,
    strings, or a dictionary of either. Weights: a `large_list` of `struct<element, weight>`. Vectors: a list of `float`
    or `double`, bits: of `uint8`, of one size. A null is an item without anything."""
    ids: pa.Array | None
    """Values of the id column, one type for the whole source, no nulls. None if the source has none."""
    ranks: pa.Array | None
    """Values of the rank column as `int64`, `float64` or `large_string`; may hold nulls. None if not asked for."""
    truths: int = 0
    """Of bits that were given as truth values: how many each row has; 0 if they were not."""

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines as they stand in a file: line i is `data[starts[i]:ends[i]]`, its newline included if it has one."""

    data: bytes
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    """Number of each line in its file, from 1, blank lines counted."""

    def __len__(self) -> int:
        return len(self.starts)


class Source(Protocol):
    """Items to be read twice, in one fixed order."""

    has_ids: bool
    encoding_errors: EncodingErrors

    @property
    def kind(self) -> Kind:
        """What items are."""

    @property
    def holds(self) -> pa.DataType | None:
        """As what the elements of sets are told apart; None if that is not known before reading, or for others."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The input files; empty for what is in memory. An output must not be one of them."""

    @property
    def format(self) -> Format | None:
        """The format all files share, None if they differ or the items are in memory."""

    @property
    def schema(self) -> pa.Schema:
        """All columns, as `rows` delivers them. For JSON Lines the first use costs a pass."""

    @property
    def text_column(self) -> str:
        """Name of the column compared."""

    def about(self) -> int | None:
        """Return how many items there are, exactly or about; None if that is not known before reading."""

    def batches(self) -> Iterator[Batch]:
        """First pass: item, id and rank only. Streams."""

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: every column of the same items. Streams."""

    def raw_rows(self) -> Iterator[Lines] | None:
        """Second pass, as the lines of the files; None unless every file is JSON Lines."""

    def names(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Name items, for when there is no id column."""

    def where(self, item: int) -> str:
        """Where an item stands, for messages."""

    def close(self) -> None:
        """Remove what was spooled."""


class Part(Protocol):
    """One file, or one run of text files, of a source."""

    format: Format
    paths: tuple[Path, ...]
    label: str
    """What messages call it."""

    @property
    def columns(self) -> pa.Schema:
        """Columns as far as they are known cheaply; none if the file is empty."""

    @property
    def schema(self) -> pa.Schema:
        """Columns as `rows` delivers them."""

    def about(self) -> int | None:
        """Return how many items there are, exactly or about; None if that is not known before reading."""

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns; their types are a wish, for formats that have none of their own."""

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""

    def raw_rows(self) -> Iterator[Lines]:
        """Stream the lines that `rows` are made from, if it is that kind of file."""

    def names(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        """Default ids of some rows (counted from 0)."""

    def where(self, row: int) -> str:
        """Where a row (counted from 0) stands."""
