"""lookalike: all pairs with a cosine of 0.9, and the ten nearest of 1,000 and of 20,000 questions."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

import json
import sys
import time

import numpy as np

import lookalike

PACKAGE = "lookalike"

rows = np.load(sys.argv[1])
base, questions = rows[:-1000], rows[-1000:]
lookalike.find_pairs(base[:3000], measure="cosine", threshold=0.9)
lookalike.find_pairs(base[:3000], measure="cosine", threshold=0.9, bands=50, rows=12)
lookalike.nearest(base[:6000], 10, measure="cosine", recall=0.95)
for recall in (0.99, 1.0):
    begin = time.perf_counter()
    found = lookalike.find_pairs(base, measure="cosine", threshold=0.9, recall=recall)
    seconds = round(time.perf_counter() - begin, 3)
    print(json.dumps({"what": "pairs", "recall": recall, "seconds": seconds, "pairs": len(found)}), flush=True)
unit = base / np.linalg.norm(base, axis=1, keepdims=True)
for asked, name in ((questions, "1,000 questions"), (np.tile(questions, (20, 1)), "20,000 questions")):
    begin = time.perf_counter()
    nearest = lookalike.nearest(asked, 10, against=base, measure="cosine", recall=0.95)
    seconds = round(time.perf_counter() - begin, 3)
    stages = nearest.summary.seconds
    right = nearest.to_arrow()["right"].to_numpy().reshape(-1, 10)[:1000]
    truth = np.argsort(-(questions @ unit.T), axis=1)[:, :10]
    recall = float(np.mean([len(set(one) & set(two)) / 10 for one, two in zip(right, truth, strict=True)]))
    built = round(seconds - stages["nearest"], 3)
    speed = round(len(asked) / stages["nearest"])
    print(json.dumps({"what": name, "build": built, "queries_a_second": speed, "recall": recall}), flush=True)
