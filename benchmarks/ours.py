"""lookalike as a tool of the comparison: what its adapters share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from job import Found

import lookalike

if TYPE_CHECKING:
    from job import Job


def deduplicated(job: Job, recall: float) -> Found:
    """Deduplicate the corpus of a job."""
    found = lookalike.deduplicate(
        job.corpus,
        id="id",
        threshold=job.threshold,
        recall=recall,
        shingle=f"words:{job.words}",
        threads=job.threads,
        cluster="chain",
    )
    job.seconds.update(found.summary.seconds)
    with job.stage("cluster"):
        table = found.clusters.to_arrow()
        clusters = np.arange(found.summary.items)
        clusters[table["id"].to_numpy()] = table["keeper"].to_numpy()
    return Found(clusters)
