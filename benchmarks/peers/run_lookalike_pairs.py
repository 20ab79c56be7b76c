"""lookalike: every pair with its similarity, by the public API, and the clusters of those pairs."""
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
    """Find pairs with the recall that is the default, 0.99."""
    found = lookalike.find_pairs(
        job.corpus, id="id", threshold=job.threshold, shingle=f"words:{job.words}", threads=job.threads
    )
    job.seconds.update(found.summary.seconds)
    with job.stage("cluster"):
        table = found.clusters().to_arrow()
        clusters = np.arange(found.summary.items)
        clusters[table["id"].to_numpy()] = table["keeper"].to_numpy()
        pairs = np.column_stack([found.to_arrow()[side].to_numpy() for side in ("left", "right")])
    return Found(clusters, np.sort(pairs, axis=1))
