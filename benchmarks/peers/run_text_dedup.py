"""text-dedup: its command `python -m text_dedup.minhash` as in its README, run in this process.

Bands and rows are its own choice for the threshold and 250 permutations, the default; the hash is xxh3, which it calls
the faster one. The shortest document counts, too. Candidates are the result: nothing is verified.
"""
# /// script
# dependencies = ["text-dedup>=0.4,<0.4.1", "numpy", "pyarrow"]  # 0.4.1 is for Python 3.12, and has another interface
# ///

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import numpy as np
import pyarrow.parquet as pq
from job import Found
from text_dedup import logger, minhash

if TYPE_CHECKING:
    from job import Job

PACKAGE = "text-dedup"

datasets.disable_progress_bars()
logger.handlers.clear()


class Stages(logging.Handler):
    """Takes the seconds of each stage from the report at the end."""

    def __init__(self, seconds: dict[str, float]) -> None:
        super().__init__()
        self.seconds = seconds

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line such as `MinHashing    : 1.23s`."""
        line = re.fullmatch(r"(\w+) *: ([\d.]+)s", record.getMessage())
        if line and line[1] != "Total":
            self.seconds[line[1].lower()] = float(line[2])


def run(job: Job) -> Found:
    """Run the command, and read its union-find structure."""
    options = {
        "path": "parquet",
        "data_files": job.corpus.resolve(),
        "split": "train",
        "cache_dir": job.scratch / "cache",
        "output": job.scratch / "output",
        "column": "text",
        "ngram": job.words,
        "min_length": 1,
        "threshold": job.threshold,
        "hash_func": "xxh3",
        "num_proc": job.threads,
    }
    handler = Stages(job.seconds)
    logger.addHandler(handler)
    minhash.main([str(part) for name, value in options.items() for part in (f"--{name}", value)], standalone_mode=False)
    logger.removeHandler(handler)
    count = pq.read_metadata(job.corpus).num_rows
    return Found(np.array([minhash.uf.find(row) for row in range(count)], np.int64))
