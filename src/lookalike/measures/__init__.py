"""Measures: how similar two items are. A class per measure, and a registry.

    base.py        what every measure knows
    sets.py        measures of sets: jaccard, dice, cosine, overlap (with containment)
    vectors.py     measures of vectors and bits: cosine, euclidean, agreement, hamming

The order of these imports is that of the names in messages; the first of sets, vectors and bits is the default.
"""

from __future__ import annotations

# ruff: noqa: I001 - in the order of names
from lookalike.measures.base import NAMES, all_names, Column, Measure, Of, one_of, register, value_as
from lookalike.measures.jaccard import Jaccard
from lookalike.measures.dice import Dice
from lookalike.measures.cosine import Cosine, SetCosine
from lookalike.measures.overlap import Containment, Overlap
from lookalike.measures.euclidean import Euclidean, same_cell
from lookalike.measures.agreement import Agreement
from lookalike.measures.hamming import Hamming
from lookalike.measures.sets import SetMeasure
from lookalike.measures.vectors import VectorMeasure

__all__ = [
    "NAMES",
    "Agreement",
    "Column",
    "Containment",
    "Cosine",
    "Dice",
    "Euclidean",
    "Hamming",
    "Jaccard",
    "Measure",
    "Of",
    "Overlap",
    "SetCosine",
    "SetMeasure",
    "VectorMeasure",
    "all_names",
    "one_of",
    "register",
    "same_cell",
    "value_as",
]
