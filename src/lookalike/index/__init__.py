"""One against many, on disk: whether anything like an item has been seen before."""

from __future__ import annotations

from .index import Index
from .matches import Added, Match, Matches

__all__ = ["Added", "Index", "Match", "Matches"]
