"""How items are to be read: the options as callers pass them, and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, get_args

from lookalike.checks import check_count
from lookalike.errors import RecipeError
from lookalike.options import EncodingErrors, option

from .encodings import canonical
from .formats import LINES, format_names
from .formats.delimiters import check_delimiter
from .item_types import item_type

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .base import FormatName, KindName


class Reading(TypedDict, total=False):
    """Options of reading, as `lookalike.options` describes them; and three that only the flow sets.

    kind     what items are; by default recognised from the input
    rank     the column that `keep=max:COLUMN` compares
    shared   whether these options are also those of another input, so that this one may have no use for some
    """

    kind: KindName | None
    text: str | Sequence[str] | None
    id: str | None
    rank: str | None
    item: str | None
    element: str | None
    weight: str | bool | None
    transpose: bool
    format: FormatName | None
    include: list[str] | str | None
    exclude: list[str] | str | None
    lines: bool
    delimiter: str | None
    encoding: str | None
    encoding_errors: EncodingErrors
    batch_bytes: int
    scratch: Path | str | None
    shared: bool


@dataclass(frozen=True, slots=True)
class Options:
    """The options of reading, complete and checked."""

    kind: KindName | None = None
    text: str | Sequence[str] | None = None
    """The column to compare, or several that are joined."""
    id: str | None = None
    rank: str | None = None
    item: str | None = None
    element: str | None = None
    weight: str | bool | None = None
    transpose: bool = option("transpose").default
    format: FormatName | None = None
    include: list[str] | str | None = None
    exclude: list[str] | str | None = None
    lines: bool = option("lines").default
    delimiter: str | None = None
    encoding: str | None = None
    encoding_errors: EncodingErrors = option("encoding_errors").default
    batch_bytes: int = option("batch_bytes").default
    scratch: Path | str | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        if self.kind is not None:
            item_type(self.kind)  # which raises if there is no such kind
        if self.encoding_errors not in get_args(EncodingErrors):
            raise RecipeError(f"`encoding_errors` must be strict or replace. Got {self.encoding_errors!r}")
        check_count("batch_bytes", self.batch_bytes)
        self._check_format()
        self._check_names()
        self._check_long_table()
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", check_delimiter(self.delimiter))
        if self.encoding is not None:
            object.__setattr__(self, "encoding", canonical(self.encoding))

    def _check_names(self) -> None:
        for name in ("id", "rank", "item", "element"):
            if not isinstance(given := getattr(self, name), str | None):
                raise RecipeError(f"`{name}` must be the name of a column. Got {given!r}")
        if not isinstance(self.weight, str | bool | None):
            raise RecipeError(f"`weight` must be the name of a column, or True. Got {self.weight!r}")
        if self.text is None or isinstance(self.text, str):
            return
        texts = tuple(self.text) if isinstance(self.text, list | tuple) else ()
        if not texts or not all(isinstance(one, str) for one in texts):
            raise RecipeError(f"`text` must be the name of a column, or a list of names. Got {self.text!r}")
        if len(set(texts)) < len(texts):
            raise RecipeError(f"`text` must name each column once. Got {', '.join(texts)}")
        object.__setattr__(self, "text", texts[0] if len(texts) == 1 else texts)

    def _check_format(self) -> None:
        if self.format is None:
            return
        if self.format not in format_names():
            raise RecipeError(f"`format` must be one of {', '.join(format_names())}. Got {self.format!r}")
        if self.lines and self.format != LINES.name:
            raise RecipeError(f"`lines` means the format {LINES.name}, but `format` is {self.format}. Leave one out")

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
    def texts(self) -> tuple[str, ...]:
        """The columns to compare, as far as they are named."""
        if self.text is None:
            return ()
        return (self.text,) if isinstance(self.text, str) else tuple(self.text)

    @property
    def is_long_table(self) -> bool:
        """Whether the input is a table with one row per element of each set."""
        return self.item is not None

    def columns(self) -> set[str]:
        """Return the names of the columns that these options mention."""
        weight = self.weight if isinstance(self.weight, str) else None
        names = (*self.texts, self.id, self.rank, self.item, self.element, weight)
        return {name for name in names if name is not None}
