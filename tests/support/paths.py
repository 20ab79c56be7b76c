"""Paths of files that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root of the repository."""

DATA = ROOT / "tests" / "data"
ARTICLES = ROOT / "examples" / "articles.jsonl"
