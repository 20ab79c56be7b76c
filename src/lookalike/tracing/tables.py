"""Small tables that print themselves, as text and in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

T = TypeVar("T")

MAX_LINES = 24
"""The maximum number of rows shown; the columns of a grid are limited likewise."""
MAX_COLUMNS = 8
MAX_WIDTH = 30
"""The maximum number of characters shown of a value, and of the head of a column of a grid."""
MAX_HEAD = 14

INFINITE = np.iinfo(np.int64).max
"""The value of a slot that no row has reached yet."""

TEXT = "text-align:left"
RULE = "border-top:1px solid rgba(128,128,128,.5)"
CHANGED = "background:rgba(43,102,173,.2);font-weight:600"
"""Styles of cells, in addition to those of the notebook."""

Show = Callable[[Any], str]


def shown(value: object) -> str:
    """Format a value as a cell.

    >>> shown(2 / 3), shown(-1e-17), shown(INFINITE), shown(("A", "B")), shown(True)
    ('0.6667', '0', '∞', 'A, B', 'yes')
    """
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return "∞" if value == INFINITE else str(int(value))
    if isinstance(value, (float, np.floating)):
        return f"{value:z.4f}".rstrip("0").rstrip(".")
    text = ", ".join(map(shown, value)) if isinstance(value, tuple) else str(value)
    text = text.replace("\n", "⏎").replace("\t", "⇥")
    return shortened("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def shortened(text: str, width: int = MAX_WIDTH) -> str:
    """Return a text without its middle where it is long: names often differ at their end.

    >>> shortened("2.2/faq/admin/how-do-i-log-in", 15)
    '2.2/faq…-log-in'
    """
    half = (width - 1) // 2
    return text if len(text) <= width else f"{text[: width - 1 - half]}…{text[-half:]}"


def key_shown(key: object) -> str:
    """Format a band key: small numbers as they are, hashes by their first digits.

    >>> key_shown(3), key_shown(0xFEDCBA9876543210), key_shown(0)
    ('3', 'fedcba98', '')
    """
    number = int(key)  # type: ignore[call-overload]  # a key is a number
    if number == 0:
        return ""
    return str(number) if number < 1 << 16 else f"{number:016x}"[:8]


@dataclass(frozen=True)
class Cells:
    """The cells of a table, as texts."""

    head: list[str]
    lines: list[list[str]]
    more: str = ""
    """What is left out, in words."""
    rules: frozenset[int] = frozenset()
    """Lines that are set apart from the one before."""
    marked: frozenset[tuple[int, int]] = frozenset()
    """Cells that stand out: line, place."""
    names: int = 0
    """The number of columns on the left that are names."""
    texts: frozenset[int] = frozenset()
    """Further columns that are aligned as texts, not as numbers."""

    def text(self) -> str:
        """Return the table as aligned lines."""
        table = [self.head, *self.lines]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        out = []
        for number, cells in enumerate(table):
            if number - 1 in self.rules:
                out.append("")
            padded = (
                cell.ljust(width) if self._is_text(place) else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            out.append("  ".join(padded).rstrip())
        return "\n".join([*out, self.more] if self.more else out)

    def html(self) -> str:
        """Return the table as HTML."""
        head = "".join(self._cell(-1, place, title) for place, title in enumerate(self.head))
        body = "".join(
            f"<tr>{''.join(self._cell(number, place, text) for place, text in enumerate(cells))}</tr>"
            for number, cells in enumerate(self.lines)
        )
        more = f"<div>{escape(self.more)}</div>" if self.more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _cell(self, number: int, place: int, text: str) -> str:
        tag = "th" if number < 0 or place < self.names else "td"
        styles = {TEXT: self._is_text(place), RULE: number in self.rules, CHANGED: (number, place) in self.marked}
        style = ";".join(one for one, applies in styles.items() if applies)
        return f'<{tag} style="{style}">{escape(text)}</{tag}>' if style else f"<{tag}>{escape(text)}</{tag}>"

    def _is_text(self, place: int) -> bool:
        return place < self.names or place in self.texts


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A matrix with named rows and columns. `values` is the matrix itself, as a NumPy array."""

    rows: tuple[Any, ...]
    """The names of the rows."""
    columns: tuple[Any, ...]
    """The names of the columns: usually the IDs of the items."""
    values: NDArray[Any]
    corner: str = ""
    """What the rows are."""
    group: int = 0
    """The number of rows that belong together, as those of a band do; 0 if they are not grouped."""
    show: Show = field(default=shown, repr=False)

    def __getitem__(self, place: tuple[Any, Any]) -> Any:  # noqa: ANN401 - a value
        """Return the value in a row and a column, by their names."""
        row, column = place
        return self.values[self.rows.index(row), self.columns.index(column)]

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, name: Any) -> dict[Any, Any]:  # noqa: ANN401 - the name of a row
        """Return the values of a row, by the names of the columns."""
        return dict(zip(self.columns, self.values[self.rows.index(name)].tolist(), strict=True))

    def column(self, name: Any) -> dict[Any, Any]:  # noqa: ANN401 - the name of a column
        """Return the values of a column, by the names of the rows."""
        return dict(zip(self.rows, self.values[:, self.columns.index(name)].tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the names of rows, and the values as lists of rows; None for what is infinite or not a number."""
        values = [[plain(value) for value in row] for row in self.values.tolist()]
        return {"rows": list(self.rows), "values": values}

    def cells(self, max_lines: int = MAX_LINES) -> Cells:
        """Return the table as texts, cut where it is large."""
        rows, columns = self.rows[:max_lines], self.columns[:MAX_COLUMNS]
        cut = ["…"] if len(columns) < len(self.columns) else []
        lines = [
            [shown(name), *(self.show(value) for value in values[: len(columns)]), *cut]
            for name, values in zip(rows, self.values, strict=False)
        ]
        more = f"… {len(self.rows) - len(rows):,} more rows" if len(rows) < len(self.rows) else ""
        rules = frozenset(range(self.group, len(rows), self.group)) if self.group > 1 else frozenset()
        heads = (shortened(shown(name), MAX_HEAD) for name in columns)
        texts = frozenset(range(1, len(columns) + 1)) if self.values.dtype == object else frozenset()
        return Cells([self.corner, *heads, *cut], lines, more, rules, names=1, texts=texts)

    def __repr__(self) -> str:
        return self.cells().text()

    def _repr_html_(self) -> str:
        return self.cells().html()


def plain(value: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value as JSON has it: None for what it cannot write."""
    return None if value == INFINITE or value != value else value  # noqa: PLR0124 - NaN


class Listing(tuple[T, ...]):  # noqa: SLOT001 - a tuple cannot have slots for values
    """Records of one kind, in order: a tuple that prints itself as a table."""

    _heads: dict[str, str]
    """The title of each field of a record that is shown."""
    _none: str
    """What is shown where there are no records."""

    def __new__(cls, records: Iterable[T], heads: dict[str, str], none: str) -> Self:
        """Make a listing."""
        made = super().__new__(cls, records)
        made._heads, made._none = heads, none
        return made

    def cells(self, max_lines: int = MAX_LINES) -> Cells:
        """Return the table as texts, cut where it is long."""
        lines = [[field_shown(record, name) for name in self._heads] for record in self[:max_lines]]
        more = f"… {len(self) - max_lines:,} more" if len(self) > max_lines else ""
        texts = {place for place, name in enumerate(self._heads) if self and is_text(getattr(self[0], name))}
        return Cells(list(self._heads.values()), lines, more, texts=frozenset(texts))

    def __repr__(self) -> str:
        return self.cells().text() if self else self._none

    def _repr_html_(self) -> str:
        return self.cells().html() if self else f"<p>{escape(self._none)}</p>"


def is_text(value: object) -> bool:
    """Return whether a value is shown as a text, and not as a number."""
    return isinstance(value, (str, tuple, bool))


def field_shown(record: object, name: str) -> str:
    """Format one field of a record."""
    value = getattr(record, name)
    return key_shown(value) if name == "key" else shown(value)
