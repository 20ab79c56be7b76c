"""lookalike: all pairs with a cosine of 0.9, and the ten nearest of 1,000 and of 20,000 questions."""
# /// script
# dependencies = ["lookalike"]
# ///

from __future__ import annotations

import json
import time

import numpy as np
from asked import QUESTIONS, TOP, base, questions, show

import lookalike

PACKAGE = "lookalike"

lookalike.find_pairs(base[:3000], measure="cosine", threshold=0.9)
lookalike.find_pairs(base[:3000], measure="cosine", threshold=0.9, bands=50, rows=12)
lookalike.nearest(base[:6000], TOP, measure="cosine", recall=0.95)
for recall in (0.99, 1.0):
    begin = time.perf_counter()
    found = lookalike.find_pairs(base, measure="cosine", threshold=0.9, recall=recall)
    seconds = round(time.perf_counter() - begin, 3)
    print(json.dumps({"what": "pairs", "exact": recall == 1, "seconds": seconds, "pairs": len(found)}), flush=True)
for asked, name in ((questions, "1,000 questions"), (np.tile(questions, (20, 1)), "20,000 questions")):
    begin = time.perf_counter()
    nearest = lookalike.nearest(asked, TOP, against=base, measure="cosine", recall=0.95)
    seconds = time.perf_counter() - begin
    searched = nearest.summary.seconds["nearest"]
    right = nearest.to_arrow()["right"].to_numpy().reshape(-1, TOP)[:QUESTIONS]
    show(name, round(seconds - searched, 3), len(asked) / searched, right)
