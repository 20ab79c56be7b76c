"""Default ids: where an item stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow, text_value

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


def display(path: Path) -> str:
    """Write a path as valid Unicode, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "replace")


def numbered(label: str, rows: npt.NDArray[np.int64]) -> pa.Array:
    """Name rows of a file label:row, counted from 1."""
    kind = pa.large_string()
    return pc.binary_join_element_wise(text_value(label, kind), as_arrow(rows + 1).cast(kind), text_value(":", kind))
