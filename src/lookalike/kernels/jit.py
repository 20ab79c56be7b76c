"""Compilation of kernels, and machine operations that Python lacks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from lookalike.kernels.compiled.cache import KernelCache

Function = Callable[..., Any]

USUAL: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of every kernel. Code to call it from C would only take time to compile."""


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, to run without the interpreter lock, and keep the result on disk."""
    return kept(numba.njit(nogil=True, **USUAL)(function))


def rough_kernel(function: Function) -> Function:
    """Compile a kernel that may sum in any order, which is faster: for scores that are computed exactly later."""
    loose = {"reassoc", "contract", "nsz"}
    return kept(numba.njit(nogil=True, fastmath=loose, **USUAL)(function))


def inline(function: Function) -> Function:
    """Compile `function` into the kernels that call it."""
    return kept(numba.njit(inline="always", **USUAL)(function))


def kept(compiled: Any) -> Function:
    """Keep what is compiled in files of our own (see `compiled/`). With the JIT off, there is nothing to keep."""
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba starts
        compiled._cache = KernelCache(compiled.py_func)  # noqa: SLF001 - where Numba has its own
    function: Function = compiled
    return function


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba starts

    def trailing_zeros(x: np.uint64) -> int:
        """Count the zero bits below the lowest set bit of `x`, which must not be 0."""
        value = int(x)
        return (value & -value).bit_length() - 1

    def count_ones(x: np.uint64) -> int:
        """Count the set bits of `x`."""
        return int(x).bit_count()

    lock = threading.Lock()

    def add_atomically(array: Any, at: int, value: Any) -> Any:
        """Add a number to an element of an array, safely among threads; return its previous value."""
        with lock:
            before = array[at]
            array[at] += value
        return before

    def or_atomically(array: Any, at: int, value: Any) -> Any:
        """Set bits of an element of an array, safely among threads; return its previous value."""
        with lock:
            before = array[at]
            array[at] |= value
        return before

else:

    @intrinsic
    def trailing_zeros(_context: Any, _x: Any) -> Any:
        """Count the zero bits below the lowest set bit of `x`, which must not be 0."""

        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            zero_is_undefined = ir.Constant(ir.IntType(1), 1)
            return builder.cttz(arguments[0], zero_is_undefined)

        return types.int64(types.uint64), generate

    @intrinsic
    def count_ones(_context: Any, _x: Any) -> Any:
        """Count the set bits of `x`."""

        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    def atomically(operation: str) -> Any:
        """Return a function that changes an element of an array atomically, and returns its previous value."""

        @intrinsic
        def operate(_context: Any, array: Any, at: Any, value: Any) -> Any:
            def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                kind = signature.args[0]
                numbers = make_array(kind)(target, builder, arguments[0])
                place = get_item_pointer(target, builder, kind, numbers, [arguments[1]])
                return builder.atomic_rmw(operation, place, arguments[2], "monotonic")

            return array.dtype(array, at, value), generate

        return operate

    add_atomically = atomically("add")
    or_atomically = atomically("or")


@inline
def load8(data, i):
    """Read the eight bytes from `i` on as one little-endian number. It compiles to a single load."""
    at = np.uint64(i)
    return (
        np.uint64(data[at])
        | np.uint64(data[at + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[at + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[at + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[at + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[at + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[at + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[at + np.uint64(7)]) << np.uint64(56)
    )
