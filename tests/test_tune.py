from __future__ import annotations

import itertools
import math
import random

import naive
import pytest
import strategies
from hypothesis import given, settings

from lookalike.errors import RecipeError
from lookalike.recipe import Banding
from lookalike.tune import bands_for, choices, cost, tune

THRESHOLDS = [0.1, 0.2, 0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0]
RECALLS = [0.01, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.999999]
grid = pytest.mark.parametrize(("threshold", "recall"), list(itertools.product(THRESHOLDS, RECALLS)))


@grid
def test_the_promise_is_kept_at_the_threshold(threshold: float, recall: float) -> None:
    assert tune(threshold, recall).chance(threshold) >= recall


@grid
def test_the_promise_is_kept_with_sixty_digits(threshold: float, recall: float) -> None:
    banding = tune(threshold, recall)
    assert naive.keeps_promise(threshold, recall - 1e-15, banding.bands, banding.rows)


@grid
def test_one_band_less_would_break_the_promise(threshold: float, recall: float) -> None:
    bands, rows = (banding := tune(threshold, recall)).bands, banding.rows
    assert bands == 1 or not naive.keeps_promise(threshold, recall + 1e-15, bands - 1, rows)


@settings(max_examples=30)
@given(threshold=strategies.thresholds, recall=strategies.recalls)
def test_any_promise_is_kept(threshold: float, recall: float) -> None:
    banding = tune(threshold, recall)
    assert naive.keeps_promise(threshold, recall - 1e-12, banding.bands, banding.rows)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("recall", [0.5, 0.75, 0.95, 0.99])
def test_bands_are_the_least(threshold: float, recall: float, rows: int) -> None:
    assert bands_for(threshold, recall, rows) == naive.least_bands(threshold, recall, rows)


@pytest.mark.parametrize(("threshold", "recall"), [(0.5, 0.9), (0.7, 0.95), (0.8, 0.99), (0.9, 0.99)])
def test_nothing_cheaper_keeps_the_promise(threshold: float, recall: float) -> None:
    best = cost(tune(threshold, recall), threshold)
    for rows in range(1, 40):
        least = naive.least_bands(threshold, recall, rows)
        if least * rows > best:
            break
        assert cost(Banding(least, rows), threshold) >= best


@pytest.mark.parametrize(("threshold", "recall"), [(0.5, 0.9), (0.8, 0.99)])
def test_choices_have_every_number_of_rows_once(threshold: float, recall: float) -> None:
    rows = [banding.rows for banding in choices(threshold, recall)]
    assert rows == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(("threshold", "recall"), [(0.5, 0.9), (0.8, 0.95)])
def test_simulated_pairs_at_the_threshold_are_found(threshold: float, recall: float) -> None:
    source, trials = random.Random(1), 2000
    banding = tune(threshold, recall)

    def meets() -> bool:
        rows = range(banding.rows)
        return any(all(source.random() < threshold for _ in rows) for _ in range(banding.bands))

    found, p = sum(meets() for _ in range(trials)), banding.chance(threshold)
    assert abs(found - trials * p) <= 5 * math.sqrt(trials * p * (1 - p))
    assert found >= trials * recall - 5 * math.sqrt(trials * recall * (1 - recall))


@pytest.mark.parametrize(
    ("threshold", "recall", "bands", "rows"),
    [(0.5, 0.99, 35, 3), (0.7, 0.99, 26, 5), (0.8, 0.99, 20, 7), (0.9, 0.99, 11, 10)],
)
def test_golden_bandings(threshold: float, recall: float, bands: int, rows: int) -> None:
    assert tune(threshold, recall) == Banding(bands, rows)


def test_defaults() -> None:
    assert tune() == tune(threshold=0.8, recall=0.99)


@pytest.mark.parametrize(
    ("threshold", "recall", "message"),
    [
        (80, 0.99, r"^`threshold` must be in \(0, 1\]\. Got 80; did you mean 0\.80\?$"),
        (0, 0.99, r"^`threshold` must be in \(0, 1\]\. Got 0$"),
        (-0.5, 0.99, r"^`threshold` must be in \(0, 1\]\. Got -0\.5$"),
        (math.nan, 0.99, r"^`threshold` must be in \(0, 1\]\. Got nan$"),
        (0.8, 99, r"^`recall` must be in \(0, 1\]\. Got 99; did you mean 0\.99\?$"),
        (0.8, 0, r"^`recall` must be in \(0, 1\]\. Got 0$"),
        (0.8, 1, r"^`recall` 1 means an exact search, which has no bands\. Ask for less, such as 0\.999$"),
        (0.8, math.nan, r"^`recall` must be in \(0, 1\]\. Got nan$"),
    ],
)
def test_a_bad_value_is_named(threshold: float, recall: float, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        tune(threshold, recall)


@pytest.mark.parametrize("threshold", [1e-5, 1e-9, 1e-18, 1e-300, 5e-324])
def test_a_threshold_out_of_reach_is_refused(threshold: float) -> None:
    with pytest.raises(RecipeError):
        tune(threshold)
