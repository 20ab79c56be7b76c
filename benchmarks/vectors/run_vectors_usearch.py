"""usearch: the ten nearest of 1,000 questions by its graph, of numbers of 32 and of 8 bits, and by its exact search."""
# /// script
# dependencies = ["usearch", "numpy"]
# ///

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from asked import THREADS, TOP, base, questions, report
from usearch.index import Index, search  # type: ignore[import-not-found, import-untyped, unused-ignore]

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "usearch"


def build(dtype: str) -> Any:  # noqa: ANN401 - an index of usearch
    """Make an index of 16 neighbours, which looks at 128 when it adds and when it answers."""
    index = Index(
        ndim=base.shape[1], metric="cos", dtype=dtype, connectivity=16, expansion_add=128, expansion_search=128
    )
    index.add(np.arange(len(base)), base, threads=THREADS)
    return index


def find(index: Any) -> NDArray[np.uint64]:  # noqa: ANN401 - an index of usearch
    """Return the ten nearest of every question."""
    found: NDArray[np.uint64] = index.search(questions, TOP, threads=THREADS).keys
    return found


def find_exactly(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return the ten nearest of every question, by comparing it with all."""
    found: NDArray[np.uint64] = search(vectors, questions, TOP, "cos", exact=True, threads=THREADS).keys
    return found


def size(index: Any) -> int:  # noqa: ANN401 - an index of usearch
    """Return how many bytes the index has as a file."""
    return int(index.serialized_length)


report("HNSW 16", partial(build, "f32"), find, size)
report("HNSW 16, 8 bits", partial(build, "i8"), find, size)
report("exact", lambda: base, find_exactly, lambda vectors: int(vectors.nbytes))
