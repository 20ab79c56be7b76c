"""SetSimilaritySearch: all_pairs with the Jaccard similarity, exact, by prefix and position filters; one thread.

It holds all sets in memory, so it is for small corpora.
"""
# /// script
# dependencies = ["SetSimilaritySearch", "numpy", "pyarrow"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from job import Found, clusters_of
from SetSimilaritySearch import all_pairs

if TYPE_CHECKING:
    from job import Job

PACKAGE = "SetSimilaritySearch"


def run(job: Job) -> Found:
    """Give it every document as a list of different shingles."""
    sets: list[list[str]] = []
    for texts in job.texts(1000):
        with job.stage("shingle"):
            sets += [list(set(job.shingles(text))) for text in texts]
    with job.stage("verify"):
        found = all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=job.threshold)
        similar = [(j, i) for i, j, _ in found]  # the larger comes first
        pairs = np.array(similar, np.int64).reshape(-1, 2)
    with job.stage("cluster"):
        return Found(clusters_of(pairs, job.count), pairs)
