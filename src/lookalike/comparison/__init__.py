"""Two items, compared exactly and explained."""

from __future__ import annotations

from lookalike.comparison.base import Comparison
from lookalike.comparison.items import compare, compare_items
from lookalike.comparison.sets import SetComparison, number
from lookalike.comparison.texts import Span, TextComparison, other_spans, which_are_shared

__all__ = [
    "Comparison",
    "SetComparison",
    "Span",
    "TextComparison",
    "compare",
    "compare_items",
    "number",
    "other_spans",
    "which_are_shared",
]
