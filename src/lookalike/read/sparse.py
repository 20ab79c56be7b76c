"""Sparse matrices: a set a row, or a weighted set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from .weights import paired


def sets_of_matrix(matrix: Any) -> pa.Table:  # noqa: ANN401  whichever kind of sparse matrix
    """Return the rows of a sparse matrix as sets: the columns in which they are not 0."""
    rows = _rows(matrix)
    if not np.all(rows.data):
        rows = rows.copy()
        rows.eliminate_zeros()
    lists = pa.LargeListArray.from_arrays(as_arrow(rows.indptr.astype(np.int64)), as_arrow(rows.indices))
    return pa.table({"elements": lists})


def weights_of_matrix(matrix: Any) -> pa.Table:  # noqa: ANN401  whichever kind of sparse matrix
    """Return the rows of a sparse matrix as weighted sets: the columns in which they are not 0, with their numbers."""
    rows = _rows(matrix)
    pairs = paired(as_arrow(rows.indices), rows.data.astype(np.float64))
    return pa.table({"weights": pa.LargeListArray.from_arrays(as_arrow(rows.indptr.astype(np.int64)), pairs)})


def _rows(matrix: Any) -> Any:  # noqa: ANN401  whichever kind of sparse matrix
    """Return a matrix row by row, with one number for each place."""
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":  # noqa: PLR2004 - rows and columns
        raise InputError(
            f"the input is a sparse array of shape {matrix.shape} and type {matrix.dtype}, but must have an item in "
            "each row, and real numbers. Convert it"
        )
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows
