"""FastSketchLSH: sketches in batches, its LSH with candidates as CSR arrays, and the check by its estimate_jaccard.

Sketches of 128 in 16 bands, as its README has it: it has no tuning by threshold. Its README stops at the candidates;
the check makes the answer one for the threshold. Sketching and the LSH have the threads of the job.
"""
# /// script
# dependencies = ["FastSketchLSH", "numpy", "pyarrow"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from FastSketchLSH import LSH, FastSimilaritySketch, estimate_jaccard
from job import Found, clusters_of

if TYPE_CHECKING:
    from job import Job

PACKAGE = "FastSketchLSH"
SIZE = 128
BANDS = 16
AT_A_TIME = 1000


def run(job: Job) -> Found:
    """Sketch a thousand documents at a time, then insert and query all at once."""
    sketcher = FastSimilaritySketch(size=SIZE, seed=42)
    sketches = np.empty((job.count, SIZE), np.uint64)
    first = 0
    for texts in job.texts(AT_A_TIME):
        with job.stage("shingle"):
            shingles = [job.shingles(text) for text in texts]
        with job.stage("sign"):
            sketches[first : first + len(texts)] = sketcher.batch(shingles, num_threads=job.threads)
        first += len(texts)
    with job.stage("band"):
        index = LSH(num_perm=SIZE, num_bands=BANDS, num_threads=job.threads)
        index.reserve(job.count)
        index.insert(sketches)
        others, bounds = index.query(sketches, format="csr")
        rows = np.repeat(np.arange(job.count), np.diff(bounds.astype(np.int64)))
        candidates = np.column_stack([others.astype(np.int64), rows])
        candidates = candidates[candidates[:, 0] < rows]
    with job.stage("verify"):
        similarities = [estimate_jaccard(sketches[i], sketches[j]) for i, j in candidates]
        pairs = candidates[np.array(similarities) >= job.threshold]
    with job.stage("cluster"):
        return Found(clusters_of(pairs, job.count), pairs)
