"""One suite over every kind and every engine: what must hold whatever the items are and wherever they are compared.

A kind joins by a line in `samples.SAMPLES`, an engine by a line in `lookalike.engines.base.ENGINES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import naive
import pytest

from conformance.samples import SAMPLES, Sample
from conformance.toys import TOYS, installed
from lookalike import Index, RecipeError, compare
from lookalike.engines.base import ENGINES, Engine, engine_named
from lookalike.plan import kind_asked

if TYPE_CHECKING:
    from lookalike.options import Settings

ALL = {**SAMPLES, **TOYS}


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    """Have the toys registered."""
    with installed():
        yield


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return an engine."""
    return engine_named(request.param)


@pytest.fixture(params=ALL)
def sample(request: pytest.FixtureRequest) -> Sample:
    """Return items of a kind."""
    return ALL[request.param]()


def values(sample: Sample) -> dict[tuple[int, int], float]:
    """Return the value of every two items that can be compared, by `compare`."""
    found = {}
    for (i, one), (j, two) in combinations(enumerate(sample.items), 2):
        if one and two:
            result = compare(one, two, **sample.settings)
            found[i, j] = (result.value, result.is_pair)
    return {pair: value for pair, (value, is_pair) in found.items() if is_pair}


def pairs_of(found: Any) -> dict[tuple[int, int], float]:
    """Return pairs as a dict."""
    return {(left, right): value for left, right, value in found}


def test_exact_copies_are_the_items_that_are_equal(engine: Engine, sample: Sample) -> None:
    kind = kind_asked(cast("Settings", sample.settings)) or "texts"
    items = enumerate([*sample.items, *sample.items[3:6]])
    equal = {(i, j): 1.0 for (i, one), (j, two) in combinations(items, 2) if one is not None and one == two}
    found = engine.find_pairs([*sample.items, *sample.items[3:6]], shingle=f"whole-{kind}")
    assert pairs_of(found) == equal
    assert len(equal) >= 3
    assert found.summary.candidates == 0
    kept = engine.deduplicate([*sample.items, *sample.items[3:6]], shingle=f"whole-{kind}")
    assert kept.summary.removed == len({right for _, right in equal})


@pytest.mark.slow
def test_an_exact_search_finds_what_compare_calls_pairs(engine: Engine, sample: Sample) -> None:
    assert pairs_of(engine.find_pairs(sample.items, recall=1.0, **sample.settings)) == values(sample)


def test_bands_find_true_pairs_with_exact_scores(engine: Engine, sample: Sample) -> None:
    truth = pairs_of(engine.find_pairs(sample.items, recall=1.0, **sample.settings))
    found = engine.find_pairs(sample.items, **sample.settings)
    assert pairs_of(found).items() <= truth.items()
    assert len(found) >= 0.9 * len(truth)
    if found.recipe.measure.banded:
        given = engine.find_pairs(sample.items, bands=12, rows=2, **sample.settings)
        assert given.summary.bands == 12
        assert pairs_of(given).items() <= truth.items()


def test_results_do_not_depend_on_threads_or_batches(engine: Engine, sample: Sample) -> None:
    results = [
        engine.find_pairs(sample.items, threads=threads, batch_bytes=size, **sample.settings)
        for threads, size in ((1, 1 << 20), (3, 200))
    ]
    assert list(results[0]) == list(results[1])
    assert results[0].recipe == results[1].recipe


def test_two_collections_give_the_pairs_across(engine: Engine, sample: Sample) -> None:
    cut = len(sample.items) // 2
    within = pairs_of(engine.find_pairs(sample.items, recall=1.0, **sample.settings))
    across = engine.find_pairs(sample.items[:cut], against=sample.items[cut:], recall=1.0, **sample.settings)
    assert pairs_of(across) == {(i, j - cut): value for (i, j), value in within.items() if i < cut <= j}


@pytest.mark.parametrize("keep", ["first", "last"])
def test_every_chain_keeps_one_item(engine: Engine, sample: Sample, keep: str) -> None:
    result = engine.deduplicate(sample.items, keep=keep, cluster="chain", recall=1.0, **sample.settings)
    pairs = engine.find_pairs(sample.items, recall=1.0, **sample.settings)
    assert result.summary.kept + result.summary.removed == len(sample.items)
    clusters = components(len(sample.items), [(left, right) for left, right, _ in pairs])
    keepers = {max(one) if keep == "last" else min(one) for one in clusters}
    assert set(result.mask.nonzero()[0].tolist()) == keepers
    assert result.summary.nulls == sum(item is None for item in sample.items)


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("search", [{"recall": 1.0}, {}])
def test_stars_are_those_of_the_pairs(engine: Engine, sample: Sample, keep: str, search: dict[str, float]) -> None:
    settings = {**sample.settings, **search, "threshold": sample.lower}
    pairs = engine.find_pairs(sample.items, **settings)
    measure, places = pairs.recipe.measure, range(len(sample.items))
    similar = {(left, right): measure.score(value) for left, right, value in pairs}
    expected = naive.stars(places[::-1] if keep == "last" else places, similar)
    result = engine.deduplicate(sample.items, keep=keep, **settings)
    assert {place: place for place in places} | {item: keeper for item, _, keeper, *_ in result.clusters} == expected
    for item, _, keeper, value, kept in result.clusters:
        assert kept or measure.score(value) == similar[min(item, keeper), max(item, keeper)]
    assert result.summary.below_threshold == 0
    assert result.summary.cluster == "star"


def components(count: int, pairs: list[tuple[int, int]]) -> list[set[int]]:
    """Return the connected components, from the definition."""
    clusters = {i: {i} for i in range(count)}
    for left, right in pairs:
        union = clusters[left] | clusters[right]
        for one in union:
            clusters[one] = union
    return [set(one) for one in {frozenset(cluster) for cluster in clusters.values()}]


def test_the_nearest_are_the_best_of_all(engine: Engine, sample: Sample) -> None:
    k = 3
    found = engine.nearest(sample.items, k, recall=1.0, **{**sample.settings, "threshold": sample.lower})
    truth = pairs_of(engine.find_pairs(sample.items, recall=1.0, **{**sample.settings, "threshold": sample.lower}))
    measure = found.recipe.measure
    best: dict[int, list[float]] = {}
    for (left, right), value in truth.items():
        for one in (left, right):
            best.setdefault(one, []).append(measure.score(value))
    expected = {one: sorted(scores, reverse=True)[:k] for one, scores in best.items()}
    table = found.to_arrow()
    given: dict[int, list[float]] = {}
    for left, value in zip(table["left"].to_pylist(), table[measure.column].to_pylist(), strict=True):
        given.setdefault(left, []).append(measure.score(value))
    assert given == expected


def test_recall_is_measured_and_examples_are_shown(engine: Engine, sample: Sample) -> None:
    found = engine.find_pairs(sample.items, measure_recall=1000, examples=1, **sample.settings)
    measured = found.summary.measured
    assert measured is not None
    assert measured.overall.recall is not None
    assert measured.overall.recall >= 0.9
    assert measured.complete
    assert all(example.left.text for example in found.examples)
    assert found.examples


def test_an_index_answers_as_a_run_does(sample: Sample, tmp_path: Path) -> None:
    truth = pairs_of(engine_named("local").find_pairs(sample.items, recall=1.0, **sample.settings))
    with Index.create(tmp_path / "i", recall=1.0, **sample.settings) as index:
        index.add(range(len(sample.items)), sample.items)
    with Index.open(tmp_path / "i") as index:
        found = index.query_many(sample.items, top=None)
        pairs = {}
        for query in range(len(sample.items)):
            for match in found[query]:
                if query < match.id:
                    pairs[query, match.id] = match.value
        assert pairs == truth
        (left, right), value = next(iter(truth.items()))
        assert index.explain(sample.items[left], right).value == value
        assert index.get(left) is not None
        index.delete([right])
        assert right not in [match.id for match in index.query(sample.items[left], top=None)]


def test_an_index_with_bands_finds_true_pairs(sample: Sample, tmp_path: Path) -> None:
    exact = engine_named("local").find_pairs(sample.items, recall=1.0, **sample.settings)
    if not exact.recipe.measure.banded:
        with pytest.raises(RecipeError, match="always exact"):
            Index.create(tmp_path / "i", bands=12, rows=2, **sample.settings)
        return
    truth = pairs_of(exact)
    with Index.create(tmp_path / "i", bands=12, rows=2, **sample.settings) as index:
        index.add(range(len(sample.items)), sample.items)
        found = index.query_many(sample.items, top=None)
        for query in range(len(sample.items)):
            for match in found[query]:
                if query < match.id:
                    assert truth[query, match.id] == match.value
        assert len(found.to_arrow()) >= len(sample.items) - 3  # every item finds itself, but nulls and empty ones
