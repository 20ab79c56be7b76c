"""A source of items: two passes over the same items, in one fixed order.

The first pass (`batches`) decodes only what deciding needs: the item, the id, the rank. The second (`rows`) delivers
every column of the same items in the same order, so that a mask made in the first pass selects from the second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from lookalike.options import EncodingErrors

    from .paths import Listing

KindName = str
"""The name of a kind of items: of one of `item_types`, such as "texts" or "vectors"."""
FormatName = str
"""The name of a file format, such as "parquet" or "jsonl"."""
Locate = Callable[[int], str]
"""Returns where a row stands, for messages: "a.csv, row 3"."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of consecutive items. Its arrays may be slices: mind their `offset`."""

    first: int
    """Index of its first item among all items of the source."""
    items: pa.Array
    """The items as `ItemType.decode` makes them. Texts: `string` or `large_string`, valid UTF-8. Tokens:
    `large_list<int64>`. Elements: a `large_list` of numbers, strings, or a dictionary of either. Weights: a
    `large_list` of `struct<element, weight>`. Vectors: `fixed_size_list` of `float` or `double`; bits: of `uint8`. A
    null is an item without content."""
    ids: pa.Array | None
    """Values of the id column, of one type for the whole source, without nulls. None if there is no id column."""
    ranks: pa.Array | None
    """Values of the rank column as `int64`, `float64` or `large_string`; may hold nulls. None if not requested."""
    bit_length: int = 0
    """Bits per item if they were given as Booleans, which need not fill whole bytes; 0 otherwise."""

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
    """Items that can be read twice, in one fixed order."""

    has_ids: bool
    encoding_errors: EncodingErrors
    listing: Listing
    """What was passed over among the files, and notes on it; empty for items in memory."""

    @property
    def kind(self) -> KindName:
        """The kind of the items."""

    @property
    def element_type(self) -> pa.DataType | None:
        """The type that elements of sets are compared as; None if it is not known before reading, or not for sets."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The input files; empty for items in memory. An output must not be one of them."""

    @property
    def format(self) -> FormatName | None:
        """The format that all files share; None if they differ or the items are in memory."""

    @property
    def delimiter(self) -> str | None:
        """The delimiter that all files share, if they are CSV: rows are written with it again."""

    @property
    def schema(self) -> pa.Schema:
        """All columns, as `rows` delivers them. For JSON Lines the first use costs a pass."""

    @property
    def text_column(self) -> str:
        """Name of the column that is compared."""

    def estimated_rows(self) -> int | None:
        """Return the number of items, exact or estimated; None if it is not known before reading."""

    def batches(self) -> Iterator[Batch]:
        """First pass: stream item, id and rank only."""

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Second pass: stream every column of the same items."""

    def raw_lines(self) -> Iterator[Lines] | None:
        """Second pass, as the lines of the files; None unless every file is JSON Lines."""

    def default_ids(self, items: npt.NDArray[np.int64]) -> pa.Array:
        """Return ids of items for when there is no id column, such as file and row."""

    def locate(self, item: int) -> str:
        """Return where an item stands, for messages."""

    def conversions(self, *, rows: bool) -> Iterator[str]:
        """Yield a note for each column whose values change their type: ids, or also what `rows` delivers."""

    def close(self) -> None:
        """Remove temporary copies of the input."""
