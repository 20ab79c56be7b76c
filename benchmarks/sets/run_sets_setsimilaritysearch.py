"""SetSimilaritySearch: all_pairs, exact; one thread, as it has no more."""
# /// script
# dependencies = ["SetSimilaritySearch", "pyarrow"]
# ///

from __future__ import annotations

import json
import sys
import time

import pyarrow.parquet as pq
from SetSimilaritySearch import all_pairs

PACKAGE = "SetSimilaritySearch"

sets = pq.read_table(sys.argv[1])["elements"].to_pylist()
list(all_pairs(sets[:500] + sets[-500:], similarity_func_name="jaccard", similarity_threshold=0.5))
for threshold in (0.9, 0.8, 0.7, 0.6, 0.5):
    begin = time.perf_counter()
    found = list(all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=threshold))
    seconds = round(time.perf_counter() - begin, 3)
    print(json.dumps({"threshold": threshold, "exact": True, "seconds": seconds, "pairs": len(found)}), flush=True)
