"""lookalike: the same job without MinHash: a prefix filter finds every pair, recall 1."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from job import Found

import lookalike

if TYPE_CHECKING:
    from job import Job

PACKAGE = "lookalike"


def run(job: Job) -> Found:
    """Deduplicate and miss nothing."""
    found = lookalike.deduplicate(
        job.corpus, id="id", threshold=job.threshold, recall=1, shingle=f"words:{job.words}", threads=job.threads
    )
    job.seconds.update(found.summary.seconds)
    with job.stage("cluster"):
        table = found.clusters.to_arrow()
        clusters = np.arange(found.summary.items)
        clusters[table["id"].to_numpy()] = table["keeper"].to_numpy()
    return Found(clusters)
