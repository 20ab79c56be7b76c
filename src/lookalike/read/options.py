"""How items are to be read: the options as callers pass them, and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, get_args

from lookalike.errors import RecipeError

from .base import EncodingErrors, KindName
from .item_types import item_type

if TYPE_CHECKING:
    from pathlib import Path


class Reading(TypedDict, total=False):
    """Options of reading; each has a default.

    kind             what items are; by default recognised from the input
    text             the column to compare; by default one with a usual name, or the only one of a suitable type
    id               the column of ids; by default none
    rank             the column that `keep=max:COLUMN` compares
    item, element    the columns of a long table, which has one row per element of each set
    weight           the column of a long table that holds the weight of each element; or True if the numbers in a
                     sparse matrix are weights
    transpose        whether elements become the items: each as the set of the items that have it
    lines            whether each line of a text file is an item
    encoding_errors  how to treat text that is not UTF-8: reject it ("strict") or insert U+FFFD ("replace")
    batch_bytes      approximate number of bytes held in memory at a time
    scratch          folder for copies of input that can be read only once; by default the system's temporary folder
    """

    kind: KindName | None
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
    """The options of reading, complete and checked."""

    kind: KindName | None = None
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
        if self.kind is not None:
            item_type(self.kind)  # which raises if there is no such kind
        if self.encoding_errors not in get_args(EncodingErrors):
            raise RecipeError(f"`encoding_errors` must be strict or replace. Got {self.encoding_errors!r}")
        if self.batch_bytes < 1:
            raise RecipeError(f"`batch_bytes` must be at least 1. Got {self.batch_bytes}")
        self._check_long_table()

    def _check_long_table(self) -> None:
        if (self.item is None) != (self.element is None):
            raise RecipeError(
                "`item` and `element` go together: they name two columns of a long table. Give both, or neither"
            )
        if self.item is not None and (self.text is not None or self.id is not None):
            raise RecipeError("`item` and `element` name the columns of a long table. Leave `text` and `id` out")
        if isinstance(self.weight, str) and self.item is None:
            raise RecipeError(
                "`weight` is a column of a long table, beside `item` and `element`. Give all three; or pass True if "
                "the numbers in a sparse matrix are weights"
            )
        if self.weight is True and self.item is not None:
            raise RecipeError("`weight` must be the name of a column of the long table. Got True")

    @property
    def is_long_table(self) -> bool:
        """Whether the input is a table with one row per element of each set."""
        return self.item is not None

    def columns(self) -> set[str]:
        """Return the names of the columns that these options mention."""
        weight = self.weight if isinstance(self.weight, str) else None
        names = (self.text, self.id, self.rank, self.item, self.element, weight)
        return {name for name in names if name is not None}
