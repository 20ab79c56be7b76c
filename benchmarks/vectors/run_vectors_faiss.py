"""faiss: the ten nearest of 1,000 questions by IndexFlatIP (exact), IndexLSH of 256 and 1,024 bits, and HNSW."""
# /// script
# dependencies = ["faiss-cpu", "numpy"]
# ///

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import faiss  # type: ignore[import-not-found, import-untyped, unused-ignore]
from asked import TOP, base, questions, report

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "faiss-cpu"


def hnsw(length: int) -> Any:  # noqa: ANN401 - an index of faiss
    """Make an index of 32 neighbours, which looks at 128 for an answer."""
    index = faiss.IndexHNSWFlat(length, 32, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efSearch = 128
    return index


INDEXES: dict[str, Callable[[int], Any]] = {
    "flat": faiss.IndexFlatIP,
    "LSH 256": lambda length: faiss.IndexLSH(length, 256),
    "LSH 1024": lambda length: faiss.IndexLSH(length, 1024),
    "HNSW 32": hnsw,
}


def build(make: Callable[[int], Any]) -> Any:  # noqa: ANN401 - an index of faiss
    """Make an index and put the vectors in."""
    index = make(base.shape[1])
    index.train(base)
    index.add(base)
    return index


def search(index: Any) -> NDArray[np.int64]:  # noqa: ANN401 - an index of faiss
    """Return the ten nearest of every question."""
    found: NDArray[np.int64] = index.search(questions, TOP)[1]
    return found


for name, make in INDEXES.items():
    report(name, partial(build, make), search, lambda index: int(faiss.serialize_index(index).nbytes))
