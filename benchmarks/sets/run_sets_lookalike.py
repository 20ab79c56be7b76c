"""lookalike: pairs with the recall that is the default, by bands or exactly, and with recall 1; from Python sets.

A run is so short that whatever else the machine does would count: the least of three is taken.
"""
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
some = sets[:500] + sets[-500:]
for recall in (0.99, 1.0):
    lookalike.find_pairs(some, threshold=0.5, recall=recall)
for threshold in (0.9, 0.8, 0.7, 0.6, 0.5):
    for recall in (0.99, 1.0):
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            found = lookalike.find_pairs(sets, threshold=threshold, recall=recall)
            seconds.append(round(time.perf_counter() - begin, 3))
        row = {
            "threshold": threshold,
            "exact": recall == 1,
            "seconds": min(seconds),
            "pairs": len(found),
            "runs": len(seconds),
        }
        print(json.dumps(row), flush=True)
