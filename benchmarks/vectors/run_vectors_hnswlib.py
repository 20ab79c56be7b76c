"""hnswlib: the ten nearest of 1,000 questions."""
# /// script
# dependencies = ["hnswlib", "numpy"]
# ///

from __future__ import annotations

import json
import os
import sys
import time

import hnswlib  # type: ignore[import-not-found, import-untyped, unused-ignore]
import numpy as np

PACKAGE = "hnswlib"

rows = np.load(sys.argv[1])
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
base, questions = rows[:-1000], rows[-1000:]
threads = int(os.environ["OMP_NUM_THREADS"])
begin = time.perf_counter()
index = hnswlib.Index("cosine", base.shape[1])
index.init_index(len(base), ef_construction=200, M=16)
index.add_items(base, num_threads=threads)
built = round(time.perf_counter() - begin, 3)
index.set_ef(128)
begin = time.perf_counter()
found, _ = index.knn_query(questions, 10, num_threads=threads)
speed = round(len(questions) / (time.perf_counter() - begin))
truth = np.argsort(-(questions @ base.T), axis=1)[:, :10]
recall = float(np.mean([len(set(one) & set(two)) / 10 for one, two in zip(found, truth, strict=True)]))
print(json.dumps({"what": "HNSW 16", "build": built, "queries_a_second": speed, "recall": recall}))
