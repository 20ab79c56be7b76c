"""faiss: the ten nearest of 1,000 questions by IndexFlatIP (exact), IndexLSH of 256 and 1,024 bits, and HNSW."""
# /// script
# dependencies = ["faiss-cpu", "numpy"]
# ///

from __future__ import annotations

import json
import sys
import time
from typing import Any

import faiss  # type: ignore[import-not-found, import-untyped, unused-ignore]
import numpy as np

PACKAGE = "faiss-cpu"

rows = np.load(sys.argv[1])
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
base, questions = rows[:-1000], rows[-1000:]
length = base.shape[1]
truth: Any = None
indexes: dict[str, Any] = {
    "flat": lambda: faiss.IndexFlatIP(length),
    "LSH 256": lambda: faiss.IndexLSH(length, 256),
    "LSH 1024": lambda: faiss.IndexLSH(length, 1024),
    "HNSW 32": lambda: faiss.IndexHNSWFlat(length, 32, faiss.METRIC_INNER_PRODUCT),
}
for name, make in indexes.items():
    begin = time.perf_counter()
    index = make()
    index.train(base)
    index.add(base)
    built = round(time.perf_counter() - begin, 3)
    if name.startswith("HNSW"):
        index.hnsw.efSearch = 128
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        _, found = index.search(questions, 10)
        times.append(time.perf_counter() - begin)
    truth = found if truth is None else truth
    recall = float(np.mean([len(set(one) & set(two)) / 10 for one, two in zip(found, truth, strict=True)]))
    speed = round(len(questions) / sorted(times)[1])
    print(json.dumps({"what": name, "build": built, "queries_a_second": speed, "recall": recall}), flush=True)
