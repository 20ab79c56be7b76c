from __future__ import annotations

import random

import naive
import pytest

from lookalike import compare, find_pairs
from lookalike.kernels.shingles import LARGE


def long_text(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices("abcdefghij é", k=length))


def char_shingles(text: str, k: int) -> set[str]:
    return {text[i : i + k] for i in range(len(text) - k + 1)}


def edited(text: str, every: int) -> str:
    return "".join("#" if i % every == 0 else c for i, c in enumerate(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "two"),
    [(LARGE + 200_000, LARGE + 190_000), (LARGE + 5_000, LARGE - 5_000), (LARGE - 5_000, LARGE + 5_000)],
    ids=["both large", "the second just not", "the first just not"],
)
def test_texts_of_more_than_a_million_shingles_are_compared_exactly(one: int, two: int) -> None:
    text = long_text(max(one, two), 1)
    texts = [text[:one], "something short", edited(text[:two], 500)]
    expected = naive.jaccard(char_shingles(texts[0], 9), char_shingles(texts[2], 9))
    assert list(find_pairs(texts, shingle="chars:9")) == [(0, 2, expected)]
    assert compare(texts[0], texts[2], shingle="chars:9").similarity == expected


@pytest.mark.slow
def test_a_bag_of_more_than_a_million_shingles() -> None:
    text = "ab" * (LARGE // 2 + 100)
    shorter = text[: LARGE + 10]
    assert list(find_pairs([text, shorter], shingle="chars:2", bag=True)) == [
        (0, 1, (len(shorter) - 1) / (len(text) - 1))
    ]
