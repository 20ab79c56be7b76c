"""Paths for messages, and default ids: the file and row of an item."""

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
    """Return a path as valid Unicode, whatever bytes its name has."""
    try:
        return os.fsencode(path).decode("utf-8", "replace")
    except UnicodeEncodeError:  # a string that no file can be named
        return str(path).encode("utf-8", "replace").decode("utf-8")


def numbered(label: str, rows: npt.NDArray[np.int64]) -> pa.Array:
    """Return label:row for rows of a file, counted from 1."""
    string = pa.large_string()
    numbers = as_arrow(rows + 1).cast(string)
    return pc.binary_join_element_wise(text_value(label, string), numbers, text_value(":", string))
