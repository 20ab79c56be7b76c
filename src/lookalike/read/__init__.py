"""Files, frames, lists, matrices -> Arrow batches of items.

A `Source` is read twice: `batches` for what decides (item, id, rank), `rows` for every column of what is kept. What
items are is the matter of `item_types`, what files are that of `formats`.
"""

from __future__ import annotations

from .base import Batch, KindName, Lines, Source
from .item_types import ItemType, item_type, item_types, register
from .items import Items, read_items
from .opening import open_paths, open_source, open_values
from .options import Reading

__all__ = [
    "Batch",
    "ItemType",
    "Items",
    "KindName",
    "Lines",
    "Reading",
    "Source",
    "item_type",
    "item_types",
    "open_paths",
    "open_source",
    "open_values",
    "read_items",
    "register",
]
