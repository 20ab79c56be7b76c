"""Shingles of tokens and bags of them, from the definitions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")


def ngrams(tokens: Sequence[T], n: int) -> list[tuple[T, ...]]:
    """List the n-grams of tokens; fewer than n tokens are one shingle, all of them."""
    if not tokens:
        return []
    return [tuple(tokens[i : i + n]) for i in range(max(1, len(tokens) - n + 1))]


def shingles(tokens: Sequence[T], n: int) -> set[tuple[T, ...]]:
    """Return the set of n-grams."""
    return set(ngrams(tokens, n))


def bag(grams: Iterable[T]) -> list[tuple[T, int]]:
    """Number the occurrences of each shingle: the second one is another element than the first."""
    seen: Counter[T] = Counter()
    numbered = []
    for gram in grams:
        numbered.append((gram, seen[gram]))
        seen[gram] += 1
    return numbered
