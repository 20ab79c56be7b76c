"""The types of the items in an index."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.kinds import kind_named


@dataclass(frozen=True, slots=True)
class Types:
    """The types of the items in an index, set by the first ones added."""

    kind: str
    element: pa.DataType | None
    """For sets and vectors: the type of their elements."""
    length: int
    """For items of one length: how many elements each has; otherwise 0."""

    @classmethod
    def of(cls, kind: str, items: pa.Array) -> Types:
        """Return the types of items."""
        if pa.types.is_fixed_size_list(items.type):
            return cls(kind, items.type.value_type, items.type.list_size)
        if pa.types.is_list(items.type) or pa.types.is_large_list(items.type):
            return cls(kind, plain_type(items.type.value_type), 0)
        return cls(kind, None, 0)

    @property
    def arrow(self) -> pa.DataType:
        """The type of an array of such items."""
        if self.element is None:
            return pa.large_string()
        return pa.list_(self.element, self.length) if self.length else pa.large_list(self.element)

    def refuse_others(self, others: Types) -> None:
        """Raise unless items of these types can be compared with those of the index."""
        if self.length != others.length:
            mine, other = map(kind_named(self.kind).written_length, (self.length, others.length))
            raise InputError(f"The items of this index have {mine}. Got {other}; make all of one length")
        if not self.length and others.element != self.element:
            raise InputError(f"The elements of this index are {self.element}. Got {others.element}; use one type")


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that values are stored as: that of a dictionary's values; integers have 64 bits."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_floating(kind):
        return pa.float64()
    return pa.large_string()
