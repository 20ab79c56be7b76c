"""What stands in the cells of the tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rows import Row


def seconds(value: float) -> str:
    """Write a time with two or three digits.

    >>> seconds(0.6541), seconds(12.34), seconds(1234.5)
    ('0.65', '12.3', '1,234')
    """
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def times(value: float, ours: float | None) -> str:
    """Write how many times as long as ours something took, with two digits or as a whole number.

    >>> times(3.0, 2.0), times(84.2, 2.0), times(3.0, None)
    ('1.5', '42', '')
    """
    if not ours:
        return ""
    return f"{value / ours:.2g}" if value < 10 * ours else f"{value / ours:,.0f}"


def why(row: Row) -> str:
    """Say why there is no result, in a cell of a table."""
    said = str(row["skipped"] if "skipped" in row else f"failed: {row['failed']}")
    return said.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def as_share(value: float | None) -> str:
    """Write a share with four digits; one that is not quite 1 is not written as 1."""
    if value is None:
        return "\N{EN DASH}"
    return "1" if value == 1 else f"{min(value, 0.9999):.4f}"
