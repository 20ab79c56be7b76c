"""Kinds of items, as reading sees them: one class per kind, and a registry.

These are guessed, in this order: texts, vectors, elements (sets), weights (weighted sets). Tokens and bits are read
only when asked for.
"""

from __future__ import annotations

from .base import ItemType
from .bits import Bits
from .registry import (
    default_type,
    guess_from_column,
    guess_from_columns,
    guess_from_value,
    item_type,
    item_types,
    matrix_type,
    register,
    set_type,
    unregister,
)
from .sets import Sets
from .texts import Texts
from .tokens import Tokens
from .vectors import Vectors
from .weighted import WeightedSets

__all__ = [
    "ItemType",
    "default_type",
    "guess_from_column",
    "guess_from_columns",
    "guess_from_value",
    "item_type",
    "item_types",
    "matrix_type",
    "register",
    "set_type",
    "unregister",
]

for one in (Texts(), Tokens(), Sets(), WeightedSets(), Vectors(), Bits()):
    register(one)
