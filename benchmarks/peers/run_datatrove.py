"""datatrove: the stages of its MinHash pipeline, with the local executor, as in its example.

The parameters are the defaults: 14 buckets of 8 hashes, for a threshold of about 0.72, of 64-bit xxhash, and the
tokenizer for English. The last stage, which writes the documents to keep, is left out: clusters are known before it.
Candidates are the result: nothing is verified.
"""
# /// script
# dependencies = ["datatrove[io,processing]>=0.10", "spacy>=3.8", "numpy", "pyarrow"]
# ///

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster
from datatrove.pipeline.readers import ParquetReader
from job import Found

if TYPE_CHECKING:
    from datatrove.pipeline.base import PipelineStep
    from job import Job
    from numpy.typing import NDArray

PACKAGE = "datatrove"

import_module("spacy")  # the tokenizer, which processes would load one by one


def run(job: Job) -> Found:
    """Give each worker a file of its own, run three stages, and read the numbers of clusters."""
    config = MinhashConfig(n_grams=job.words)
    parts, signatures, buckets, clusters = (
        str(job.scratch / name) for name in ("parts", "signatures", "buckets", "clusters")
    )
    with job.stage("read"):
        rows = split(job)
    with job.stage("sign"):
        sign = MinhashDedupSignature(signatures, config)
        execute(job, "sign", [ParquetReader(parts, read_metadata=False), sign], job.threads)
    with job.stage("band"):
        band = MinhashDedupBuckets(signatures, buckets, config=config, lines_to_buffer=-1)
        execute(job, "band", [band], config.num_buckets)
    with job.stage("cluster"):
        cluster = MinhashDedupCluster(buckets, clusters, config, save_cluster_id=True, lines_to_buffer=-1)
        execute(job, "cluster", [cluster], 1)
        return Found(read_clusters(job, rows))


def execute(job: Job, name: str, pipeline: list[PipelineStep], tasks: int) -> None:
    """Run a stage; processes are forks, which have everything loaded."""
    workers = min(tasks, job.threads)
    logs = str(job.scratch / "logs" / name)
    LocalPipelineExecutor(pipeline, tasks=tasks, workers=workers, logging_dir=logs, start_method="fork").run()


def split(job: Job) -> list[NDArray[np.int64]]:
    """Write a file per worker, for one reads a file; give the rows in each, without empty texts, which it skips."""
    table = pq.read_table(job.corpus)
    (job.scratch / "parts").mkdir()
    rows = []
    for part in range(job.threads):
        begin, end = (table.num_rows * i // job.threads for i in (part, part + 1))
        piece = table.slice(begin, end - begin)
        pq.write_table(piece, job.scratch / "parts" / f"{part:05}.parquet")
        rows.append(begin + np.flatnonzero(pc.not_equal(piece["text"], "").to_numpy()))
    return rows


def read_clusters(job: Job, rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Give every row a number: those of stage 3, and others for rows which are alone."""
    count = pq.read_metadata(job.corpus).num_rows
    clusters: NDArray[np.int64] = count + np.arange(count)
    for part, rows_of_part in enumerate(rows):
        path = job.scratch / "clusters" / f"{part:06}.clusters"
        if path.exists():
            documents, numbers = np.fromfile(path, "<u4").reshape(-1, 2).T
            clusters[rows_of_part[documents]] = numbers
    return clusters
