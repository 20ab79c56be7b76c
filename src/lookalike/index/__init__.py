"""A persistent index, which finds the stored items that resemble a query."""

from __future__ import annotations

from .index import Index
from .matches import Added, Match, Matches

__all__ = ["Added", "Index", "Match", "Matches"]
