"""lookalike: pairs by bands, with the recall that is the default, and by exact search; from Python sets."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

import json
import sys
import time

import pyarrow.parquet as pq

import lookalike

PACKAGE = "lookalike"

sets = [set(one) for one in pq.read_table(sys.argv[1])["elements"].to_pylist()]
for recall in (0.99, 1.0):
    lookalike.find_pairs(sets[:1000], threshold=0.8, recall=recall)
for threshold in (0.9, 0.8, 0.7, 0.6, 0.5):
    for recall in (0.99, 1.0):
        begin = time.perf_counter()
        found = lookalike.find_pairs(sets, threshold=threshold, recall=recall)
        seconds = round(time.perf_counter() - begin, 3)
        print(json.dumps({"threshold": threshold, "exact": recall == 1, "seconds": seconds, "pairs": len(found)}))
