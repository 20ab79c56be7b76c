"""Comparisons of two items: how similar they are, and why."""

from __future__ import annotations

from lookalike.comparison.base import Comparison
from lookalike.comparison.sets import SetComparison, number
from lookalike.comparison.texts import Span, TextComparison

__all__ = ["Comparison", "SetComparison", "Span", "TextComparison", "number"]
