"""Columns as a file has them -> a batch as the kernels take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from .base import Batch
from .columns import is_string
from .ids import as_ids
from .item_types.elements import signed
from .item_types.weighted import with_weights
from .ranks import as_ranks
from .utf8 import ensure_utf8

if TYPE_CHECKING:
    from .base import Locate
    from .options import Options
    from .roles import Roles


@dataclass(frozen=True, slots=True)
class Decoder:
    """Which columns are read, and as what types."""

    roles: Roles
    options: Options
    id_type: pa.DataType
    rank_type: pa.DataType
    element_type: pa.DataType
    """The type of a single element, in a long table."""

    def batch(self, columns: pa.RecordBatch, first: int, locate: Locate) -> Batch:
        """Check and convert columns, the first row of which is item `first`; `locate` returns where a row stands."""
        column = self._compared(columns)
        if self.options.is_long_table:
            items, bit_length = self._elements(columns, locate), 0
        else:
            items = self.roles.item_type.decode(column, locate, self.options.encoding_errors)
            bit_length = self.roles.item_type.bit_length(column)
        return Batch(first, items, self._ids(columns, locate), self._ranks(columns, locate), bit_length)

    def _compared(self, columns: pa.RecordBatch) -> pa.Array:
        """Return what is compared: a column, or several joined."""
        held = [columns.column(name) for name in self.roles.texts]
        return held[0] if len(held) == 1 else self.roles.item_type.join(held)

    def _ids(self, columns: pa.RecordBatch, locate: Locate) -> pa.Array | None:
        if self.roles.id is None:
            return None
        return self._checked(as_ids(columns.column(self.roles.id), self.id_type, locate), locate, "id")

    def _ranks(self, columns: pa.RecordBatch, locate: Locate) -> pa.Array | None:
        name = self.roles.rank
        if name is None:
            return None
        return self._checked(as_ranks(columns.column(name), self.rank_type, locate, name), locate, f"column {name!r}")

    def _elements(self, columns: pa.RecordBatch, locate: Locate) -> pa.Array:
        """Return the elements of a long table, one per row, with any weights."""
        elements = as_ids(columns.column(self.roles.text), self.element_type, locate, "element")
        if elements.type == pa.uint64():
            elements = signed(elements, locate)
        elements = self._checked(elements, locate, "element")
        if self.roles.weight is None:
            return elements
        return with_weights(elements, columns.column(self.roles.weight), locate, self.roles.weight)

    def _checked(self, array: pa.Array, locate: Locate, what: str) -> pa.Array:
        """Return a column whose strings, if it has any, are valid UTF-8."""
        if not is_string(array.type):
            return array
        return ensure_utf8(array, self.options.encoding_errors, locate, what)
