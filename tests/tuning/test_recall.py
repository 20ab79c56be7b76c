"""Measured recall against brute force: the pairs it counts, and how often its interval holds the truth."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import brute_force, run_cli
from support.paths import ARTICLES

from lookalike import Recipe, RecipeError, deduplicate, find_pairs
from lookalike.exact import scan
from lookalike.kinds import shingled
from lookalike.summary import Summary
from lookalike.tuning.recall import Measured, Share, Tally, draw, edges, interval, wilson

SOME = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
WEAK: dict[str, Any] = {"bands": 3, "rows": 8}
"""A banding that misses a lot."""

sizes = st.sampled_from([1, 2, 5, 1000])
thresholds = st.sampled_from([1 / 3, 2 / 3, 0.8, 1.0]) | brute_force.thresholds
weak = st.sampled_from([{"bands": 1, "rows": 3}, {"bands": 2, "rows": 8}])

Pairs = dict[tuple[int, int], float]


def measured_in(summary: Summary) -> Measured:
    assert summary.measured is not None
    assert summary.seconds["measure"] > 0
    return summary.measured


def check(measured: Measured, sample: list[int], truth: Pairs, found: set[tuple[int, int]]) -> None:
    """Compare what was measured with what the definitions say of the same sample."""
    assert measured.sampled == len(sample)
    ranges = [lambda _: True, *(lambda s, b=share: b.low <= s < b.high or b.low == s == 1 for share in measured.bins)]
    shares = [measured.overall, *measured.bins]
    assert [(share.pairs, share.found) for share in shares] == [
        naive.found_of(sample, truth, found, within) for within in ranges
    ]
    assert sum(share.pairs for share in measured.bins) == measured.overall.pairs
    for share in shares:
        low, high = share.interval
        assert share.recall == (share.found / share.pairs if share.pairs else None)
        assert (low, high) == (0, 1) if share.recall is None else 0 <= low <= share.recall <= high <= 1


def sampled(sets: list[set[Any]], count: int, seed: int) -> list[int]:
    """Return the items that a run with that seed samples."""
    population = np.flatnonzero([bool(elements) for elements in sets])
    return [int(item) for item in draw(population, count, seed)]


def pairs_of(result: Any) -> set[tuple[int, int]]:
    return {(left, right) for left, right, _ in result}


# The partners of a sample


@pytest.mark.slow
@SOME
@given(brute_force.collections(), brute_force.shinglings(), thresholds, weak, sizes, st.integers(0, 2**64 - 1))
def test_pairs_of_a_sample(
    texts: list[brute_force.Text], shingling: dict[str, Any], threshold: float, banding: Any, count: int, seed: int
) -> None:
    result = find_pairs(texts, threshold=threshold, measure_recall=count, seed=seed, **banding, **shingling)
    sample = sampled([brute_force.elements(text, **shingling) for text in texts], count, seed)
    check(measured_in(result.summary), sample, brute_force.pairs(texts, threshold, **shingling), pairs_of(result))


@pytest.mark.slow
@SOME
@given(brute_force.collections(), brute_force.collections(), thresholds, weak, sizes)
def test_pairs_of_two_collections(
    left: list[brute_force.Text], right: list[brute_force.Text], threshold: float, banding: Any, count: int
) -> None:
    """Items are drawn from the first; copies and pairs within it do not count."""
    result = find_pairs(
        left, against=right, threshold=threshold, shingle="words:2", measure_recall=count, seed=3, **banding
    )
    everything = brute_force.pairs([*left, *right], threshold, shingle="words:2")
    across = {(i, j): s for (i, j), s in everything.items() if i < len(left) <= j}
    sample = sampled([brute_force.elements(text, "words:2") for text in left], count, 3)
    check(measured_in(result.summary), sample, across, {(i, j + len(left)) for i, j in pairs_of(result)})


@pytest.mark.slow
@SOME
@given(brute_force.collections(), thresholds, weak, sizes)
def test_items_of_one_cluster_are_found(
    texts: list[brute_force.Text], threshold: float, banding: Any, count: int
) -> None:
    settings: Any = {"threshold": threshold, "shingle": "words:2", "measure_recall": count, "seed": 9, **banding}
    result = deduplicate(texts, cluster="chain", **settings)
    cluster = {item: number for item, number, *_ in result.clusters}
    together = {(i, j) for i, j in itertools.combinations(sorted(cluster), 2) if cluster[i] == cluster[j]}
    sets = [brute_force.elements(text, "words:2") for text in texts]
    sample = sampled(sets, count, 9)
    truth = brute_force.pairs(texts, threshold, shingle="words:2")
    check(measured_in(result.summary), sample, truth, together)
    stars = deduplicate(texts, **settings)
    kept = [one for one, mask in zip(sets, stars.mask, strict=True) if mask]
    settled = {(i, j) for i, j in truth if sets[i] == sets[j] or not (sets[i] in kept and sets[j] in kept)}
    check(measured_in(stars.summary), sample, truth, settled)


@pytest.mark.slow
@SOME
@given(
    st.lists(st.none() | st.lists(st.integers(-2, 2), max_size=8), max_size=8),
    st.integers(1, 4),
    st.booleans(),
    thresholds,
    weak,
)
def test_pairs_of_token_lists(items: list[list[int] | None], n: int, bag: bool, threshold: float, banding: Any) -> None:
    result = find_pairs(items, shingle=f"tokens:{n}", bag=bag, threshold=threshold, measure_recall=4, **banding)
    grams = [naive.ngrams(item or [], n) for item in items]
    sets: list[set[Any]] = [set(naive.bag(one)) if bag else set(one) for one in grams]
    check(measured_in(result.summary), sampled(sets, 4, 1), naive.all_pairs(sets, threshold), pairs_of(result))


def articles() -> list[str]:
    return [json.loads(line)["text"] for line in ARTICLES.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def truth() -> Pairs:
    return brute_force.pairs(articles(), 0.5)


def test_nothing_depends_on_threads_or_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: dict[str, Any] = {"threshold": 0.5, "measure_recall": 50, **WEAK}
    before = measured_in(find_pairs(articles(), threads=1, **wanted).summary)
    assert 0 < before.overall.found < before.overall.pairs
    assert measured_in(find_pairs(articles(), threads=2, batch_bytes=1000, **wanted).summary) == before
    for module, name, value in ((shingled, "TEXT_AT_A_TIME", 9000), (scan, "TEXT_AT_A_TIME", 9000)):
        monkeypatch.setattr(module, name, value)
    for name in ("ITEMS_AT_A_TIME", "HITS_AT_A_TIME"):
        monkeypatch.setattr(scan, name, 7)
    assert measured_in(find_pairs(articles(), threads=2, **wanted).summary) == before


def test_another_seed_draws_another_sample() -> None:
    measured = {measured_in(find_pairs(articles(), measure_recall=50, seed=seed).summary) for seed in range(4)}
    assert len({one.overall.pairs for one in measured}) > 1


@pytest.mark.parametrize("items", [[], [None, "", "!?"], ["one single text"]])
def test_no_pairs_to_measure(items: list[brute_force.Text]) -> None:
    for result in (find_pairs(items, measure_recall=10), deduplicate(items, measure_recall=10)):
        measured = measured_in(result.summary)
        assert measured.complete
        assert measured.overall == Share(0.8, 1.0, 0, 0, None, (0.0, 1.0), None)
        assert not [note for note in result.summary.notes if "recall" in note]


def test_recall_is_measured_only_on_request() -> None:
    summary = find_pairs(["a text"]).summary
    assert summary.measured is None
    assert "measure" not in summary.seconds


@pytest.mark.parametrize("value", [-1, 1.5, "200", True])
def test_bad_numbers(value: Any) -> None:
    with pytest.raises(RecipeError, match="`measure_recall` must be a whole number, at least 0"):
        find_pairs(["a text"], measure_recall=value)


@pytest.mark.slow
def test_the_prediction_is_the_mean_chance_of_the_pairs(truth: Pairs) -> None:
    result = find_pairs(articles(), threshold=0.5, measure_recall=1000, **WEAK)
    measured = measured_in(result.summary)
    for share in measured.bins:
        within = [s for s in truth.values() if share.low <= s < share.high or share.low == s]
        assert share.predicted == pytest.approx(np.mean([naive.chance(s, **WEAK) for s in within]))
    assert measured.overall.predicted == pytest.approx(np.mean([naive.chance(s, **WEAK) for s in truth.values()]))


def test_an_exact_search_is_predicted_to_find_all() -> None:
    tally = Tally(1, Recipe(banding=None, threshold=0.5))
    tally.add(np.zeros(2, np.int32), np.array([0.5, 0.9]), np.array([3, 1]), np.array([True, True]))
    overall, *_ = tally.shares(np.zeros(1, np.int64), complete=True)
    assert (overall.pairs, overall.recall, overall.predicted, overall.interval) == (4, 1.0, 1.0, (1.0, 1.0))


@pytest.mark.slow
def test_an_exact_search_finds_all(truth: Pairs) -> None:
    for run in (find_pairs, deduplicate):
        measured = measured_in(run(articles(), threshold=0.5, recall=1, measure_recall=1000).summary)
        assert (measured.overall.recall, measured.overall.pairs) == (1.0, 2 * len(truth))


@given(st.floats(1e-3, 1.0) | st.just(math.nextafter(1, 0)) | st.just(1.0))
def test_ranges_of_similarity(threshold: float) -> None:
    steps = edges(threshold).tolist()
    assert steps == sorted(steps)
    assert (steps[0], steps[-1], len(steps)) == (threshold, 1.0, 5)
    assert np.diff(steps) == pytest.approx((1 - threshold) / 4, abs=1e-11)


# The sample


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 2**64 - 1))
def test_a_sample_has_no_item_twice(population: int, count: int, seed: int) -> None:
    items = np.arange(5, population + 5)
    drawn = draw(items, count, seed).tolist()
    assert len(drawn) == min(count, population)
    assert drawn == sorted(set(drawn) & set(items.tolist()))


def test_every_item_is_drawn_equally_often() -> None:
    times, share = 2000, 10 / 50
    drawn = np.bincount(np.concatenate([draw(np.arange(50), 10, seed) for seed in range(times)]), minlength=50)
    deviation = math.sqrt(times * share * (1 - share))
    assert np.abs(drawn - times * share).max() < 4.5 * deviation
    together = sum({3, 4} <= set(draw(np.arange(50), 10, seed).tolist()) for seed in range(times))
    share = 10 / 50 * 9 / 49
    assert abs(together - times * share) < 4.5 * math.sqrt(times * share * (1 - share))


@given(st.integers(0, 2**64 - 1))
def test_the_sample_follows_from_the_seed_alone(seed: int) -> None:
    numbers = naive.odd_numbers(seed, 100)
    assert draw(np.arange(100), 5, seed).tolist() == sorted(sorted(range(100), key=numbers.__getitem__)[:5])


# The interval


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_wilson(share: float, count: float) -> None:
    assert wilson(share, count) == pytest.approx(naive.wilson(share, count, 1.959963984540054), abs=1e-6)


@st.composite
def tallies(draw: st.DrawFn) -> tuple[NDArray[np.float64], ...]:
    rows = draw(st.lists(st.tuples(*[st.integers(0, 50)] * 3), min_size=1, max_size=20))
    copies, found, missed = np.array([*rows, (0, 1, 0)], float).T
    return copies + found + missed, copies + found, copies


@given(tallies())
def test_an_interval_holds_the_recall_and_is_no_narrower_than_wilsons(tally: tuple[NDArray[np.float64], ...]) -> None:
    pairs, found, _ = tally
    recall = found.sum() / pairs.sum()
    low, high = interval(*tally)
    least, most = wilson(recall, pairs.sum())
    assert 0 <= low <= least + 1e-12
    assert most - 1e-12 <= high <= 1


def test_many_pairs_of_few_items_say_as_little_as_few_pairs() -> None:
    none = np.zeros(10)
    few, many = (interval(np.full(10, size), np.full(10, size), none) for size in (1.0, 1000.0))
    assert few == pytest.approx(many, abs=0.01)


def test_copies_add_no_doubt() -> None:
    """A large group of copies does not say that the pairs of other items might all be missed."""
    pairs, copies = np.array([1.0] * 50 + [5000.0] * 20), np.array([0.0] * 50 + [5000.0] * 20)
    assert interval(pairs, pairs, copies)[0] > 0.9999
    assert interval(pairs, pairs, np.zeros(70))[0] < 0.9


@pytest.mark.parametrize("recall", [0.6, 0.9, 0.99])
def test_pairs_of_small_clusters_have_the_interval_of_the_binomial(recall: float) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        pairs = rng.integers(0, 3, 300).astype(float)
        found = rng.binomial(pairs.astype(int), recall).astype(float)
        (low, high), (least, most) = (
            interval(pairs, found, np.zeros(300)),
            wilson(found.sum() / pairs.sum(), pairs.sum()),
        )
        assert high - low < 1.6 * (most - least)


def population(
    rng: np.random.Generator, largest: int, recall: float, missed: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make clusters of items that are all alike, and decide which pairs are found; return both counts for each item."""
    pairs: list[int] = []
    found: list[int] = []
    while len(pairs) < 3000:
        size = min(int(rng.random() ** -1.2), largest)
        if missed == "pairs":
            upper = np.triu(rng.random((size, size)) < recall, 1)
            seen = upper | upper.T
        elif missed == "items":
            kept = rng.random(size) < math.sqrt(recall)
            seen = np.outer(kept, kept) & ~np.eye(size, dtype=bool)
        else:
            seen = np.full((size, size), rng.random() < recall) & ~np.eye(size, dtype=bool)
        pairs += [size - 1] * size
        found += seen.sum(axis=1).tolist()
    return np.array(pairs, float), np.array(found, float)


def enough(times: int) -> float:
    """Return how often an interval must hold the truth, of so many times, to pass for one of 95 per cent."""
    return 0.95 * times - 3 * math.sqrt(times * 0.95 * 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("missed", ["pairs", "items", "clusters"])
@pytest.mark.parametrize("recall", [0.6, 0.9, 0.99])
@pytest.mark.parametrize("largest", [2, 10, 500])
def test_the_interval_holds_the_recall_of_made_up_runs(missed: str, recall: float, largest: int) -> None:
    """Whether pairs are missed one by one, or all those of an item, or of a cluster."""
    rng = np.random.default_rng([largest, int(100 * recall), len(missed)])
    held = 0
    for _ in range(20):
        pairs, found = population(rng, largest, recall, missed)
        for _ in range(10):
            sample = rng.choice(len(pairs), 200, replace=False)
            low, high = interval(pairs[sample], found[sample], np.zeros(200))
            held += bool(low <= found.sum() / pairs.sum() <= high)
    assert held >= enough(200)


@pytest.mark.slow
@pytest.mark.parametrize("banding", [{"bands": 1, "rows": 6}, WEAK, {"bands": 20, "rows": 7}])
def test_the_interval_holds_the_recall_of_real_runs(banding: dict[str, Any], truth: Pairs) -> None:
    texts, times, held, held_below = articles(), 50, 0, 0
    for seed in range(times):
        result = find_pairs(texts, threshold=0.5, measure_recall=80, seed=seed, **banding)
        measured, found = measured_in(result.summary), pairs_of(result)
        low, high = measured.overall.interval
        held += low <= sum(pair in found for pair in truth) / len(truth) <= high
        nearly = [pair for pair, s in truth.items() if measured.bins[3].low <= s < 1]
        low, high = measured.bins[3].interval
        held_below += low <= sum(pair in found for pair in nearly) / len(nearly) <= high
    assert held >= enough(times)
    assert held_below >= enough(times)


# What people see


def test_json_has_plain_values() -> None:
    outcome = run_cli.done("dedup", ARTICLES, "--json", "--measure-recall", "30")
    measured = json.loads(outcome.out)["measured"]
    assert measured["sampled"] == 30
    assert measured["population"] == 380
    assert [one["low"] for one in measured["bins"]] == [0.8, 0.85, 0.9, 0.95, 1.0]
    assert measured["overall"]["found"] == sum(one["found"] for one in measured["bins"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "items"),
    [
        (["--measure-recall", ARTICLES], 200),
        ([ARTICLES, "--measure-recall"], 200),
        ([ARTICLES, "--measure-recall", "--quiet"], 200),
        (["--measure-recall", "--", ARTICLES], 200),
        (["--measure-recall", "30", ARTICLES], 30),
        (["--measure-recall=30", ARTICLES], 30),
        (["--measure-recall", "1000", ARTICLES], 380),
        (["--measure-recall", "0", ARTICLES], None),
    ],
)
@pytest.mark.parametrize("name", ["dedup", "pairs"])
def test_the_number_may_be_left_out(name: str, arguments: list[object], items: int | None) -> None:
    measured = json.loads(run_cli.done(name, "--json", *arguments).out)["measured"]
    assert (measured and measured["sampled"]) == items


def test_a_number_that_is_none() -> None:
    outcome = run_cli.run("dedup", ARTICLES, "--measure-recall", "2.5")
    assert outcome.code == 2
    assert "--measure-recall" in outcome.err
    assert "--measure-recall must be a whole number" in run_cli.run("dedup", ARTICLES, "--measure-recall", "-5").err


def test_the_summary_shows_the_recall_and_how_sure_it_is() -> None:
    wanted: list[object] = [ARTICLES, "--threshold", 0.5, "--bands", 3, "--rows", 8]
    shown = " ".join(run_cli.done("dedup", *wanted, "--measure-recall").err.split())
    assert "with 95% confidence), predicted at least" in shown
    assert "pairs of 200 items 0.500 to 0.625:" in shown
    assert "exact copies: 1.0000" in shown
    shown = " ".join(run_cli.done("pairs", *wanted, "--measure-recall", 380).err.split())
    assert "measured, predicted 0." in shown
    assert "pairs of all 380 items" in shown
    shown = " ".join(run_cli.done("dedup", *wanted, "--measure-recall", 10).err.split())
    assert "Note: the measured recall is uncertain" in shown
    assert "items for a better estimate." in shown
