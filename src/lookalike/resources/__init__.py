"""What a run uses of the machine: threads, temporary columns on disk, and a clock for progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.resources.progress import Stages
    from lookalike.resources.scratch import Scratch
    from lookalike.resources.threads import Threads


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads, scratch columns and stages of a run."""

    threads: Threads
    scratch: Scratch
    stages: Stages
