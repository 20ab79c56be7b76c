"""Kinds of items: texts, lists of tokens, sets, weighted sets, vectors, bits; and the registry of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.features.registry import register as register_feature
from lookalike.features.registry import whole_feature
from lookalike.kinds.base import Collection, Compared, Excerpt, Kind
from lookalike.kinds.bits import BitKind
from lookalike.kinds.sets import SetKind
from lookalike.kinds.texts import TextKind, TokenKind
from lookalike.kinds.vectors import VectorKind
from lookalike.kinds.weighted import WeightedKind
from lookalike.read.item_types import register as register_reader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.features.registry import Feature
    from lookalike.read.item_types import ItemType
    from lookalike.recipe import Recipe

__all__ = ["Collection", "Compared", "Excerpt", "Kind", "kind_named", "kind_of", "register"]

KINDS: dict[str, Kind] = {}


def register(kind: Kind, reader: ItemType | None = None, features: Iterable[Feature] = ()) -> None:
    """Make a kind known by its name; one from outside the package with its reader and its features."""
    KINDS[kind.name] = kind
    if reader is not None:
        register_reader(reader)
    for feature in features:
        register_feature(feature)
    whole_feature(kind.name)


def kind_named(name: str) -> Kind:
    """Return the kind of a name."""
    return KINDS[name]


def kind_of(recipe: Recipe) -> Kind:
    """Return the kind of items that a recipe is for."""
    return KINDS[recipe.kind]


for _kind in (TextKind(), TokenKind(), SetKind(), WeightedKind(), VectorKind(), BitKind()):
    register(_kind)
