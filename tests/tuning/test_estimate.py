"""Estimates from a sample: against the truth, against real runs, and invalid requests."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from support import call_kernels
from support.paths import ARTICLES

from lookalike import Banding, InputError, LookalikeError, RecipeError, estimate_costs, find_pairs, tune
from lookalike.tuning.bandings import short_bandings
from lookalike.tuning.estimate import Estimate
from lookalike.tuning.tune import FALSE_CANDIDATES, MAX_ROWS

UNION = 200
TOKENS: dict[str, Any] = {"shingle": "tokens:1", "threshold": 0.6, "sketch": "classic"}


def couples(count: int) -> list[list[int]]:
    """Return sets that come in twos of a similarity from 0.1 to 0.9, and share nothing with any other."""
    source = random.Random(1)
    sets = []
    for couple in range(count):
        shared = source.randrange(UNION // 10, UNION * 9 // 10)
        left = (UNION - shared) // 2
        union = list(range(couple * UNION, (couple + 1) * UNION))
        sets += [union[: left + shared], union[left:]]
    return sets


def similarities(sets: list[list[int]]) -> list[float]:
    """Return the similarity of each couple."""
    both = zip(sets[::2], sets[1::2], strict=True)
    return [len({*one} & {*two}) / len({*one} | {*two}) for one, two in both]


@pytest.fixture(scope="module")
def sets() -> list[list[int]]:
    return couples(600)


# Against the truth


def test_a_sample_of_all_items_is_the_truth(sets: list[list[int]]) -> None:
    found = estimate_costs(sets, sample_size=len(sets), **TOKENS)
    truth = similarities(sets)
    assert (found.items, found.compared, found.sampled) == (1200, 1200, 1200)
    assert found.shingles == sum(map(len, sets)) / len(sets)
    for one in found.bins:
        inside = sum(one.low <= similarity < one.high for similarity in truth)
        assert (one.sampled, one.pairs, one.error) == (2 * inside, inside, 0)
    for cost in found.costs:
        chances = {similarity: cost.banding.chance(similarity) for similarity in truth}
        expected = sum(chances[similarity] for similarity in truth)
        vain = sum(chances[similarity] for similarity in truth if similarity < 0.6)
        assert math.isclose(cost.candidates, expected, rel_tol=1e-3)
        assert math.isclose(cost.false_candidates, vain, rel_tol=1e-3)
        assert cost.error == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_smaller_sample_is_within_its_error(sets: list[list[int]], seed: int) -> None:
    found = estimate_costs(sets, sample_size=300, seed=seed, **TOKENS)
    truth = similarities(sets)
    assert found.sampled == 300
    for one in found.bins:
        inside = sum(one.low <= similarity < one.high for similarity in truth)
        assert abs(one.pairs - inside) <= 5 * one.error
        assert math.isclose(one.pairs, one.sampled * 2)
    for cost in found.costs:
        expected = sum(map(cost.banding.chance, truth))
        assert 0 < cost.error < expected
        assert abs(cost.candidates - expected) <= 5 * cost.error


def test_the_threshold_is_a_bound_of_the_bins() -> None:
    found = estimate_costs([[1, 2, 3], [1, 2, 4], [5]], shingle="tokens:1", threshold=0.55)
    bounds = [one.low for one in found.bins] + [found.bins[-1].high]
    assert bounds == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1]
    assert [one.pairs for one in found.bins] == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_a_pair_right_at_the_threshold_is_not_in_vain() -> None:
    for threshold, vain in ((0.5, 0), (0.500001, 1)):
        found = estimate_costs([[1, 2, 3], [1, 2, 4]], shingle="tokens:1", threshold=threshold)
        assert found.best.candidates > 0
        assert found.best.false_candidates == vain * found.best.candidates


def test_copies_and_empty_items_are_not_compared() -> None:
    texts = ["a b c", "A b, c!", None, "", "a b d", "x y z"]
    found = estimate_costs(texts, shingle="words:1", threshold=0.4)
    assert (found.items, found.compared, found.sampled) == (6, 3, 3)
    assert sum(one.pairs for one in found.bins) == 1


def test_a_bin_without_pairs_does_not_claim_to_be_sure() -> None:
    found = estimate_costs([[i] for i in range(100)], shingle="tokens:1", sample_size=10)
    assert {(one.pairs, one.error) for one in found.bins} == {(0, 5)}


def test_a_single_item_gives_no_error_estimate() -> None:
    found = estimate_costs(couples(10), sample_size=1, **TOKENS)
    assert found.best.error == math.inf
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["costs"][0]["error"] is None


def test_pairs_at_the_threshold_1_are_not_false() -> None:
    found = estimate_costs(["a b a b", "a b a b a b", "c d"], shingle="words:2", threshold=1.0).best
    assert (found.candidates, found.false_candidates) == (1.0, 0.0)


# Against real runs


@pytest.mark.slow
@call_kernels.compiled
@pytest.mark.parametrize("rows", [2, 4, 6])
def test_runs_have_the_candidates_expected(sets: list[list[int]], rows: int) -> None:
    """Couples meet independently of each other, so the number of candidates is a sum of Bernoulli variables."""
    found = estimate_costs(sets, sample_size=len(sets), **TOKENS)
    cost = found.costs[rows - 1]
    banding = cost.banding
    real = find_pairs(sets, bands=banding.bands, rows=banding.rows, **TOKENS).summary.candidates
    variance = sum(p * (1 - p) for p in map(banding.chance, similarities(sets)))
    assert abs(real - cost.candidates) <= 5 * math.sqrt(variance)


@call_kernels.compiled
def test_runs_on_real_text_have_the_candidates_expected_on_average() -> None:
    """Texts meet in clumps, so the spread is that of the runs themselves; it is a tenth of the number at most."""
    found = estimate_costs(ARTICLES, threshold=0.5, sample_size=1000)
    assert found.sampled == found.compared
    settings: Any = {"threshold": 0.5, "bands": found.banding.bands, "rows": found.banding.rows, "sketch": "classic"}
    real = [find_pairs(ARTICLES, seed=seed, **settings).summary.candidates for seed in range(1, 13)]
    spread = np.std(real, ddof=1)
    assert abs(np.mean(real) - found.best.candidates) <= 5 * spread / math.sqrt(len(real))
    assert spread < 0.1 * found.best.candidates


# The choice


def test_the_cheapest_is_chosen(sets: list[list[int]]) -> None:
    found = estimate_costs(sets, recall=0.95, **TOKENS)
    assert [cost.banding for cost in found.costs] == short_bandings(0.6, 0.95, FALSE_CANDIDATES, MAX_ROWS)
    assert found.best.seconds == min(cost.seconds for cost in found.costs)
    assert found.banding == found.best.banding
    assert found.banding.chance(0.6) >= found.recall == 0.95
    assert tune(0.6, 0.95, sample=sets, shingle="tokens:1", sketch="classic") == found.banding


def test_many_false_candidates_ask_for_more_rows() -> None:
    source = random.Random(2)
    apart = [[source.getrandbits(60) for _ in range(60)] for _ in range(3000)]
    alike = [[*range(40), *(source.getrandbits(60) for _ in range(20))] for _ in range(3000)]
    few, many = (estimate_costs(items, shingle="tokens:1", threshold=0.8).banding.rows for items in (apart, alike))
    assert few < tune(0.8).rows < many


def test_the_classic_sketch_asks_for_shorter_signatures() -> None:
    source = random.Random(3)
    items = [[*range(100), *(source.getrandbits(60) for _ in range(400))] for _ in range(500)]
    fast, classic = (
        estimate_costs(items, shingle="tokens:1", sketch=sketch).banding.slots for sketch in ("fast", "classic")
    )
    assert classic < fast


def test_parts_add_up_and_other_bandings_have_a_cost(sets: list[list[int]]) -> None:
    found = estimate_costs(sets, **TOKENS)
    for cost in found.costs:
        assert found.cost(cost.banding) == cost
        assert cost.seconds == cost.sign + cost.sort + cost.meet + cost.verify
        assert min(cost.sign, cost.sort, cost.meet, cost.verify) >= 0
    assert found.cost(Banding(20, 5)).banding == Banding(20, 5)


def test_the_same_sample_each_time(sets: list[list[int]]) -> None:
    one, two, other = (
        estimate_costs(sets, sample_size=100, threads=threads, seed=seed, **TOKENS).to_dict()
        for threads, seed in ((1, 1), (3, 1), (1, 2))
    )
    assert one == two != other


def test_an_estimate_is_plain_values_and_a_sentence(sets: list[list[int]]) -> None:
    found = estimate_costs(sets, **TOKENS)
    plain = json.loads(json.dumps(found.to_dict()))
    assert Banding(plain["bands"], plain["rows"]) == found.banding
    assert [cost["rows"] for cost in plain["costs"]] == [cost.banding.rows for cost in found.costs]
    assert plain["bins"][0].keys() == {"low", "high", "sampled", "pairs", "error"}
    assert str(found).startswith("Estimate from 500 of 1,200 items: ")
    assert len(repr(found)) < 200
    assert isinstance(found, Estimate)


# What nobody should ask


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"sample_size": 0}, RecipeError, r"^`sample_size` must be a whole number, at least 1\. Got 0$"),
        ({"sample_size": 2.5}, RecipeError, r"Got 2\.5$"),
        ({"bands": 20, "rows": 5}, RecipeError, "An estimate chooses `bands` and `rows`"),
        ({"recall": 1}, RecipeError, "an exact search, which has no bands"),
        ({"threshold": 80}, RecipeError, r"did you mean 0\.80"),
        ({"shingle": "words"}, RecipeError, "words:n"),
    ],
)
def test_invalid_requests(settings: dict[str, Any], kind: type[LookalikeError], message: str) -> None:
    with pytest.raises(kind, match=message):
        estimate_costs(["a b"], **settings)


@pytest.mark.parametrize("items", [[], ["", None]])
def test_nothing_to_sample(items: list[str | None]) -> None:
    with pytest.raises(InputError, match="There is nothing to sample: no item has a shingle"):
        estimate_costs(items)
