"""How kernels are compiled, and the two machine operations Python has no word for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

Function = Callable[..., Any]


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, without the interpreter lock, and keep the result on disk."""
    compiled: Function = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    return compiled


def inline(function: Function) -> Function:
    """Compile `function` into the kernels that call it."""
    compiled: Function = numba.njit(inline="always", cache=True, error_model="numpy")(function)
    return compiled


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba starts

    def trailing_zeros(x: np.uint64) -> int:
        """Count the zero bits below the lowest set bit of `x`, which is not 0."""
        value = int(x)
        return (value & -value).bit_length() - 1

else:

    @intrinsic
    def trailing_zeros(_context: Any, _x: Any) -> Any:
        """Count the zero bits below the lowest set bit of `x`, which is not 0."""

        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            zero_is_undefined = ir.Constant(ir.IntType(1), 1)
            return builder.cttz(arguments[0], zero_is_undefined)

        return types.int64(types.uint64), generate


@inline
def load8(data, i):
    """Read the eight bytes from `i` on as one little-endian number; compiles to a single load."""
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
