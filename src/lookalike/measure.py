"""Recall, measured: the true partners of a sample of items, by an exact scan, against what the run found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the true pairs were found, among those of similarities from `low` to `high`."""

    low: float
    high: float
    pairs: int
    found: int
    recall: float | None
    """None without pairs."""
    interval: tuple[float, float]
    """Where the recall of the whole run is, with the confidence wanted; (0, 1) without pairs."""
    predicted: float | None
    """The recall that the S-curve gives these pairs."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The recall of a run, as a sample of its items shows it."""

    sampled: int
    """Items whose partners were looked for."""
    confidence: float
    overall: Share
    bins: tuple[Share, ...]
    """The same by similarity: from the threshold to 1, and exact copies last."""
