"""What a search found, in a form that is easy to compare."""

from __future__ import annotations

from typing import Any

from lookalike import find_pairs


def found(items: Any, **asked: Any) -> dict[tuple[Any, Any], float]:
    """Return the pairs as a dict."""
    return {(left, right): value for left, right, value in find_pairs(items, **asked)}
