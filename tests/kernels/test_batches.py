"""The kernels that take a batch of items, called as the stages call them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import naive
import naive.words
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.features.shinglers import shingler_for
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.lsh.minhash import Signed, Signer
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from lookalike.read import Batch

kinds = st.sampled_from(["words", "chars", "bytes"])
sizes = st.integers(1, 6)
batches = st.lists(strategies.texts, max_size=8)
token_lists = st.lists(st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(0, 3), max_size=20), max_size=8)


def tokens_of(text: str, shingling: Shingling) -> list[int]:
    if shingling.kind == "words":
        words = naive.words.words(text, lower=shingling.lower, punctuation=shingling.punctuation)
        return [naive.hash_word(word) for word in words]
    return [naive.hash_number(number) for number in (map(ord, text) if shingling.kind == "chars" else text.encode())]


def element_lists(items: pa.Array, shingling: Shingling) -> list[list[int]]:
    """Make the sets of all items in one batch, each as a sorted list."""
    shingler = shingler_for(shingling)
    columns = shingler.columns(items)
    bounds = np.stack((columns.offsets[:-1], columns.offsets[1:]), axis=1)
    elements, counts = shingler.sets(columns.data, bounds)
    return (
        [sorted(call_kernels.ints(part)) for part in np.split(elements, np.cumsum(counts)[:-1])] if len(items) else []
    )


def sign(items: pa.Array, recipe: Recipe) -> Signed:
    batch = cast("Batch", SimpleNamespace(items=items))
    return Signer(recipe, shingler_for(recipe.shingling)).sign(batch)


def expected_set(tokens: list[int], shingling: Shingling) -> list[int]:
    grams = naive.hash_grams(tokens, shingling.size)
    return sorted(naive.hash_bag(grams) if shingling.bag else set(grams))


@pytest.mark.slow
@given(texts=batches, kind=kinds, size=sizes, bag=st.booleans())
def test_sets_of_texts(texts: list[str], kind: Any, size: int, bag: bool) -> None:
    shingling = Shingling(kind=kind, size=size, bag=bag)
    expected = [expected_set(tokens_of(text, shingling), shingling) for text in texts]
    assert element_lists(pa.array(texts, pa.string()), shingling) == expected


@pytest.mark.slow
@given(texts=batches, lower=st.booleans(), punctuation=st.booleans())
def test_sets_of_words_with_switches(texts: list[str], lower: bool, punctuation: bool) -> None:
    shingling = Shingling(size=2, lower=lower, punctuation=punctuation)
    expected = [expected_set(tokens_of(text, shingling), shingling) for text in texts]
    assert element_lists(pa.array(texts, pa.large_string()), shingling) == expected


@pytest.mark.slow
@given(lists=token_lists, size=sizes, bag=st.booleans())
def test_sets_of_token_ids(lists: list[list[int]], size: int, bag: bool) -> None:
    shingling = Shingling(kind="tokens", size=size, bag=bag)
    expected = [expected_set([naive.hash_number(number) for number in numbers], shingling) for numbers in lists]
    assert element_lists(pa.array(lists, pa.list_(pa.int64())), shingling) == expected


@pytest.mark.slow
@given(texts=batches, size=sizes, sketch=st.sampled_from(["fast", "classic"]), seed=st.integers(0, 1000))
def test_keys_and_fingerprints_of_texts(texts: list[str], size: int, sketch: Any, seed: int) -> None:
    recipe = Recipe(Shingling(size=size), Banding(4, 3), sketch=sketch, seed=seed)
    signed = sign(pa.array(texts, pa.string()), recipe)
    multipliers = naive.odd_numbers(seed, 24)
    reference = naive.fast_sketch if sketch == "fast" else naive.classic_sketch
    for item, text in enumerate(texts):
        grams = naive.hash_grams(tokens_of(text, recipe.shingling), size)
        keys = naive.band_keys(reference(grams, multipliers, 12), 3) if grams else [0] * 4
        assert call_kernels.ints(signed.keys[:, item]) == keys
        assert tuple(call_kernels.ints(signed.prints[item])) == naive.fingerprint(grams)
        assert signed.counts[item] == len(grams)


@pytest.mark.slow
@given(texts=batches, data=st.data())
def test_splits_and_slices_do_not_matter(texts: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(texts)))
    recipe = Recipe(Shingling(size=2), Banding(3, 2))
    whole = pa.array(["before", *texts, "after"], pa.string())
    parts = (whole.slice(0, cut + 1), whole.slice(cut + 1))
    together = sign(whole, recipe)
    apart = [sign(part, recipe) for part in parts]
    assert np.array_equal(np.concatenate([signed.keys for signed in apart], axis=1), together.keys)
    assert np.array_equal(np.concatenate([signed.prints for signed in apart]), together.prints)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["words", "chars", "bytes"])
def test_null_and_empty_texts_have_no_shingles(kind: Any) -> None:
    recipe = Recipe(Shingling(kind=kind, size=3), Banding(3, 2))
    signed = sign(pa.array([None, "", "a", None]), recipe)
    assert call_kernels.ints(signed.counts) == [0, 0, 1, 0]
    assert [bool(column.any()) for column in signed.keys.T] == [False, False, True, False]


@pytest.mark.slow
def test_a_batch_without_items() -> None:
    assert sign(pa.array([], pa.string()), Recipe()).keys.shape == (20, 0)


@pytest.mark.slow
@call_kernels.compiled
def test_long_texts_after_short_ones() -> None:
    """Buffers grow with the longest text so far, and leave nothing behind for the next."""
    shingling = Shingling(size=2)
    texts = ["a b c", "word " * 40_000, "é" * 70_000, "中" * 70_000, "", "a b c", "!" * 200_000]
    for text, elements in zip(texts, element_lists(pa.array(texts), shingling), strict=True):
        assert call_kernels.first_difference(elements, expected_set(tokens_of(text, shingling), shingling)) is None
