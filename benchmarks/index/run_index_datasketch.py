"""datasketch: MinHashLSH in memory, and the exact similarity of shingle sets for what it finds.

Its size is that of the index and the sets, pickled: shingles as 64-bit numbers, which takes least.
"""
# /// script
# dependencies = ["datasketch>=2.0", "pyfarmhash", "pyarrow"]
# ///

from __future__ import annotations

import pickle

import farmhash  # type: ignore[import-untyped]
from datasketch import LeanMinHash, MinHash, MinHashLSH
from questions import THRESHOLD, base, questions, shingles, show, timed

PACKAGE = "datasketch"
PERMUTATIONS = 128
AT_A_TIME = 1000


def signed(texts: list[str]) -> tuple[list[set[int]], list[LeanMinHash]]:
    """Return the sets of texts and their signatures, made a thousand at a time."""
    sets: list[set[int]] = []
    made: list[LeanMinHash] = []
    for first in range(0, len(texts), AT_A_TIME):
        encoded = [[shingle.encode() for shingle in shingles(text)] for text in texts[first : first + AT_A_TIME]]
        made += map(LeanMinHash, MinHash.generator(encoded, num_perm=PERMUTATIONS, hashfunc=farmhash.hash32))
        sets += [{farmhash.hash64(shingle) for shingle in one} for one in encoded]
    return sets, made


def build() -> list[set[int]]:
    """Sign and insert all documents."""
    sets, made = signed(base)
    for i, one in enumerate(made):
        index.insert(i, one, check_duplication=False)
    return sets


def answers() -> list[list[int]]:
    """Return what each question resembles."""
    found = []
    for one, signature in zip(*signed(questions), strict=True):
        some = [(j, len(one & sets[j])) for j in index.query(signature)]
        found.append([j for j, shared in some if shared / (len(one) + len(sets[j]) - shared) >= THRESHOLD])
    return found


index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
seconds, sets = timed(build)
show("in memory, exact scores", seconds, answers, len(pickle.dumps((index, sets))))
