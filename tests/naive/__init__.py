"""Slow references, written from the definitions in plain Python. Nothing here imports lookalike.

A hash is an `int` below 2^64, a set a Python `set`, a signature a `list`. Each function does the obvious thing. Those
that many tests need are here; the others are in the module of what they are about.
"""

from __future__ import annotations

from naive.bands import band_key, band_keys, buckets, candidates, pairs_within
from naive.grams import bag, ngrams, shingles
from naive.hashing import (
    BASE,
    FIRST,
    MODULUS,
    SECOND,
    WIDTH,
    absorb,
    fingerprint,
    finish,
    hash_bag,
    hash_bytes,
    hash_grams,
    hash_number,
    hash_shingle,
    hash_text,
    hash_word,
    odd_numbers,
)
from naive.pairs import all_pairs, components, least_overlap, stars
from naive.recall import found_of, nearest_found, shared_with, wilson
from naive.s_curve import chance, keeps_promise, least_bands, shared_cells
from naive.set_measures import MEASURES, containment, cosine, dice, jaccard, measured, overlap
from naive.signatures import EMPTY, PRIME, agreement, classic_sketch, fast_sketch, minhash, one_pass, throw, universal

__all__ = [
    "BASE",
    "EMPTY",
    "FIRST",
    "MEASURES",
    "MODULUS",
    "PRIME",
    "SECOND",
    "WIDTH",
    "absorb",
    "agreement",
    "all_pairs",
    "bag",
    "band_key",
    "band_keys",
    "buckets",
    "candidates",
    "chance",
    "classic_sketch",
    "components",
    "containment",
    "cosine",
    "dice",
    "fast_sketch",
    "fingerprint",
    "finish",
    "found_of",
    "hash_bag",
    "hash_bytes",
    "hash_grams",
    "hash_number",
    "hash_shingle",
    "hash_text",
    "hash_word",
    "jaccard",
    "keeps_promise",
    "least_bands",
    "least_overlap",
    "measured",
    "minhash",
    "nearest_found",
    "ngrams",
    "odd_numbers",
    "one_pass",
    "overlap",
    "pairs_within",
    "shared_cells",
    "shared_with",
    "shingles",
    "stars",
    "throw",
    "universal",
    "wilson",
]
