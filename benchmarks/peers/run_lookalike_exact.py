"""lookalike without bands: an exact search, which misses nothing."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

from ours import deduplicated

if TYPE_CHECKING:
    from job import Found, Job

PACKAGE = "lookalike"


def run(job: Job) -> Found:
    """Deduplicate with a recall of 1."""
    return deduplicated(job, recall=1)
