"""The role of each column: the one to compare, the id, the rank, the weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from lookalike.errors import InputError

from .columns import plain_type
from .item_types import guess_from_column, guess_from_columns, item_type, set_type
from .nested import SEPARATOR

if TYPE_CHECKING:
    from .item_types import ItemType
    from .options import Options

MAX_LISTED = 20
"""Columns that a message lists at most."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column plays which role."""

    item_type: ItemType
    texts: tuple[str, ...]
    """The column to compare, or several of texts, which are joined. In a long table it holds single elements."""
    id: str | None
    rank: str | None
    weight: str | None = None
    """In a long table, the column of weights."""

    @property
    def text(self) -> str:
        """The name of what is compared."""
        return " + ".join(self.texts)

    def names(self) -> list[str]:
        """List the columns to read, each once."""
        return list(dict.fromkeys(name for name in (*self.texts, self.id, self.rank, self.weight) if name is not None))


def choose_roles(columns: pa.Schema, options: Options, label: str) -> Roles:
    """Choose the columns to read; raise an error that lists the columns there are if that is not possible."""
    if options.item is not None and options.element is not None:
        return _long_table_roles(columns, options, label, options.item, options.element)
    wanted = item_type(options.kind) if options.kind is not None else _guess_type(columns, options)
    texts = options.texts or (_guess_column(columns, wanted, label),)
    for name in texts:
        _check_column(columns, name, wanted, label)
    if len(texts) > 1 and not wanted.can_join:
        raise InputError(f"{label}: several columns are joined only if they hold texts, but these hold {wanted.name}")
    if options.id is not None:
        _check_id(columns, options.id, label, "id")
    if options.rank is not None:
        _field(columns, options.rank, label, "keep")
    return Roles(wanted, texts, options.id, options.rank)


def _long_table_roles(columns: pa.Schema, options: Options, label: str, item: str, element: str) -> Roles:
    weight = options.weight if isinstance(options.weight, str) else None
    for name, option in ((item, "item"), (element, "element"), (weight, "weight")):
        if name is not None:
            _check_id(columns, name, label, option)
    return Roles(set_type(weighted=weight is not None), (element,), item, None, weight)


def _guess_type(columns: pa.Schema, options: Options) -> ItemType:
    """Guess what items are from the column to compare, or from all columns if none is named."""
    if options.texts:
        named = [field.type for field in columns if field.name == options.texts[0]]
        return guess_from_column(named[0]) if named else guess_from_columns([])
    return guess_from_columns(field.type for field in columns if field.name not in ("id", options.id))


def _guess_column(columns: pa.Schema, wanted: ItemType, label: str) -> str:
    """Return the column with a usual name, or the only one of a suitable type."""
    for name in wanted.columns:
        if name in columns.names and wanted.fits(_field(columns, name, label, "text").type):
            return name
    fitting = [field.name for field in columns if wanted.fits(field.type) and not pa.types.is_null(field.type)]
    if len(fitting) == 1:
        return str(fitting[0])
    found = f"several columns of {wanted.noun}" if fitting else f"no column of {wanted.noun}"
    raise InputError(
        f"{label} has {found}, and none is named {' or '.join(wanted.columns)}; "
        f"choose one with `text`. Its columns are {listing(columns)}"
    )


def _check_column(columns: pa.Schema, name: str, wanted: ItemType, label: str) -> None:
    field = _field(columns, name, label, "text")
    if not wanted.fits(field.type):
        _refuse_nested(field, label)
        raise InputError(f"{label}: column {name!r} is {field.type}, but {wanted.rule}")


def _check_id(columns: pa.Schema, name: str, label: str, option: str) -> None:
    field = _field(columns, name, label, option)
    if pa.types.is_nested(plain_type(field.type)):
        _refuse_nested(field, label)
        raise InputError(f"{label}: column {name!r} is {field.type}, but {option}s must be strings or numbers")


def _refuse_nested(field: pa.Field, label: str) -> None:
    """Raise for a column of objects, whose fields may be what is meant; not all formats know yet which it has."""
    found = plain_type(field.type)
    if pa.types.is_struct(found):
        inner = found.field(0).name if found.num_fields else "<field>"
        raise InputError(
            f"{label}: column {field.name!r} is nested; name one of its fields by its path, as in "
            f"{field.name}{SEPARATOR}{inner}"
        )


def _field(columns: pa.Schema, name: str, label: str, option: str) -> pa.Field:
    found = columns.names.count(name)
    if found == 1:
        return columns.field(name)
    if found:
        raise InputError(f"{label} has {found} columns named {name!r}; rename all but one")
    raise InputError(f"{label} has no column {name!r} (`{option}`); its columns are {listing(columns)}")


def listing(columns: pa.Schema) -> str:
    """Return the names and types of columns, for messages: not more than a reader takes in."""
    shown = [f"{field.name} ({field.type})" for field in columns][:MAX_LISTED]
    more = len(columns) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more} more" if more else "")
