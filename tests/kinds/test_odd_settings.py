"""Settings that do not go with a kind of items, or have the wrong type: refused with a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookalike import Measure, RecipeError, balance, deduplicate, estimate_costs, find_pairs, nearest, tune
from lookalike.tuning.cost import TEXTS, SetCosts

VECTORS = np.eye(3)
BITS = [b"12345678", b"12345679"]


@pytest.mark.parametrize("keep", ["longest", "shortest"])
@pytest.mark.parametrize(("items", "settings"), [(VECTORS, {}), (BITS, {"measure": "hamming", "threshold": 3})])
def test_items_of_one_length_are_not_kept_by_length(items: Any, settings: dict[str, Any], keep: str) -> None:
    with pytest.raises(RecipeError, match=f"`keep` must be first, last, max:COLUMN or min:COLUMN .* Got {keep}"):
        deduplicate(items, keep=keep, **settings)


@pytest.mark.parametrize("name", [["jaccard"], {"a": 1}, 3, "nope"])
def test_a_measure_is_a_name(name: Any) -> None:
    for call in (lambda: find_pairs(["a"], measure=name), lambda: Measure(name), lambda: tune(0.5, measure=name)):
        with pytest.raises(RecipeError, match="`measure` must be jaccard, dice, cosine, overlap or containment"):
            call()


def test_numbers_are_numbers() -> None:
    with pytest.raises(RecipeError, match=r"`tolerance` must be a number\. Got 'a'"):
        find_pairs(VECTORS, measure="agreement", tolerance="a")  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match=r"`recall` must be a number\. Got 'a'"):
        nearest(VECTORS, recall="a")  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match=r"`batch_bytes` must be a whole number, at least 1\. Got 'a'"):
        find_pairs(["a"], batch_bytes="a")  # type: ignore[arg-type]


def test_weights_of_errors_are_two_numbers() -> None:
    for weights in (3, (1, 2, 3)):
        with pytest.raises(RecipeError, match="`weights` must be two numbers"):
            balance(0.5, weights=weights)  # type: ignore[arg-type]


def test_a_long_table_of_weights_needs_their_column() -> None:
    with pytest.raises(RecipeError, match="`weight` must be the column of weights of a long table"):
        find_pairs([{"a": 1}], item="i", element="e", shingle="weights")


def test_measures_are_written_as_they_are_made() -> None:
    assert repr(Measure("cosine")) == "Measure(name='cosine', of='sets', tolerance=None, bits=0)"
    assert repr(Measure("hamming", "bits", bits=64)) == "Measure(name='hamming', of='bits', tolerance=None, bits=64)"


def test_an_estimate_prices_sets_as_texts() -> None:
    found = estimate_costs([{1, 2, 3}, {1, 2, 4}, {5, 6}], threshold=0.5)
    costs = found._costs
    assert isinstance(costs, SetCosts)
    assert costs.rates == TEXTS
