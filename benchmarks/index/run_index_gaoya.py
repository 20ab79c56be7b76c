"""gaoya: MinHashStringIndex in memory, with its own word n-grams and bands, and its parallel bulk methods.

What it answers is what its signatures say is similar enough.
"""
# /// script
# dependencies = ["gaoya", "pyarrow"]
# ///

from __future__ import annotations

import os

from gaoya.minhash import MinHashStringIndex
from questions import THREADS, THRESHOLD, WORDS, base, questions, show, timed

PACKAGE = "gaoya"

os.environ["RAYON_NUM_THREADS"] = str(THREADS)  # read when the first batch is inserted
index = MinHashStringIndex(
    jaccard_threshold=THRESHOLD,
    num_bands=None,
    band_size=None,
    num_hashes=128,
    ngram_range=(WORDS, WORDS),
    id_container="smallvec",
)
seconds, _ = timed(lambda: index.par_bulk_insert_docs(list(range(len(base))), base))
show("in memory", seconds, lambda: index.par_bulk_query(questions), 0)
