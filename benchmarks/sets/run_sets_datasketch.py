"""datasketch: MinHash.generator with farmhash, MinHashLSH, and the similarity of the sets themselves for candidates."""
# /// script
# dependencies = ["datasketch>=2.0", "pyfarmhash", "pyarrow"]
# ///

from __future__ import annotations

import json
import sys
import time

import farmhash  # type: ignore[import-untyped]
import pyarrow.parquet as pq
from datasketch import LeanMinHash, MinHash, MinHashLSH

PACKAGE = "datasketch"
PERMUTATIONS = 128


def count_pairs(sets: list[set[int]], threshold: float) -> int:
    """Find the pairs by bands, and return how many they are."""
    elements = [[str(element).encode() for element in one] for one in sets]
    made = MinHash.generator(elements, num_perm=PERMUTATIONS, hashfunc=farmhash.hash32)
    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    pairs = 0
    for i, one in enumerate(map(LeanMinHash, made)):
        for j in index.query(one):
            shared = len(sets[i] & sets[j])
            pairs += shared / (len(sets[i]) + len(sets[j]) - shared) >= threshold
        index.insert(i, one, check_duplication=False)
    return pairs


sets = [set(one) for one in pq.read_table(sys.argv[1])["elements"].to_pylist()]
count_pairs(sets[:500] + sets[-500:], 0.5)
for threshold in (0.9, 0.8, 0.7, 0.6, 0.5):
    begin = time.perf_counter()
    pairs = count_pairs(sets, threshold)
    seconds = round(time.perf_counter() - begin, 3)
    print(json.dumps({"threshold": threshold, "exact": False, "seconds": seconds, "pairs": pairs}), flush=True)
