"""gaoya: MinHashStringIndex with its own word n-grams, its own choice of bands, and its parallel bulk methods.

128 hashes of 32 bits; for 0.7 gaoya takes 32 bands of 4. A query leaves out what the signatures say is below the
threshold, and signs its texts again: the time of `sign` is that of inserting (shingle, sign, band), the time of `band`
that of querying (shingle, sign, look up, check). A text shorter than the n-gram has no shingle in gaoya, and equals
every other such text; the corpora have none.
"""
# /// script
# dependencies = ["gaoya", "numpy", "pyarrow"]
# ///

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from gaoya.minhash import MinHashStringIndex
from job import Found, clusters_of

if TYPE_CHECKING:
    from job import Job

PACKAGE = "gaoya"
AT_A_TIME = 10_000


def run(job: Job) -> Found:
    """Insert some documents, query with the same ones, and keep the pairs with an earlier document."""
    os.environ["RAYON_NUM_THREADS"] = str(job.threads)  # read when the first batch is inserted
    index = MinHashStringIndex(
        jaccard_threshold=job.threshold,
        num_bands=None,
        band_size=None,
        num_hashes=128,
        ngram_range=(job.words, job.words),
        id_container="smallvec",  # for few near-duplicates of each document
    )
    similar = []
    first = 0
    for some in job.texts(AT_A_TIME):
        with job.stage("sign"):
            index.par_bulk_insert_docs(list(range(first, first + len(some))), some)
        with job.stage("band"):
            found = index.par_bulk_query(some)
            similar += [(j, i) for i, others in enumerate(found, first) for j in others if j < i]
        first += len(some)
    with job.stage("cluster"):
        pairs = np.array(similar, np.int64).reshape(-1, 2)
        return Found(clusters_of(pairs, job.count), pairs)
