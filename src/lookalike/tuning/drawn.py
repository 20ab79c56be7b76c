"""Pairs of sets that are drawn by chance, and what their outlines tell of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.exact.all_pairs import MAX_BYTES, WORDS, allowed_differences
from lookalike.exact.set_scores import compare_sets
from lookalike.kernels.codes import JACCARD
from lookalike.tuning.cost import all_pairs_seconds, verify_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.store.sets import Sets

BOTH = 3
"""The sides of two items that are not in the same collection."""


@dataclass(frozen=True, slots=True)
class DrawnPairs:
    """Pairs of different sets: their Jaccard similarities, and the sizes of both."""

    jaccard: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    compared: NDArray[np.bool_]
    """Which of them would be verified if they are close: not those of one of two collections, for example."""

    @classmethod
    def of(cls, left: NDArray[np.int32], right: NDArray[np.int32], sets: Sets, sides: NDArray[np.uint8]) -> DrawnPairs:
        """Compare pairs of items. Their sets are made, if they are not yet."""
        order = np.argsort(left, kind="stable")
        left, right = left[order], right[order]
        sets.make(np.concatenate((left, right)))
        jaccard = np.empty(len(left))
        compare_sets(left, right, (sets.elements, sets.begins, sets.sizes), (JACCARD, 0.0), jaccard)
        sizes = sets.sizes.astype(np.float64)
        return cls(jaccard, sizes[left], sizes[right], across(left, right, sides))

    def below(self, min_jaccard: float) -> DrawnPairs:
        """Return the same pairs; those that reach a similarity need not be compared, as their items are united."""
        return DrawnPairs(self.jaccard, self.left, self.right, self.compared & (self.jaccard < min_jaccard))

    @property
    def mean_size(self) -> float:
        """The mean size of a set."""
        return float(self.left.mean() + self.right.mean()) / 2

    def share_in_size(self, min_jaccard: float) -> float:
        """Return the share of pairs that their sizes do not tell to be below the threshold."""
        return float(np.mean(np.minimum(self.left, self.right) >= min_jaccard * np.maximum(self.left, self.right)))

    def close(self, words: int, min_jaccard: float) -> NDArray[np.bool_]:
        """Return which pairs would be verified: outlines do not tell that they are below the threshold.

        Of the elements that two sets do not share, some fall on the same bit and cancel out, more or less by chance.
        """
        both, bits = self.left + self.right, 64 * words
        apart = both * (1 - self.jaccard) / (1 + self.jaccard)
        seen = -np.expm1(-2 * apart / bits) * bits / 2
        near = seen - apart / np.sqrt(bits) <= allowed_differences(0.5, min_jaccard) * both
        return np.asarray(near & self.compared)

    def share_close(self, words: int, min_jaccard: float) -> float:
        """Return the share of pairs that would be verified."""
        return float(np.mean(self.close(words, min_jaccard)))

    def best_words(self, min_jaccard: float, count: int) -> int:
        """Return the number of words of outlines with which comparing all of so many sets takes the least time."""
        possible = [words for words in WORDS if words == WORDS[0] or 8 * words * count <= MAX_BYTES]
        return min(possible, key=lambda words: self.dense_seconds(words, min_jaccard, count))

    def dense_seconds(self, words: int, min_jaccard: float, count: int) -> float:
        """Return the time to compare all of so many sets by outlines, and to verify those that are close."""
        pairs, size = count**2 / 2, self.mean_size
        comparing = all_pairs_seconds(self.share_in_size(min_jaccard) * pairs, words, count * size)
        return comparing + verify_seconds(self.share_close(words, min_jaccard) * pairs, size)


def across(left: NDArray[np.int32], right: NDArray[np.int32], sides: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pairs have an item of each collection, if there are two."""
    return np.equal(sides[left] | sides[right], BOTH) if len(sides) else np.ones(len(left), bool)


def draw_any(
    items: NDArray[np.int32], count: int, random: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw so many pairs of different items, of at least two."""
    one = random.integers(len(items), size=count)
    two = random.integers(len(items) - 1, size=count)
    return items[one], items[two + (two >= one)]
