"""datasketch: MinHash.generator with farmhash, which its documentation names for speed, MinHashLSH, MinHash.jaccard.

128 permutations of the scheme affine32, the default since 2.0; bands and rows by MinHashLSH itself (14 of 9 for 0.7).
One thread: datasketch has no more, and its README shows no other way.
"""
# /// script
# dependencies = ["datasketch>=2.0", "pyfarmhash", "numpy", "pyarrow"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

import farmhash  # type: ignore[import-untyped]
import numpy as np
from datasketch import LeanMinHash, MinHash, MinHashLSH
from job import Found, clusters_of

if TYPE_CHECKING:
    from job import Job

PACKAGE = "datasketch"
PERMUTATIONS = 128
AT_A_TIME = 1000


def run(job: Job) -> Found:
    """Sign a thousand documents at a time; query with each before it is inserted."""
    index = MinHashLSH(threshold=job.threshold, num_perm=PERMUTATIONS)
    signed: list[LeanMinHash] = []
    candidates: list[tuple[int, int]] = []
    for texts in job.texts(AT_A_TIME):
        with job.stage("shingle"):
            shingles = [job.shingles(text) for text in texts]
        with job.stage("sign"):
            some = MinHash.generator(shingles, num_perm=PERMUTATIONS, hashfunc=farmhash.hash32)
            signed += map(LeanMinHash, some)
        with job.stage("band"):
            for i in range(len(signed) - len(texts), len(signed)):
                candidates += [(j, i) for j in index.query(signed[i])]
                index.insert(i, signed[i], check_duplication=False)
    with job.stage("verify"):
        similar = [(j, i) for j, i in candidates if signed[j].jaccard(signed[i]) >= job.threshold]
        pairs = np.array(similar, np.int64).reshape(-1, 2)
    with job.stage("cluster"):
        return Found(clusters_of(pairs, job.count), pairs)
