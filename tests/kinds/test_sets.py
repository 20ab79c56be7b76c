"""Sets by every measure: exact pairs and clusters against brute force, and bands that keep their promise."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.found_pairs import found

from lookalike import RecipeError, compare, deduplicate, find_pairs, tune
from lookalike.engines.local import search
from lookalike.exact import prefixes
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import Measure
from lookalike.measures.sets import set_measure
from lookalike.recipe import Recipe

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

Sets = list[set[int]]
SETS = st.lists(st.sets(st.integers(1, 24), min_size=1, max_size=16), max_size=20)
THRESHOLDS = st.sampled_from([0.05, 0.1, 1 / 3, 0.5, 3 / 5, 2 / 3, 0.7, 5 / 7, 0.75, 7 / 9, 0.8, 0.9, 1.0])
MEASURES: dict[str, Callable[[Collection[int], Collection[int]], float]] = {
    "jaccard": naive.jaccard,
    "dice": naive.dice,
    "cosine": naive.cosine,
    "overlap": naive.overlap,
}
BASKETS = [{"milk", "bread", "eggs"}, {"milk", "bread"}, {"beer"}]
PATHS: dict[str, dict[str, Any]] = {
    "usual": {},
    "few slots": {"MAX_SLOTS": 4, "SLOTS_PER_ITEM": 0, "MIN_SLOTS": 4, "MAX_COUNTERS": 2},
    "many shares": {"ENTRIES_AT_A_TIME": 3},
    "short rounds": {"ENTRIES_AT_A_TIME": 3, "ENOUGH": 1},
}
every_measure = pytest.mark.parametrize("measure", MEASURES)
every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)


@pytest.fixture
def changed(path: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in path.items():
        monkeypatch.setattr(search if name == "ENOUGH" else prefixes, name, value)


# measures


@pytest.mark.slow
@every_measure
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS)
def test_exact_pairs_are_those_of_brute_force(measure: str, collection: Sets, threshold: float) -> None:
    truth = naive.all_pairs(collection, threshold, MEASURES[measure])
    assert found(collection, measure=measure, threshold=threshold, recall=1) == truth


@pytest.mark.slow
@every_measure
@SOME
@given(SETS, SETS, THRESHOLDS)
def test_exact_pairs_of_two_collections(measure: str, left: Sets, right: Sets, threshold: float) -> None:
    everything = naive.all_pairs([*left, *right], threshold, MEASURES[measure])
    truth = {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}
    assert found(left, against=right, measure=measure, threshold=threshold, recall=1) == truth


@pytest.mark.slow
@every_measure
@SOME
@given(SETS, THRESHOLDS)
def test_clusters_are_those_of_brute_force(measure: str, collection: Sets, threshold: float) -> None:
    result = deduplicate(collection, cluster="chain", measure=measure, threshold=threshold, recall=1)
    roots = naive.components(len(collection), naive.all_pairs(collection, threshold, MEASURES[measure]))
    assert result.mask.tolist() == [root == item for item, root in enumerate(roots)]


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS)
def test_containment_is_of_the_left_in_the_right(collection: Sets, threshold: float) -> None:
    truth = {
        (i, j): share
        for i, one in enumerate(collection)
        for j, two in enumerate(collection)
        if i != j and (share := naive.containment(one, two)) >= threshold
    }
    assert found(collection, measure="containment", threshold=threshold) == truth


@SOME
@given(SETS, SETS, THRESHOLDS)
def test_containment_in_another_collection(left: Sets, right: Sets, threshold: float) -> None:
    truth = {
        (i, j): share
        for i, one in enumerate(left)
        for j, two in enumerate(right)
        if (share := naive.containment(one, two)) >= threshold
    }
    assert found(left, against=right, measure="containment", threshold=threshold) == truth


def test_a_small_set_is_found_in_a_very_large_one() -> None:
    rng = np.random.default_rng(3)
    large = [set(rng.integers(0, 1 << 40, 20_000).tolist()) for _ in range(20)]
    small = [set(list(one)[:10]) for one in large]
    pairs = found(small + large, measure="containment", threshold=0.9)
    assert pairs == {(i, 20 + i): 1.0 for i in range(20)}


def test_clusters_of_containment_have_the_better_of_both_ways() -> None:
    pairs = find_pairs([{1, 2, 3, 4}, {1, 2}, {1, 2, 3, 9}], measure="containment", threshold=0.5)
    assert [row[3] for row in pairs.clusters()] == [1.0, 1.0, 0.75]
    result = deduplicate([{1, 2, 3, 4}, {1, 2}], measure="containment", threshold=1, keep="longest")
    assert result.kept == [{1, 2, 3, 4}]
    assert [row[3] for row in result.clusters] == [1.0, 1.0]


@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine"])
@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_bands_keep_their_promise(measure: str, threshold: float) -> None:
    """Pairs at the threshold, made as unlike in size as the measure allows: there bands find the fewest."""
    rng = np.random.default_rng(11)
    size = 100
    smaller = {"jaccard": threshold, "dice": threshold / (2 - threshold), "cosine": threshold**2}[measure] * size
    collection = []
    for _ in range(1000):
        one = rng.integers(0, 1 << 60, size).tolist()
        collection += [set(one), set(one[: int(np.ceil(smaller - 1e-9))])]
    banding = tune(threshold, 0.95, measure=measure)
    pairs = find_pairs(collection, measure=measure, threshold=threshold, bands=banding.bands, rows=banding.rows)
    assert pairs.summary.bands > 0
    missed = 1000 - len(pairs)
    assert missed <= 50 + 4 * np.sqrt(1000 * 0.05 * 0.95)
    assert pairs.summary.recall >= 0.95


@every_measure
@given(shared=st.integers(0, 30), left=st.integers(1, 60), right=st.integers(1, 60))
def test_min_jaccard_is_a_lower_bound(measure: Any, shared: int, left: int, right: int) -> None:
    shared = min(shared, left, right)
    similarity = Measure(measure).similarity(shared, left, right)
    assert (
        shared / (left + right - shared)
        >= set_measure(Recipe(Shingling("elements", 1), None, measure=Measure(measure))).min_jaccard(similarity) - 1e-12
    )


def test_tune_knows_measures() -> None:
    assert tune(0.8, measure="dice") == tune(0.8 / 1.2)
    assert tune(0.8, measure="cosine") == tune(0.8 * 0.8)
    with pytest.raises(RecipeError, match="always exact"):
        tune(0.8, measure="overlap")


def test_overlap_has_no_bands() -> None:
    assert find_pairs(BASKETS, measure="overlap").summary.exact
    with pytest.raises(RecipeError, match="Leave `bands` and `rows` out"):
        find_pairs(BASKETS, measure="containment", bands=10, rows=2)


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(RecipeError, match="must be jaccard, dice, cosine, overlap or containment for sets"):
        find_pairs(BASKETS, measure="cos")


def test_texts_by_another_measure() -> None:
    one, two = "the cat sat on the mat", "the cat sat on the mat and then it slept"
    assert found([one, two], measure="containment", threshold=0.9, shingle="words:2") == {(0, 1): 1.0}
    assert compare(one, two, measure="containment", shingle="words:2").similarity == 1.0
    assert compare(two, one, measure="containment", shingle="words:2").similarity == 5 / 9
    assert compare(one, two, measure="dice", shingle="words:2").similarity == 10 / 14


def test_measured_recall_is_by_the_measure() -> None:
    rng = np.random.default_rng(5)
    collection = [set(rng.integers(0, 60, 20).tolist()) for _ in range(300)]
    pairs = find_pairs(collection, measure="cosine", threshold=0.6, measure_recall=300, recall=0.9)
    truth = naive.all_pairs(collection, 0.6, naive.cosine)
    assert pairs.summary.measured is not None
    overall = pairs.summary.measured.overall
    assert overall.pairs == 2 * len(truth) > 0
    assert overall.found == 2 * len(pairs)


def test_a_recipe_remembers_its_measure() -> None:
    recipe = Recipe(banding=Banding(10, 2), threshold=0.7, measure=Measure("cosine"))
    assert Recipe.from_json(recipe.to_json()) == recipe
    before = json.loads(recipe.to_json())
    del before["measure"]
    assert Recipe.from_json(json.dumps(before)).measure == Measure("jaccard")


def test_zeros_at_the_end_of_an_element_count() -> None:
    sets = [{"a", "x"}, {"a\0", "x"}, {"a\0\0", "x"}, {"", "x"}, {"\0", "x"}]
    assert [similarity for *_, similarity in find_pairs(sets, threshold=0.1, recall=1)] == [1 / 3] * 10
