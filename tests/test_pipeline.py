"""The whole flow against brute force: the pairs, clusters and keepers of a run are those of the definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import brute_force

from lookalike import InputError, Pairs, RecipeError, deduplicate, find_pairs

SOME = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
KEEP = ["first", "last", "longest", "shortest", "max:rank", "min:rank"]

WAYS: list[dict[str, Any]] = [brute_force.SURE, {"recall": 1}]
"""By bands that leave out next to nothing, and by exact search."""

every_way = pytest.mark.parametrize("way", WAYS, ids=["bands", "exact"])

ranks = st.none() | st.integers(0, 3).map(float) | st.just(float("nan"))


def as_dict(found: Pairs) -> dict[tuple[Any, Any], float]:
    assert len({(left, right) for left, right, _ in found}) == len(found)
    return {(left, right): similarity for left, right, similarity in found}


def table(texts: list[brute_force.Text], rank: list[float | None]) -> pa.Table:
    return pa.table({"text": pa.array(texts, pa.string()), "rank": pa.array(rank, pa.float64())})


# Pairs


@every_way
@SOME
@given(brute_force.collections(), brute_force.shinglings(), brute_force.thresholds)
def test_pairs_are_those_of_brute_force(
    way: dict[str, Any], texts: list[brute_force.Text], shingling: dict[str, Any], threshold: float
) -> None:
    found = find_pairs(texts, threshold=threshold, **way, **shingling)
    assert as_dict(found) == brute_force.pairs(texts, threshold, **shingling)
    assert found.summary.pairs == len(found)


@pytest.mark.slow
@SOME
@given(
    brute_force.collections(), brute_force.thresholds, st.sampled_from(["fast", "classic"]), st.integers(0, 2**64 - 1)
)
def test_no_pair_is_wrong_however_few_are_found(
    texts: list[brute_force.Text], threshold: float, sketch: Any, seed: int
) -> None:
    found = as_dict(find_pairs(texts, threshold=threshold, shingle="words:2", recall=0.5, sketch=sketch, seed=seed))
    assert found.items() <= brute_force.pairs(texts, threshold, shingle="words:2").items()


@pytest.mark.slow
@every_way
@SOME
@given(brute_force.collections(), brute_force.collections(), brute_force.thresholds)
def test_pairs_of_two_collections(
    way: dict[str, Any], left: list[brute_force.Text], right: list[brute_force.Text], threshold: float
) -> None:
    found = find_pairs(left, against=right, threshold=threshold, shingle="words:2", **way)
    everything = brute_force.pairs([*left, *right], threshold, shingle="words:2")
    across = {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}
    assert as_dict(found) == across
    assert found.summary.items == len(left) + len(right)


@pytest.mark.slow
@every_way
@SOME
@given(
    st.lists(st.none() | st.lists(st.integers(-2, 2), max_size=8), max_size=8),
    st.integers(1, 4),
    brute_force.thresholds,
)
def test_pairs_of_token_lists(way: dict[str, Any], items: list[list[int] | None], n: int, threshold: float) -> None:
    found = find_pairs(items, shingle=f"tokens:{n}", threshold=threshold, **way)
    sets = [naive.shingles(item or [], n) for item in items]
    assert as_dict(found) == naive.all_pairs(sets, threshold)


def test_identical_sets_of_different_texts_are_pairs() -> None:
    """The fingerprint counts repetitions, so these are not copies; their sets are equal all the same."""
    texts = ["a rose is a rose", "a rose is a rose is a rose", "a rose is a rose is a rose is a rose"]
    found = find_pairs(texts, shingle="words:2", threshold=1.0)
    assert as_dict(found) == {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}
    assert not len(find_pairs(texts, shingle="words:2", threshold=1.0, bag=True))


@pytest.mark.slow
@pytest.mark.parametrize(("shared", "total"), [(1, 3), (2, 3), (4, 5), (7, 9), (8, 10), (9, 11), (99, 101)])
def test_a_similarity_that_meets_the_threshold_exactly(shared: int, total: int) -> None:
    """Fractions have no exact float; the same division on both sides makes them meet."""
    one = " ".join(f"w{i}" for i in range(total))
    two = " ".join(f"w{i}" for i in range(shared))
    above = float(np.nextafter(shared / total, 2))
    for threshold, wanted in ((shared / total, 1), (above, 0)):
        assert len(find_pairs([one, two], shingle="words:1", threshold=threshold, bands=200, rows=1)) == wanted


# Clusters


@pytest.mark.slow
@every_way
@SOME
@given(brute_force.collections(), brute_force.thresholds, st.sampled_from(KEEP), st.data())
def test_clusters_and_keepers(
    way: dict[str, Any], texts: list[brute_force.Text], threshold: float, keep: str, data: st.DataObject
) -> None:
    rank = data.draw(st.lists(ranks, min_size=len(texts), max_size=len(texts)))
    result = deduplicate(table(texts, rank), keep=keep, cluster="chain", threshold=threshold, shingle="words:2", **way)
    expected = []
    for number, items in enumerate(
        brute_force.clusters(len(texts), brute_force.pairs(texts, threshold, shingle="words:2"))
    ):
        best = brute_force.keeper(items, keep, texts, rank)
        sets = {item: brute_force.elements(texts[item], "words:2") for item in items}
        expected += [(i, number, best, naive.jaccard(sets[i], sets[best]), i == best) for i in items]
    assert list(result.clusters) == expected
    removed = {item for item, *_, kept in expected if not kept}
    assert [bool(kept) for kept in result.mask] == [item not in removed for item in range(len(texts))]


@pytest.mark.slow
@every_way
@SOME
@given(brute_force.collections(), brute_force.thresholds, st.sampled_from(KEEP), st.data())
def test_stars_and_keepers(
    way: dict[str, Any], texts: list[brute_force.Text], threshold: float, keep: str, data: st.DataObject
) -> None:
    rank = data.draw(st.lists(ranks, min_size=len(texts), max_size=len(texts)))
    result = deduplicate(table(texts, rank), keep=keep, threshold=threshold, shingle="words:2", **way)
    pairs = brute_force.pairs(texts, threshold, shingle="words:2")
    order: list[int] = []
    while len(order) < len(texts):
        order.append(brute_force.keeper([i for i in range(len(texts)) if i not in order], keep, texts, rank))
    keepers = naive.stars(order, pairs, [brute_force.elements(text, "words:2") for text in texts])
    assert [bool(kept) for kept in result.mask] == [keepers[item] == item for item in range(len(texts))]
    assert {item: keeper for item, _, keeper, _, kept in result.clusters if not kept} == {
        item: keeper for item, keeper in keepers.items() if item != keeper
    }
    for item, _, keeper, similarity, kept in result.clusters:
        assert kept or similarity == pairs[min(item, keeper), max(item, keeper)] >= threshold
    first = {number: item for item, number, *_ in reversed(list(result.clusters))}
    assert sorted(first.values()) == [first[number] for number in sorted(first)]


def test_a_chain_removes_what_a_star_keeps() -> None:
    chain = ["a b c d e f g h", "b c d e f g h i", "c d e f g h i j", "d e f g h i j k", "e f g h i j k l"]
    settings: dict[str, Any] = {"threshold": 0.7, "shingle": "words:1", "recall": 1}
    star, chained = deduplicate(chain, **settings), deduplicate(chain, cluster="chain", **settings)
    assert star.mask.tolist() == [True, False, True, False, True]
    assert star.summary.below_threshold == 0
    assert not star.summary.notes
    assert chained.mask.tolist() == [True, False, False, False, False]
    assert chained.summary.below_threshold == 3
    assert "3 removed items are less similar to their keeper than the threshold" in chained.summary.notes[0]


@pytest.mark.slow
@SOME
@given(brute_force.collections(), st.sampled_from(KEEP), brute_force.shinglings())
def test_every_row_is_accounted_for(texts: list[brute_force.Text], keep: str, shingling: dict[str, Any]) -> None:
    result = deduplicate(table(texts, [1.0] * len(texts)), keep=keep, **shingling)
    summary = result.summary
    sets = [brute_force.elements(text, **shingling) for text in texts]
    assert summary.items == len(texts) == summary.kept + summary.removed == len(result.kept) + len(result.removed)
    assert summary.nulls == texts.count(None)
    assert summary.empty == sum(not elements for elements in sets)
    assert summary.clusters == result.clusters.count == sum(kept for *_, kept in result.clusters)
    assert summary.removed == len(result.clusters) - summary.clusters
    assert all(mask for mask, elements in zip(result.mask, sets, strict=True) if not elements)


def test_strings_are_ranked_as_strings_and_dates_as_dates() -> None:
    texts = ["the same old story"] * 3
    for rank, best in ((["a", "c", "b"], 1), ([None, "", None], 1), (pa.array([3, 9, 5], pa.timestamp("ns")), 1)):
        result = deduplicate(pa.table({"text": texts, "when": rank}), text="text", keep="max:when")
        assert np.flatnonzero(result.mask).tolist() == [best]


def test_clusters_of_pairs_are_chains() -> None:
    chain = ["a b c d e f g h", "b c d e f g h i", "c d e f g h i j", "x", "c d e f g h i j", None]
    options: dict[str, Any] = {"threshold": 0.7, "shingle": "words:1", **brute_force.SURE}
    for keep in ("first", "last"):
        known = list(find_pairs(chain, **options).clusters(keep))
        exact = list(deduplicate(chain, keep=keep, cluster="chain", **options).clusters)
        assert [row[:3] + row[4:] for row in known] == [row[:3] + row[4:] for row in exact]
        assert [row[3] for row in known] == [row[3] if row[3] >= 0.7 else None for row in exact]
    with pytest.raises(RecipeError, match="first or last"):
        find_pairs(chain, **options).clusters("longest")


# The same answer, whatever the machine does


def outcome(texts: Any, **settings: Any) -> tuple[Any, ...]:
    pairs = find_pairs(texts, **settings)
    chains, stars = (deduplicate(texts, cluster=cluster, **settings) for cluster in ("chain", "star"))
    tables = (one.to_arrow() for one in (pairs, chains.clusters, stars.clusters))
    return *tables, chains.mask.tolist(), stars.mask.tolist(), pairs.summary.candidates


@pytest.fixture(scope="module")
def versions() -> list[brute_force.Text]:
    """Return a few hundred texts in families, so that buckets, batches and threads have something to share."""
    draw = np.random.default_rng(5)
    texts: list[brute_force.Text] = []
    for _ in range(60):
        draft = draw.integers(0, 3000, 40)
        for _ in range(6):
            text = draft.copy()
            text[draw.integers(0, 40, draw.integers(0, 4))] = draw.integers(0, 3000)
            texts.append(" ".join(f"w{word}" for word in text))
    return [*texts, None, "", *texts[:50]]


@pytest.mark.parametrize(
    "settings",
    [{}, {"threads": 1}, {"threads": 2}, {"threads": 3}, {"batch_bytes": 1}, {"batch_bytes": 5000, "threads": 3}],
)
def test_threads_and_batches_change_nothing(versions: list[brute_force.Text], settings: dict[str, Any]) -> None:
    assert outcome(versions, threshold=0.5, **settings) == outcome(versions, threshold=0.5)


@pytest.mark.slow
def test_recall_and_precision_of_a_default_run(versions: list[brute_force.Text]) -> None:
    for threshold in (0.5, 0.7, 0.8, 0.9):
        wanted = brute_force.pairs(versions, threshold)
        found = as_dict(find_pairs(versions, threshold=threshold))
        assert found.items() <= wanted.items()
        missed, chance = len(wanted) - len(found), 0.01
        assert missed <= len(wanted) * chance + 4 * (len(wanted) * chance * (1 - chance)) ** 0.5


def test_the_order_of_items_changes_nothing(versions: list[brute_force.Text]) -> None:
    named = {f"id{i}": text for i, text in enumerate(versions)}
    shuffled = {key: named[key] for key in np.random.default_rng(6).permutation(list(named)).tolist()}
    first, second = (find_pairs(texts, threshold=0.5) for texts in (named, shuffled))
    assert {(frozenset(row[:2]), row[2]) for row in first} == {(frozenset(row[:2]), row[2]) for row in second}
    groups = []
    for texts in (named, shuffled):
        by_cluster: dict[int, set[str]] = {}
        for name, cluster, *_ in deduplicate(texts, threshold=0.5, cluster="chain").clusters:
            by_cluster.setdefault(cluster, set()).add(name)
        groups.append({frozenset(members) for members in by_cluster.values()})
    assert groups[0] == groups[1]


def test_the_order_of_files_changes_nothing(versions: list[brute_force.Text], tmp_path: Path) -> None:
    for part in range(4):
        rows = [json.dumps({"key": i, "text": text}) for i, text in enumerate(versions) if i % 4 == part]
        (tmp_path / f"{part}.jsonl").write_text("\n".join(rows))
    paths = sorted(tmp_path.iterdir())
    wanted = outcome(paths, id="key", threshold=0.7)
    for other in (paths[::-1], tmp_path, tmp_path / "*.jsonl", [paths[2], tmp_path / "[013].jsonl"]):
        assert outcome(other, id="key", threshold=0.7) == wanted


# Scratch


def test_scratch_is_empty_after_success_and_after_an_error(tmp_path: Path) -> None:
    deduplicate((text for text in ["a b c", "a b c"]), scratch=tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="occurs twice"):
        find_pairs(pa.table({"text": ["a", "b"], "id": [1, 1]}), id="id", scratch=tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(OSError, match="scratch folder"):
        find_pairs(["a"], scratch=tmp_path / "missing")
