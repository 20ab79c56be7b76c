"""Daft: its MinHash expression, bands exploded to rows and grouped, as its tutorial on Common Crawl does.

The parameters are the tutorial's: 64 hashes of xxhash, in the bands and rows that are best for the threshold. Bands are
grouped by a native hash of them, and buckets are united here, which takes less time than the tutorial's functions in
Python and its rounds of joins. Candidates are
the result: Daft verifies nothing.
"""
# /// script
# dependencies = ["daft>=0.7", "numpy", "pyarrow"]
# ///

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from job import Found, clusters_of

os.environ["DAFT_PROGRESS_BAR"] = "0"

import daft
from daft import col
from daft.functions import chunk, minhash

if TYPE_CHECKING:
    from job import Job

PACKAGE = "daft"
HASHES = 64
BATCH = 1_000  # rows a thread takes at a time: small corpora, of one row group, keep all threads busy too

set_runner = cache(daft.set_runner_native)


def run(job: Job) -> Found:
    """Sign and band in one query, then unite the documents of each bucket."""
    set_runner(job.threads)
    with job.stage("read, sign and band"):
        signature = minhash(col("text"), num_hashes=HASHES, ngram_size=job.words, hash_function="xxhash")
        buckets = (
            daft.read_parquet(str(job.corpus))
            .into_batches(BATCH)
            .select("id", chunk(signature, rows_of_band(job.threshold)).alias("band"))
            .explode("band")
            .select("id", col("band").hash())
            .groupby("band")
            .agg(col("id").list_agg())
            .where(col("id").list_count() > 1)
            .select("id")
            .to_arrow()["id"]
            .combine_chunks()
        )
    with job.stage("cluster"):
        ids, starts = buckets.flatten().to_numpy(), buckets.offsets.to_numpy()
        firsts = np.repeat(ids[starts[:-1]], np.diff(starts))
        return Found(clusters_of(np.column_stack((firsts, ids)), job.count))


def rows_of_band(threshold: float) -> int:
    """Minimise the areas of false positives and false negatives under the S-curve, with equal weight."""
    below, above = np.linspace(0, threshold, 1000), np.linspace(threshold, 1, 1000)

    def error(rows: int) -> float:
        missed = (1 - above**rows) ** (HASHES // rows)
        wrong = 1 - (1 - below**rows) ** (HASHES // rows)
        return float(np.trapezoid(missed, above) + np.trapezoid(wrong, below))

    return min((rows for rows in range(1, HASHES + 1) if HASHES % rows == 0), key=error)
