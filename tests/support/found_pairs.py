"""The pairs that a search finds, in a form that is easy to compare."""

from __future__ import annotations

from typing import Any

from lookalike import find_pairs


def found(items: Any, **asked: Any) -> dict[tuple[Any, Any], float]:
    """Return the pairs of a search as a dict of their similarities."""
    return {(left, right): value for left, right, value in find_pairs(items, **asked)}
