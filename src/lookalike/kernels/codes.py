"""Codes by which kernels identify the measures of sets."""

from __future__ import annotations

JACCARD, DICE, COSINE, OVERLAP, CONTAINMENT = 0, 1, 2, 3, 4
