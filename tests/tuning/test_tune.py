from __future__ import annotations

import itertools
import math
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import call_kernels, strategies

from lookalike.errors import MissingExtraError, RecipeError
from lookalike.features.shinglers import shingler_for
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.lsh.minhash import Signer
from lookalike.options import Sketch
from lookalike.read import Batch
from lookalike.recipe import Recipe
from lookalike.tuning.bandings import bands_for, short_bandings
from lookalike.tuning.tune import FALSE_CANDIDATES, MAX_ROWS, balance, cost, error_areas, tune

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
def test_bands_are_the_fewest_that_suffice(threshold: float, recall: float, rows: int) -> None:
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
    rows = [banding.rows for banding in short_bandings(threshold, recall, FALSE_CANDIDATES, MAX_ROWS)]
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


UNION = 120


def signed_pairs(similarity: float, banding: Banding, sketch: Sketch, count: int) -> int:
    """Return how many of so many pairs of random sets of that similarity share a band, by the real signer."""
    shared = round(similarity * UNION)
    assert math.isclose(shared, similarity * UNION)
    unions = np.random.default_rng(round(100 * similarity)).integers(0, 1 << 62, (count, UNION))
    left = (UNION - shared) // 2
    lists = [part.tolist() for union in unions for part in (union[: left + shared], union[left:])]
    recipe = Recipe(Shingling("tokens", 1), banding, similarity, sketch)
    batch = Batch(0, pa.array(lists, pa.large_list(pa.int64())), None, None)
    keys = Signer(recipe, shingler_for(recipe.shingling)).sign(batch).keys
    return int(np.any(keys[:, ::2] == keys[:, 1::2], axis=0).sum())


@pytest.mark.slow
@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("above", [0.0, 0.05, 0.1])
@pytest.mark.parametrize(("threshold", "recall"), [(0.5, 0.9), (0.7, 0.95), (0.8, 0.99), (0.9, 0.999), (0.3, 0.5)])
@call_kernels.compiled
def test_signed_pairs_at_and_above_the_threshold_are_found(
    threshold: float, recall: float, above: float, sketch: Sketch
) -> None:
    count, banding, similarity = 1500, tune(threshold, recall), round(threshold + above, 2)
    found, p = signed_pairs(similarity, banding, sketch, count), banding.chance(similarity)
    assert found >= count * recall - 5 * math.sqrt(count * recall * (1 - recall))
    if sketch == "classic":
        assert abs(found - count * p) <= 5 * math.sqrt(count * p * (1 - p)) + 1


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
        (0.8, 1, r"^`recall` 1 means an exact search, which has no bands\. Give less, such as 0\.999$"),
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


def test_settings_of_a_sample_need_a_sample() -> None:
    with pytest.raises(TypeError, match="`shingle` is a setting for reading a `sample`"):
        tune(0.8, shingle="words:3")


# The curve


bandings = st.builds(Banding, bands=st.integers(1, 60), rows=st.integers(1, 20))


@given(banding=bandings, chance=st.floats(0, 0.999999))
def test_the_similarity_at_a_chance_has_that_chance(banding: Banding, chance: float) -> None:
    similarity = banding.similarity_at(chance)
    assert 0 <= similarity <= 1
    assert math.isclose(banding.chance(similarity), chance, rel_tol=1e-9, abs_tol=1e-12)


def test_the_ends_of_the_curve() -> None:
    banding = Banding(20, 5)
    assert (banding.similarity_at(0), banding.similarity_at(1)) == (0, 1)
    assert banding.curve(3) == [(0, 0), (0.5, banding.chance(0.5)), (1, 1)]
    assert len(banding.curve()) == 101
    assert banding.curve()[80] == (0.8, banding.chance(0.8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda banding: banding.similarity_at(1.1), r"^`chance` must be in \[0, 1\]\. Got 1\.1$"),
        (lambda banding: banding.similarity_at("0.5"), r"^`chance` must be a number\. Got '0\.5'$"),
        (lambda banding: banding.curve(1), r"^`points` must be a whole number, at least 2\. Got 1$"),
    ],
)
def test_a_bad_question_to_the_curve_is_named(call: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        call(Banding(20, 5))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_plot_is_a_figure_and_a_file(ending: str, tmp_path: Path) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure
    path = tmp_path / f"s.{ending}"
    assert isinstance(tune().plot(path, threshold=0.8), figure)
    assert path.read_bytes()
    assert isinstance(tune().plot(), figure)
    assert list(tmp_path.iterdir()) == [path]


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("lookalike.report")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lookalike\[report\]'"):
        tune().plot()


# Areas and weights


def integral(banding: Banding, low: Fraction, high: Fraction) -> Fraction:
    """Integrate (1 - s^r)^b exactly, by the sum of binomials."""
    powers = ((k, k * banding.rows + 1) for k in range(banding.bands + 1))
    return sum(
        ((-1) ** k * math.comb(banding.bands, k) * (high**power - low**power) / power for k, power in powers),
        Fraction(),
    )


@given(banding=bandings, percent=st.integers(1, 100))
def test_areas_are_the_integrals(banding: Banding, percent: int) -> None:
    threshold = Fraction(percent, 100)
    left, right = error_areas(banding, percent / 100)
    assert math.isclose(left, threshold - integral(banding, Fraction(), threshold), abs_tol=1e-13)
    assert math.isclose(right, integral(banding, threshold, Fraction(1)), abs_tol=1e-13)


@pytest.mark.parametrize(
    ("slots", "threshold", "false_positives", "bands", "rows"),
    [
        (128, 0.1, 0.1, 36, 1), (128, 0.1, 0.5, 64, 2), (128, 0.1, 0.9, 28, 2),
        (128, 0.2, 0.1, 64, 2), (128, 0.2, 0.5, 28, 2), (128, 0.2, 0.9, 27, 3),
        (128, 0.3, 0.1, 32, 2), (128, 0.3, 0.5, 37, 3), (128, 0.3, 0.9, 25, 5),
        (128, 0.4, 0.1, 42, 3), (128, 0.4, 0.5, 32, 4), (128, 0.4, 0.9, 21, 6),
        (128, 0.5, 0.1, 32, 4), (128, 0.5, 0.5, 25, 5), (128, 0.5, 0.9, 16, 8),
        (128, 0.6, 0.1, 25, 5), (128, 0.6, 0.5, 18, 7), (128, 0.6, 0.9, 12, 10),
        (128, 0.7, 0.1, 20, 6), (128, 0.7, 0.5, 14, 9), (128, 0.7, 0.9, 9, 14),
        (128, 0.8, 0.1, 14, 9), (128, 0.8, 0.5, 9, 13), (128, 0.8, 0.9, 6, 21),
        (128, 0.9, 0.1, 8, 16), (128, 0.9, 0.5, 5, 25), (128, 0.9, 0.9, 3, 42),
        (64, 0.3, 0.5, 21, 3), (64, 0.5, 0.5, 14, 4), (64, 0.7, 0.5, 8, 8), (64, 0.8, 0.5, 5, 11),
        (256, 0.3, 0.5, 64, 4), (256, 0.5, 0.5, 42, 6), (256, 0.7, 0.5, 25, 10), (256, 0.8, 0.5, 17, 15),
    ],
)  # fmt: skip
def test_weights_choose_what_datasketch_chooses(
    slots: int, threshold: float, false_positives: float, bands: int, rows: int
) -> None:
    """What MinHashLSH of datasketch 2.0.0 has as b and r; its integrals are numeric, ours exact."""
    assert balance(threshold, weights=(false_positives, 1 - false_positives), slots=slots) == Banding(bands, rows)


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.8])
@pytest.mark.parametrize("weights", [(1, 1), (1, 9), (3, 1)])
def test_nothing_weighs_less(threshold: float, weights: tuple[float, float]) -> None:
    def weight(banding: Banding) -> float:
        return sum(map(float.__mul__, map(float, weights), error_areas(banding, threshold)))

    best = weight(balance(threshold, weights=weights, slots=40))
    assert best == min(weight(Banding(b, r)) for b in range(1, 41) for r in range(1, 40 // b + 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 80}, r"did you mean 0\.80\?$"),
        ({"weights": (0, 1)}, r"^`weights` must be above 0\. Got 0 and 1; only their ratio matters$"),
        ({"weights": (1, math.inf)}, "must be above 0"),
        ({"weights": (1, math.nan)}, "must be above 0"),
        ({"weights": (1,)}, "must be two numbers"),
        ({"weights": (1, "1")}, "must be a number. Got '1'"),
        ({"slots": 0}, r"^`slots` must be a whole number in 1\.\.65536\. Got 0$"),
        ({"slots": 1 << 17}, "Got 131072"),
        ({"slots": 12.5}, r"Got 12\.5"),
    ],
)
def test_a_bad_weight_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        balance(**settings)
