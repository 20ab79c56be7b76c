"""Arrays that kernels only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scalar = TypeVar("Scalar", bound=np.generic)


def constant(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a read-only view of an array: a kernel is compiled once for these, and once more for others."""
    view = array.view()
    view.flags.writeable = False
    return view
