from __future__ import annotations

import random

import naive
import naive.words
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.kernels.hashing import base_power

tokens = st.lists(strategies.numbers | st.integers(0, 3), max_size=60)


@given(tokens=tokens, n=strategies.shingle_sizes)
def test_roll_hashes_every_ngram(tokens: list[int], n: int) -> None:
    assert call_kernels.roll(tokens, n) == naive.hash_grams(tokens, n)


@pytest.mark.parametrize("n", [1, 2, 5, 9, 63, 64, 65, 1000])
def test_roll_around_the_size_of_a_shingle(n: int) -> None:
    source = random.Random(n)
    for count in sorted({0, 1, n - 1, n, n + 1, n + 7}):
        tokens = [source.getrandbits(64) for _ in range(count)]
        assert call_kernels.roll(tokens, n) == naive.hash_grams(tokens, n)


@call_kernels.compiled
def test_roll_a_long_text() -> None:
    source = random.Random(2)
    tokens = [source.getrandbits(64) for _ in range(5000)]
    assert call_kernels.first_difference(call_kernels.roll(tokens, 5), naive.hash_grams(tokens, 5)) is None


@given(tokens=st.lists(strategies.numbers, min_size=1, max_size=8), n=strategies.shingle_sizes)
def test_too_few_tokens_are_one_shingle(tokens: list[int], n: int) -> None:
    assert len(call_kernels.roll(tokens, n)) == max(1, len(tokens) - n + 1)


@given(text=strategies.texts.map(strategies.settled), n=strategies.shingle_sizes)
def test_word_ngrams_of_any_text(text: str, n: int) -> None:
    grams = naive.ngrams(naive.words.words(text), n)
    assert call_kernels.word_grams(text, n) == [naive.hash_shingle(map(naive.hash_word, gram)) for gram in grams]


@given(text=strategies.texts, n=strategies.shingle_sizes)
def test_character_ngrams_of_any_text(text: str, n: int) -> None:
    grams = naive.ngrams(text, n)
    hashes = [naive.hash_shingle(naive.hash_number(ord(c)) for c in gram) for gram in grams]
    assert call_kernels.roll(call_kernels.char_tokens(text), n) == hashes


@pytest.mark.slow
@given(text=strategies.texts.map(strategies.settled), n=strategies.shingle_sizes)
def test_hashes_are_equal_when_shingles_are(text: str, n: int) -> None:
    assert len(set(call_kernels.word_grams(text, n))) == len(naive.shingles(naive.words.words(text), n))


@pytest.mark.slow
@given(hashes=strategies.hash_lists)
def test_distinct_is_the_set(hashes: list[int]) -> None:
    found = call_kernels.distinct(hashes, bag=False)
    assert len(found) == len(set(found))
    assert set(found) == set(hashes)


@given(hashes=strategies.hash_lists)
def test_distinct_numbers_the_repetitions_of_a_bag(hashes: list[int]) -> None:
    assert sorted(call_kernels.distinct(hashes, bag=True)) == sorted(naive.hash_bag(hashes))


@pytest.mark.parametrize("bag", [False, True])
@pytest.mark.parametrize("values", [1, 2, 50, 1 << 64])
@pytest.mark.parametrize("count", [0, 1, 64, 255, 256, 257, 3000])
def test_distinct_of_many(count: int, values: int, bag: bool) -> None:
    source = random.Random(count)
    hashes = [naive.finish(source.randrange(values)) for _ in range(count)]
    expected = naive.hash_bag(hashes) if bag else set(hashes)
    assert call_kernels.first_difference(sorted(call_kernels.distinct(hashes, bag=bag)), sorted(expected)) is None


@pytest.mark.parametrize("bag", [False, True])
def test_distinct_of_hashes_that_collide_in_the_bitmap(bag: bool) -> None:
    hashes = [1 + (n << 30) for n in range(300)] * 2
    expected = naive.hash_bag(hashes) if bag else set(hashes)
    assert call_kernels.first_difference(sorted(call_kernels.distinct(hashes, bag=bag)), sorted(expected)) is None


@pytest.mark.parametrize("count", [32, 64, 128, 256])
def test_distinct_of_hashes_that_only_look_repeated(count: int) -> None:
    """Each hash has a twin that sets the same bit of the bitmap; in a full table the search for one would never end."""
    hashes = [1 + n + (twin << 40) for twin in range(2) for n in range(count)]
    assert sorted(call_kernels.distinct(hashes, bag=False)) == hashes


@given(hashes=strategies.hash_lists)
def test_the_bag_of_one_of_each_is_the_set(hashes: list[int]) -> None:
    once = sorted(set(hashes))
    assert sorted(call_kernels.distinct(once, bag=True)) == once


@given(hashes=strategies.hash_lists)
def test_fingerprint_is_two_sums(hashes: list[int]) -> None:
    assert call_kernels.fingerprint(hashes) == naive.fingerprint(hashes)


@given(hashes=strategies.hash_lists, seed=st.randoms(use_true_random=False))
def test_fingerprint_forgets_the_order(hashes: list[int], seed: random.Random) -> None:
    shuffled = hashes.copy()
    seed.shuffle(shuffled)
    assert call_kernels.fingerprint(shuffled) == call_kernels.fingerprint(hashes)


@given(hashes=st.lists(strategies.hashes, min_size=1, max_size=50))
def test_fingerprint_counts_repetitions(hashes: list[int]) -> None:
    assert call_kernels.fingerprint([*hashes, hashes[0]]) != call_kernels.fingerprint(hashes)


def test_only_no_shingle_has_the_fingerprint_zero() -> None:
    assert call_kernels.fingerprint([]) == (0, 0)
    assert call_kernels.fingerprint([1]) != (0, 0)


@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_base_power(n: int) -> None:
    assert base_power(n) == np.uint64(pow(naive.BASE, n, 1 << 64))


@given(text=strategies.texts.map(lambda text: text[:8]), blanks=st.integers(1, 5))
def test_a_leading_nul_makes_another_shingle_of_a_short_text(text: str, blanks: int) -> None:
    grams = [call_kernels.roll(call_kernels.char_tokens(text), 20) for text in (text, "\0" * blanks + text)]
    assert grams[0] != grams[1]


@pytest.mark.parametrize(("one", "two"), [([5], [0, 5]), ([0], [0, 0]), ([5, 0], [5])])
def test_the_token_zero_counts(one: list[int], two: list[int]) -> None:
    assert call_kernels.roll(call_kernels.number_tokens(one), 3) != call_kernels.roll(
        call_kernels.number_tokens(two), 3
    )
