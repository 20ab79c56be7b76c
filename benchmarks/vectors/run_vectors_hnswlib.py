"""hnswlib: the ten nearest of 1,000 questions."""
# /// script
# dependencies = ["hnswlib", "numpy"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hnswlib  # type: ignore[import-not-found, import-untyped, unused-ignore]
from asked import THREADS, TOP, base, questions, report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "hnswlib"


def build() -> Any:  # noqa: ANN401 - an index of hnswlib
    """Make an index of 16 neighbours, which looks at 128 for an answer."""
    index = hnswlib.Index("cosine", base.shape[1])
    index.init_index(len(base), ef_construction=200, M=16)
    index.add_items(base, num_threads=THREADS)
    index.set_ef(128)
    return index


def search(index: Any) -> NDArray[np.uint64]:  # noqa: ANN401 - an index of hnswlib
    """Return the ten nearest of every question."""
    found: NDArray[np.uint64] = index.knn_query(questions, TOP, num_threads=THREADS)[0]
    return found


report("HNSW 16", build, search, lambda index: int(index.index_file_size()))
