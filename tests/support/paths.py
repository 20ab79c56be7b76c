"""Where files that tests read are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository."""

DATA = ROOT / "tests" / "data"
ARTICLES = ROOT / "examples" / "articles.jsonl"
