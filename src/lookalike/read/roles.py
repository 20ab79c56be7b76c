"""Which column plays which role: the one to compare, the id, the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from lookalike.errors import InputError

from .columns import FITS, is_text, kind_of, plain_type

if TYPE_CHECKING:
    from .base import Kind, Options

NAMES: dict[Kind, tuple[str, ...]] = {
    "texts": ("text", "content", "body"),
    "tokens": ("tokens", "input_ids"),
    "elements": ("elements", "items"),
    "weights": ("weights", "counts"),
    "vectors": ("vector", "embedding", "vectors", "embeddings"),
    "bits": ("bits", "hash", "phash"),
}
"""What the column to compare is usually called."""

NOUNS: dict[Kind, str] = {
    "texts": "string",
    "tokens": "list of integers",
    "elements": "list",
    "weights": "map",
    "vectors": "list of numbers",
    "bits": "binary",
}


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns play which role."""

    kind: Kind
    text: str
    """The column compared: of texts, lists, or in a long table single elements."""
    id: str | None
    rank: str | None
    weight: str | None = None
    """In a long table, the column of weights."""

    def names(self) -> list[str]:
        """List the columns to read, each once."""
        return list(dict.fromkeys(name for name in (self.text, self.id, self.rank, self.weight) if name is not None))


def choose(columns: pa.Schema, options: Options, label: str) -> Roles:
    """Decide which columns are read, or say which there are."""
    if options.item is not None and options.element is not None:
        for name, option in ((options.item, "item"), (options.element, "element")):
            _check_id(columns, name, label, option)
        if isinstance(options.weight, str):
            _check_id(columns, options.weight, label, "weight")
            return Roles("weights", options.element, options.item, None, options.weight)
        return Roles("elements", options.element, options.item, None)
    kind = options.kind or _guess_kind(columns, options)
    text = options.text if options.text is not None else _guess_text(columns, kind, label)
    _check_text(columns, text, kind, label)
    if options.id is not None:
        _check_id(columns, options.id, label, "id")
    if options.rank is not None:
        _field(columns, options.rank, label, "keep")
    return Roles(kind, text, options.id, options.rank)


def _guess_kind(columns: pa.Schema, options: Options) -> Kind:
    """Take lists for sets, where there is no text, or where they are asked for."""
    if options.text is not None:
        return next((kind_of(field.type) for field in columns if field.name == options.text), "texts")
    others = [field.type for field in columns if field.name not in ("id", options.id)]
    kinds = [] if any(map(is_text, others)) else [kind_of(column) for column in others]
    known: tuple[Kind, ...] = ("vectors", "elements", "weights")
    return next((kind for kind in known if kind in kinds), "texts")


def _guess_text(columns: pa.Schema, kind: Kind, label: str) -> str:
    """Take a column by its usual name, or the only one there is of the right type."""
    fits, usual = FITS[kind], NAMES[kind]
    for name in usual:
        if name in columns.names and fits(_field(columns, name, label, "text").type):
            return name
    fitting = [field.name for field in columns if fits(field.type) and not pa.types.is_null(field.type)]
    if len(fitting) == 1:
        return str(fitting[0])
    many = f"several {NOUNS[kind]} columns" if fitting else f"no {NOUNS[kind]} column"
    raise InputError(
        f"{label} has {many}, and none is named {' or '.join(usual)}; "
        f"choose one with --text COLUMN. Its columns are {listing(columns)}"
    )


def _check_text(columns: pa.Schema, name: str, kind: Kind, label: str) -> None:
    field = _field(columns, name, label, "text")
    if FITS[kind](field.type):
        return
    wanted = {
        "texts": "the text must be a string column",
        "tokens": "tokens must be lists of integers",
        "elements": "sets must be lists of integers or strings",
        "vectors": "vectors must be lists of numbers",
        "bits": "bits must be bytes, integers, or lists of bytes",
        "weights": "weighted sets must be maps of integers or strings to numbers",
    }[kind]
    raise InputError(f"{label}: column {name!r} is {field.type}, but {wanted}")


def _check_id(columns: pa.Schema, name: str, label: str, option: str) -> None:
    field = _field(columns, name, label, option)
    if pa.types.is_nested(plain_type(field.type)):
        raise InputError(f"{label}: column {name!r} is {field.type}, but {option}s must be strings or numbers")


def _field(columns: pa.Schema, name: str, label: str, option: str) -> pa.Field:
    found = columns.names.count(name)
    if found == 1:
        return columns.field(name)
    if found:
        raise InputError(f"{label} has {found} columns named {name!r}; rename all but one")
    raise InputError(f"{label} has no column {name!r} (--{option}); its columns are {listing(columns)}")


def listing(columns: pa.Schema) -> str:
    """Name the columns there are, with their types; not more than a reader takes in."""
    shown = [f"{field.name} ({field.type})" for field in columns][:20]
    more = len(columns) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more} more" if more else "")
