"""Signatures of kernels as JSON: `uint64[2]` is an array of two dimensions, `const` is read-only, a list is a tuple."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from numba.core import types

if TYPE_CHECKING:
    from collections.abc import Iterable

Spec = str | list["Spec"]
ARRAY = re.compile(r"(const )?(\w+)\[(\d)\]")


def to_spec(kind: Any) -> Spec:
    """Return the JSON of a type. Kernels are meant to take contiguous arrays, numbers, and tuples of them."""
    if hasattr(kind, "types"):
        return [to_spec(part) for part in kind.types]
    if not isinstance(kind, types.Array):
        return str(types.unliteral(kind))
    if kind.layout != "C" or not kind.aligned:
        raise ValueError(f"{kind} is not contiguous, so that a kernel would be compiled for it alone")
    return f"{'' if kind.mutable else 'const '}{kind.dtype}[{kind.ndim}]"


def to_type(spec: Spec) -> Any:
    """Return the type that JSON describes."""
    if isinstance(spec, list):
        return types.BaseTuple.from_types(to_types(spec))
    array = ARRAY.fullmatch(spec)
    if array is None:
        return scalar(spec)
    return types.Array(scalar(array[2]), int(array[3]), "C", readonly=bool(array[1]))


def to_types(specs: Iterable[Spec]) -> tuple[Any, ...]:
    """Return the types of the arguments of a kernel."""
    return tuple(to_type(spec) for spec in specs)


def scalar(name: str) -> Any:
    """Return the type of a number or a Boolean."""
    return types.boolean if name == "bool" else getattr(types, name)
