"""rensa: R-MinHash and RMinHashLSH in memory; what it answers is what its signatures say is similar enough."""
# /// script
# dependencies = ["rensa>=0.5", "pyarrow"]
# ///

from __future__ import annotations

import os

from questions import THREADS, THRESHOLD, base, questions, shingles, show, timed
from rensa import RMinHash, RMinHashLSH

PACKAGE = "rensa"
PERMUTATIONS = 128
BANDS = 8
"""What RMinHashDeduplicator takes for 0.8."""

AT_A_TIME = 1000


def signed(texts: list[str]) -> list[RMinHash]:
    """Sign texts, a thousand at a time."""
    made: list[RMinHash] = []
    for first in range(0, len(texts), AT_A_TIME):
        some = [shingles(text) for text in texts[first : first + AT_A_TIME]]
        made += RMinHash.from_token_sets(some, num_perm=PERMUTATIONS, seed=42)
    return made


def build() -> list[RMinHash]:
    """Sign and insert all documents."""
    made = signed(base)
    index.insert_many(made)
    return made


def answers() -> list[list[int]]:
    """Return what each question resembles by signature."""
    asked = signed(questions)
    return [
        [j for j in found if documents[j].jaccard(one) >= THRESHOLD]
        for one, found in zip(asked, index.query_all(asked), strict=True)
    ]


os.environ["RAYON_NUM_THREADS"] = str(THREADS)  # read when the first batch is signed
index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
seconds, documents = timed(build)
show("in memory", seconds, answers, 0)
