"""Options as keyword arguments, for type checkers: static typing cannot be generated from the table.

A test keeps the two in step.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from lookalike.resources.progress import Watcher

from .base import EncodingErrors, Form, RecipeSource, Sketch


class DirectSettings(TypedDict, total=False):
    """All of `Settings` except `recipe`, which holds others."""

    threshold: float
    measure: str | None
    tolerance: float | None
    recall: float
    shingle: str | None
    bag: bool
    lower: bool | None
    form: Form | None
    accents: bool
    punctuation: bool | None
    bands: int | None
    rows: int | None
    sketch: Sketch
    seed: int
    exact_copies: bool
    text: str | list[str] | None
    id: str | None
    item: str | None
    element: str | None
    weight: str | bool | None
    transpose: bool
    format: str | None
    include: list[str] | str | None
    exclude: list[str] | str | None
    lines: bool
    delimiter: str | None
    encoding: str | None
    encoding_errors: EncodingErrors
    batch_bytes: int
    against_text: str | list[str] | None
    against_id: str | None
    against_item: str | None
    against_element: str | None
    against_weight: str | None
    threads: int | None
    scratch: Path | str | None
    watcher: Watcher | None
    on_open: Callable[[Any], None] | None
    measure_recall: int
    examples: int


class Settings(DirectSettings, total=False):
    """Keyword arguments of `find_pairs`, `deduplicate`, `nearest`, `compare` and others. All are optional.

    `lookalike.options.OPTIONS` has the default and the meaning of each.
    """

    recipe: RecipeSource | None
