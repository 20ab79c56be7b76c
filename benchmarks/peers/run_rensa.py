"""rensa: R-MinHash of full sets in batches, RMinHashLSH, and the check by signature that its deduplicator makes.

128 permutations; the number of bands is the one RMinHashDeduplicator takes for the threshold (16 for 0.7). That class
keeps only the documents it lets pass, so all pairs come from the index below it. The rho sketch, which is what rensa's
own benchmark measures, is left out: it answers with flags alone, not with pairs or clusters.
"""
# /// script
# dependencies = ["rensa>=0.5", "numpy", "pyarrow"]
# ///

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from job import Found, clusters_of
from rensa import RMinHash, RMinHashLSH

if TYPE_CHECKING:
    from job import Job

PACKAGE = "rensa"
PERMUTATIONS = 128
BANDS = {0.9: 4, 0.8: 8, 0.7: 16, 0.5: 32, 0.0: 64}  # from a threshold up
AT_A_TIME = 1000


def run(job: Job) -> Found:
    """Sign and insert a thousand documents at a time, then query with all."""
    os.environ["RAYON_NUM_THREADS"] = str(job.threads)  # read when the first batch is signed
    bands = next(bands for least, bands in BANDS.items() if job.threshold >= least)
    index = RMinHashLSH(threshold=job.threshold, num_perm=PERMUTATIONS, num_bands=bands)
    signed: list[RMinHash] = []
    for texts in job.texts(AT_A_TIME):
        with job.stage("shingle"):
            shingles = [job.shingles(text) for text in texts]
        with job.stage("sign"):
            signed += RMinHash.from_token_sets(shingles, num_perm=PERMUTATIONS, seed=42)
    with job.stage("band"):
        index.insert_many(signed)
        candidates = [(j, i) for i, others in enumerate(index.query_all(signed)) for j in others if j < i]
    with job.stage("verify"):
        similar = [(j, i) for j, i in candidates if signed[j].jaccard(signed[i]) >= job.threshold]
        pairs = np.array(similar, np.int64).reshape(-1, 2)
    with job.stage("cluster"):
        return Found(clusters_of(pairs, job.count), pairs)
