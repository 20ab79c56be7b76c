"""The kinds of items that can be read, and how the kind of an input is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import RecipeError
from lookalike.read.columns import storage_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from lookalike.read.base import KindName

    from .base import ItemType

_TYPES: dict[KindName, ItemType] = {}


def register(item_type: ItemType) -> None:
    """Make a kind of items known to all of reading."""
    if item_type.name in _TYPES:
        raise ValueError(f"the kind {item_type.name!r} is registered already")
    _TYPES[item_type.name] = item_type


def unregister(name: KindName) -> None:
    """Forget a kind of items."""
    del _TYPES[name]


def item_type(name: KindName) -> ItemType:
    """Return the item type of a name."""
    if name not in _TYPES:
        raise RecipeError(f"`kind` must be one of {', '.join(_TYPES)}. Got {name!r}")
    return _TYPES[name]


def item_types() -> tuple[ItemType, ...]:
    """Return all item types in the order of guessing; those that are never guessed come last."""
    guessed = [one for one in _TYPES.values() if one.guess_priority is not None]
    others = [one for one in _TYPES.values() if one.guess_priority is None]
    return (*sorted(guessed, key=lambda one: one.guess_priority or 0), *others)


def default_type() -> ItemType:
    """Return what items are if nothing recognises them: the first in the order of guessing."""
    return item_types()[0]


def set_type(*, weighted: bool) -> ItemType:
    """Return the item type of sets, with or without weights: for long tables and sparse matrices."""
    return next(one for one in item_types() if one.is_set and one.is_weighted == weighted)


def matrix_type(kind: KindName | None) -> ItemType:
    """Return the item type that the rows of a NumPy array are read as: the one asked for, or the usual one."""
    if kind is not None and item_type(kind).reads_matrices:
        return item_type(kind)
    return next(one for one in item_types() if one.reads_matrices)


def guess_from_value(value: object) -> ItemType:
    """Guess the item type from the first Python value."""
    return _guess(lambda one: one.recognises_value(value)) or default_type()


def guess_from_column(column: pa.DataType) -> ItemType:
    """Guess the item type from the type of the column to compare."""
    return _guess_column(column) or default_type()


def guess_from_columns(columns: Iterable[pa.DataType]) -> ItemType:
    """Guess the item type from the types of all columns, one of which is compared."""
    found = [_guess_column(column) for column in columns]
    return next((one for one in item_types() if one in found), default_type())


def _guess_column(column: pa.DataType) -> ItemType | None:
    stored = storage_type(column)
    return _guess(lambda one: one.recognises_column(stored))


def _guess(recognised: Callable[[ItemType], bool]) -> ItemType | None:
    return next((one for one in item_types() if one.guess_priority is not None and recognised(one)), None)
