"""Two texts compared and explained: the same similarity as in a run, and the passages a reader would mark."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import naive
import naive.words
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import brute_force

from lookalike import RecipeError, TextComparison, compare, find_pairs

texts = brute_force.words.map(" ".join) | st.sampled_from(["", "!", "word"])


def passages(found: TextComparison) -> tuple[list[str], list[str]]:
    return [found.left[i:j] for i, j in found.left_spans], [found.right[i:j] for i, j in found.right_spans]


@given(texts, texts, brute_force.shinglings())
def test_similarity_is_that_of_the_sets(left: str, right: str, shingling: dict[str, Any]) -> None:
    found = compare(left, right, threshold=0.5, **shingling)
    one, two = (brute_force.elements(text, **shingling) for text in (left, right))
    assert (found.shared, found.only_left, found.only_right) == (len(one & two), len(one - two), len(two - one))
    assert found.similarity == (naive.jaccard(one, two) if one | two else 0.0)
    assert found.is_pair == (bool(one & two) and found.similarity >= 0.5)


@pytest.mark.slow
@given(texts, texts, brute_force.shinglings(), brute_force.thresholds)
def test_it_says_what_a_run_does(left: str, right: str, shingling: dict[str, Any], threshold: float) -> None:
    settings: dict[str, Any] = {"threshold": threshold, "bands": 5, "rows": 2, **shingling}
    found = compare(left, right, **settings)
    assert (found.bands_met > 0 and found.is_pair) == (len(find_pairs([left, right], **settings)) == 1)


@given(texts, texts, st.integers(1, 4))
def test_marked_passages_hold_the_words_of_shared_shingles(left: str, right: str, n: int) -> None:
    found = compare(left, right, shingle=f"words:{n}")
    both = brute_force.elements(left, f"words:{n}") & brute_force.elements(right, f"words:{n}")
    for text, spans in ((left, found.left_spans), (right, found.right_spans)):
        grams = enumerate(naive.ngrams(naive.words.words(text), n))
        shared = {at + i for at, gram in grams if gram in both for i in range(len(gram))}
        assert [word for i, j in spans for word in naive.words.words(text[i:j])] == [
            word for at, word in enumerate(naive.words.words(text)) if at in shared
        ]
        assert all(i < j for i, j in spans)
        assert all(one[1] <= two[0] for one, two in pairwise(spans))


def test_passages_of_a_quotation() -> None:
    found = compare("He said: to be, or not to be, and left.", "TO BE OR NOT TO BE — that is it", shingle="words:3")
    assert passages(found) == (["to be, or not to be"], ["TO BE OR NOT TO BE"])
    assert compare("ab", "ba", shingle="words:1").left_spans == ()
    assert passages(compare("中文字", "日中文", shingle="words:2")) == (["中文"], ["中文"])
    assert passages(compare("xabcx", "yabcy", shingle="chars:3")) == (["abc"], ["abc"])
    assert passages(compare("été", "été!", shingle="bytes:2"))[0] == ["été"]


def test_identical_and_unrelated_texts() -> None:
    same = compare("one two three four five six", "One, two: three; four? five! six.")
    assert (same.similarity, same.bands_met, same.chance) == (1.0, 20, 1.0)
    assert passages(same) == (["one two three four five six"], ["One, two: three; four? five! six"])
    apart = compare("one two", "three four")
    assert (apart.similarity, apart.bands_met, apart.chance, passages(apart)) == (0.0, 0, 0.0, ([], []))


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ("a b c", "a b c", "A pair: 1 of 1 shingles are shared, 1.0000 >= 0.8."),
        ("a b c", "a b d", "Not a pair: 0 of 2 shingles are shared, 0.0000 < 0.8."),
        ("", "a b", "Not a pair: a text without words:5 shingles matches nothing."),
        ("", "", "Not a pair: a text without words:5 shingles matches nothing."),
    ],
)
def test_reasons(left: str, right: str, reason: str) -> None:
    assert compare(left, right).reason == str(compare(left, right)) == reason


def test_comparisons_are_values() -> None:
    found = compare("a b c d e f", "a b c d e g", threshold=0.3, shingle="words:2")
    assert found == compare("a b c d e f", "a b c d e g", threshold=0.3, shingle="words:2")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.similarity = 1.0  # type: ignore[misc]
    plain = found.to_dict()
    assert plain["similarity"] == 4 / 6
    assert (plain["shared"], plain["only_left"], plain["only_right"]) == (4, 1, 1)
    assert (plain["is_pair"], plain["threshold"], plain["shingle"]) == (True, 0.3, "words:2")
    assert plain["left_spans"] == [(0, 9)]
    assert "a b c" not in repr(found)


def test_settings_are_checked() -> None:
    with pytest.raises(RecipeError, match=r"did you mean 0\.80"):
        compare("a", "b", threshold=80)


def test_long_texts() -> None:
    words = [f"w{i}" for i in range(100_000)]
    found = compare(" ".join(words), " ".join(words[:90_000]))
    assert found.similarity == 89_996 / 99_996
    assert found.right_spans == ((0, len(found.right)),)
