"""Exact search against brute force: on sets with ties, copies, sizes 0 and 1, and thresholds where rounding bites."""

from __future__ import annotations

import json
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike import InputError, RecipeError, compare, deduplicate, find_pairs
from lookalike.engines.local import search, verify
from lookalike.exact import all_pairs, prefixes
from lookalike.kernels.codes import JACCARD
from lookalike.kernels.measures import prefix_length
from lookalike.lsh import buckets as band
from lookalike.tuning import set_search
from lookalike.tuning.drawn import DrawnPairs

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

THRESHOLDS = st.sampled_from([0.05, 0.1, 1 / 3, 0.5, 3 / 5, 2 / 3, 0.7, 5 / 7, 0.75, 7 / 9, 0.8, 0.9, 1.0])
SETS = st.lists(st.sets(st.integers(1, 24), max_size=16), max_size=20)
"""Small numbers, so that sets share elements, tie, and repeat; some are empty, some have one element."""

WHOLE: dict[str, Any] = {"samples_suffice": lambda *_: False}
RARE: dict[str, Any] = WHOLE | {"ENTER": -1.0, "rare_seconds": lambda _: -1.0}
OUTLINES: dict[str, Any] = WHOLE | {"rare_seconds": lambda _: 1e9}

PATHS: dict[str, dict[str, Any]] = {
    "usual": {},
    "samples": {"samples_suffice": lambda *_: True},
    "whole sets": WHOLE,
    "small samples": {"SAMPLED": 0.6, "MIN_SAMPLED": 0.01},
    "few counters": {"MAX_COUNTERS": 2},
    "few slots": {"MAX_SLOTS": 4, "SLOTS_PER_ITEM": 0, "MIN_SLOTS": 4, "MAX_COUNTERS": 2},
    "many shares": {"ENTRIES_AT_A_TIME": 3},
    "small parts": RARE | {"ELEMENTS_AT_A_TIME": 5},
    "short rounds": {"ENTRIES_AT_A_TIME": 3, "ENOUGH": 1},
    "longer rounds": {"ENTRIES_AT_A_TIME": 3, "ENOUGH": 5},
    "outlines": OUTLINES,
    "outlines of two words": OUTLINES | {"dense_seconds": lambda *_: 0.0},
    "outlines, short rounds": OUTLINES
    | {"MIN_PAIRS": 7, "PAIRS_AT_A_TIME": 4, "TILE": 3, "INITIAL_ROOM": 1, "ENOUGH": 1},
}
every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
HOMES = (search, prefixes, all_pairs, set_search, DrawnPairs)


@pytest.fixture
def changed(path: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in path.items():
        for home in HOMES:
            if hasattr(home, name):
                monkeypatch.setattr(home, name, value)


def pairs(collection: list[set[int]], threshold: float, **settings: Any) -> dict[tuple[int, int], float]:
    """Return the pairs among sets by exact search; the tokens of an item are its set."""
    lists = [sorted(one) for one in collection]
    found = find_pairs(lists, shingle="tokens:1", threshold=threshold, recall=1, **settings)
    return {(left, right): similarity for left, right, similarity in found}


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS, st.sampled_from([1, 2, 3]))
def test_pairs_are_those_of_brute_force(collection: list[set[int]], threshold: float, threads: int) -> None:
    assert pairs(collection, threshold, threads=threads) == naive.all_pairs(collection, threshold)


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, SETS, THRESHOLDS)
def test_pairs_of_two_collections(left: list[set[int]], right: list[set[int]], threshold: float) -> None:
    found = pairs(left, threshold, against=[sorted(one) for one in right])
    everything = naive.all_pairs([*left, *right], threshold)
    assert found == {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}


@pytest.mark.slow
@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS)
def test_clusters_are_those_of_brute_force(collection: list[set[int]], threshold: float) -> None:
    items = [sorted(one) for one in collection]
    result = deduplicate(items, shingle="tokens:1", threshold=threshold, recall=1, cluster="chain")
    roots = naive.components(len(collection), naive.all_pairs(collection, threshold))
    assert result.mask.tolist() == [root == item for item, root in enumerate(roots)]


@pytest.mark.parametrize("threshold", [0.3, 0.5, 2 / 3, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("path", [{}, RARE, OUTLINES], ids=["samples", "whole sets", "outlines"])
@pytest.mark.usefixtures("changed")
def test_larger_sets_of_every_similarity(threshold: float) -> None:
    """Versions of the same sets with more or fewer elements changed: many pairs are close to the threshold."""
    rng = np.random.default_rng(3)
    collection = []
    for _ in range(12):
        base = rng.integers(0, 1 << 40, rng.integers(1, 300)).tolist()
        for _ in range(12):
            kept = rng.random(len(base)) >= rng.random() ** 2 / 2
            more = rng.integers(0, 1 << 40, rng.integers(0, 1 + len(base) // 10)).tolist()
            collection.append({h for h, keep in zip(base, kept, strict=True) if keep} | set(more))
    wanted = naive.all_pairs(collection, threshold)
    assert len(wanted) > 10
    assert pairs(collection, threshold) == wanted


@pytest.mark.parametrize(("shared", "total"), [(1, 3), (2, 3), (4, 5), (7, 9), (8, 10), (9, 11), (99, 101), (70, 90)])
def test_a_pair_exactly_at_the_threshold_is_found(shared: int, total: int) -> None:
    one, two = set(range(shared)), set(range(shared))
    for i in range(total - shared):
        (one if i % 2 else two).add(1000 + i)
    threshold = shared / total
    assert pairs([one, two], threshold) == {(0, 1): threshold}
    assert not pairs([one, two], float(np.nextafter(threshold, 2)))


@given(st.integers(1, 2000), THRESHOLDS | st.floats(1e-6, 1))
def test_a_prefix_is_as_short_as_it_may_be(size: int, threshold: float) -> None:
    least = next(shared for shared in range(size + 1) if shared / size >= threshold)
    assert prefix_length((JACCARD, threshold), size) == size - least + 1


def test_few_sets_that_share_a_template_are_compared() -> None:
    """Three in four elements are everybody's; the rest is each set's own: the similarity of all pairs is 0.6."""
    rng = np.random.default_rng(5)
    template = rng.integers(1, 1 << 62, 300).tolist()
    lists = [[*template, *rng.integers(1, 1 << 62, 100).tolist()] for _ in range(300)]
    found = find_pairs(lists, shingle="tokens:1", threshold=0.8, recall=1)
    assert len(found) == 0
    assert found.summary.candidates < 0.05 * 300 * 299 / 2


def test_most_candidates_are_pairs() -> None:
    rng = np.random.default_rng(7)
    texts = [" ".join(map(str, rng.integers(0, 1000, 100))) for _ in range(500)]
    texts += [text.replace("1", "one", 2) for text in texts[:100]]
    summary = find_pairs(texts, threshold=0.8, recall=1).summary
    assert 90 <= summary.pairs <= 100
    assert summary.candidates < 2 * summary.pairs


def test_the_same_candidates_however_many_threads() -> None:
    rng = np.random.default_rng(11)
    lists = [rng.integers(0, 50, 20).tolist() for _ in range(300)]
    runs = [
        find_pairs(lists, shingle="tokens:1", threshold=0.5, recall=1, threads=threads, batch_bytes=size)
        for threads, size in ((1, 100), (2, 1 << 22), (3, 1000))
    ]
    assert len({tuple(run) for run in runs}) == 1
    assert len({run.summary.candidates for run in runs}) == 1


@pytest.mark.parametrize("recall", [0.99, 1])
def test_pairs_that_are_forgotten_and_found_again_count_once(recall: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_SEEN", "MAX_SEEN_EXACT"):
        monkeypatch.setattr(band, name, 8)
    monkeypatch.setattr(set_search, "samples_suffice", lambda *_: True)
    texts = [" ".join(f"w{j}" for j in range(400) if j % 200 != i) for i in range(60)]
    monkeypatch.setattr(verify, "MAX_PAIRS", 60 * 59 // 2)
    found = find_pairs(texts, recall=recall)
    assert len(found) == 60 * 59 // 2
    assert found.summary.candidates > 2 * len(found)
    monkeypatch.setattr(verify, "MAX_PAIRS", 60 * 59 // 2 - 1)
    with pytest.raises(InputError, match="There are more than 1,769 pairs at this threshold"):
        find_pairs(texts, recall=recall)


@pytest.mark.parametrize(
    ("total", "members", "slots"),
    [
        (0, 0, 64),
        (48, 1, 64),
        (49, 1, 128),
        (1 << 40, 1, 1 << 29),
        (1 << 40, 1 << 24, 1 << 31),
        (1 << 40, (1 << 24) - 1, 1 << 30),
    ],
)
def test_slots_take_a_bounded_number_of_bytes_a_set(total: int, members: int, slots: int) -> None:
    assert prefixes.slots_for(total, members) == slots


def test_the_summary_names_the_exact_search() -> None:
    summary = find_pairs(["a b c d e f"] * 2, recall=1).summary
    assert (summary.exact, summary.recall, summary.bands, summary.rows) == (True, 1.0, 0, 0)
    assert set(summary.chance.values()) == {1.0}
    assert json.loads(json.dumps(summary.to_dict()))["recall"] == 1.0
    assert not find_pairs(["a b c d e f"] * 2).summary.exact


def test_bands_are_not_taken_for_an_exact_search() -> None:
    with pytest.raises(RecipeError, match="`recall` 1 is an exact search, which has no bands"):
        find_pairs(["a b c d e f"] * 2, recall=1, bands=3, rows=2)


def test_two_texts_compared_exactly_have_no_bands() -> None:
    found = compare("a b c d e f", "a b c d e g", recall=1)
    assert (found.bands_met, found.chance, found.recipe.banding) == (0, 1.0, None)
    assert found.to_dict()["bands"] == 0
