"""lookalike: the same job by the public API, file to clusters."""
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
    """Deduplicate with the recall that is the default."""
    return deduplicated(job, recall=0.99)
