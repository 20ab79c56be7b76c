"""Weighted sets as they come: dicts, maps, sparse matrices, long tables; found by bands and exactly."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import naive
import naive_darts
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from lookalike import InputError, RecipeError, compare, deduplicate, estimate_costs, exact, find_pairs
from lookalike.recipe import Banding, Recipe, Shingling

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

Weighted = list[dict[int, float]]
exact_weights = st.integers(1, 40).map(lambda n: n / 8) | st.integers(1, 5).map(float)
"""Weights whose sums are exact: a similarity may meet a threshold exactly."""
SETS = st.lists(st.dictionaries(st.integers(1, 24), exact_weights, min_size=1, max_size=16), max_size=16)
ANY_SETS = st.lists(st.dictionaries(st.integers(1, 12), st.floats(1e-12, 1e12), min_size=1, max_size=8), max_size=12)
THRESHOLDS = st.sampled_from([0.05, 0.1, 1 / 3, 0.5, 3 / 5, 2 / 3, 0.7, 5 / 7, 0.75, 7 / 9, 0.8, 0.9, 1.0])

BASKETS: list[dict[str, float]] = [
    {"milk": 2, "bread": 1, "eggs": 6},
    {"milk": 2, "bread": 1, "eggs": 4.5},
    {"milk": 1, "tea": 0.5},
    {"tea": 0.5, "milk": 1.0, "beer": 0},
    {"beer": 1e-6},
]
FOUND = {(0, 1): 7.5 / 9, (2, 3): 1.0}
NAMES = sorted({name for basket in BASKETS for name in basket})
DENSE = np.array([[basket.get(name, 0) for name in NAMES] for basket in BASKETS], float)
MAPS = pa.array([list(basket.items()) for basket in BASKETS], pa.map_(pa.string(), pa.float64()))
PATHS: dict[str, dict[str, Any]] = {
    "usual": {},
    "few slots": {"MOST_SLOTS": 4, "SLOTS_AN_ITEM": 0, "LEAST_SLOTS": 4, "MOST_COUNTERS": 2},
    "many shares": {"ENTRIES_AT_A_TIME": 3},
}
every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)


@pytest.fixture
def changed(path: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in path.items():
        monkeypatch.setattr(exact, name, value)


def found(items: Any, **given: Any) -> dict[tuple[Any, Any], float]:
    """Return the pairs as a dict."""
    return {(left, right): similarity for left, right, similarity in find_pairs(items, **given)}


# exact


@every_path
@pytest.mark.usefixtures("changed")
@SOME
@given(SETS, THRESHOLDS)
def test_exact_pairs_are_those_of_brute_force(collection: Weighted, threshold: float) -> None:
    assert found(collection, threshold=threshold, recall=1) == naive_darts.all_pairs(collection, threshold)


@SOME
@given(SETS, SETS, THRESHOLDS)
def test_exact_pairs_of_two_collections(left: Weighted, right: Weighted, threshold: float) -> None:
    everything = naive_darts.all_pairs([*left, *right], threshold)
    truth = {(i, j - len(left)): s for (i, j), s in everything.items() if i < len(left) <= j}
    assert found(left, against=right, threshold=threshold, recall=1) == truth


@SOME
@given(ANY_SETS, st.floats(0.01, 1.0))
def test_exact_pairs_of_weights_that_are_rounded(collection: Weighted, threshold: float) -> None:
    """Those that are within rounding of the threshold may be there or not."""
    pairs = found(collection, threshold=threshold, recall=1)
    truth = naive_darts.all_pairs(collection, threshold * (1 - 1e-12))
    assert {pair for pair, s in truth.items() if s >= threshold * (1 + 1e-12)} <= pairs.keys() <= truth.keys()
    assert pairs == {pair: pytest.approx(truth[pair], rel=1e-12) for pair in pairs}


@SOME
@given(SETS, THRESHOLDS)
def test_clusters_are_those_of_brute_force(collection: Weighted, threshold: float) -> None:
    result = deduplicate(collection, threshold=threshold, recall=1)
    roots = naive.components(len(collection), naive_darts.all_pairs(collection, threshold))
    assert result.mask.tolist() == [root == item for item, root in enumerate(roots)]


@SOME
@given(st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=20), max_size=12), THRESHOLDS)
def test_bags_are_weights_by_counts(bags: list[list[int]], threshold: float) -> None:
    counts = [Counter(bag) for bag in bags]
    pairs = found(bags, bag=True, threshold=threshold, recall=1)
    assert found(counts, threshold=threshold, recall=1) == pairs
    assert pairs == naive_darts.all_pairs(counts, threshold)


@SOME
@given(st.lists(st.sets(st.integers(1, 24), min_size=1, max_size=16), max_size=16), THRESHOLDS)
def test_sets_are_weights_of_one(sets: list[set[int]], threshold: float) -> None:
    weights = [dict.fromkeys(one, 1) for one in sets]
    assert found(weights, threshold=threshold, recall=1) == found(sets, threshold=threshold, recall=1)


@SOME
@given(SETS, st.sampled_from([2.0**-40, 2.0**30, 2.0**-900, 2.0**900]))
def test_the_scale_of_all_weights_does_not_matter(collection: Weighted, scale: float) -> None:
    scaled = [{name: scale * weight for name, weight in one.items()} for one in collection]
    assert found(scaled, threshold=0.4, recall=1) == found(collection, threshold=0.4, recall=1)


# bands


def near_pairs(count: int, similarity: float) -> Weighted:
    """Make pairs of sets of this similarity, whose weights and scales differ a lot: neighbours are a pair."""
    rng = np.random.default_rng(17)
    collection = []
    for _ in range(count):
        names = rng.integers(0, 1 << 60, 20).tolist()
        one = (rng.lognormal(0, 1.5, 20) * rng.choice([1e-6, 1, 1e9])).tolist()
        less = similarity * (1 + 1e-9)
        collection += [dict(zip(names, one, strict=True)), {n: w * less for n, w in zip(names, one, strict=True)}]
    return collection


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_bands_keep_their_promise(threshold: float) -> None:
    pairs = find_pairs(near_pairs(1000, threshold), threshold=threshold, recall=0.95)
    assert pairs.summary.bands > 0
    missed = 1000 - len(pairs)
    assert missed <= 50 + 4 * np.sqrt(1000 * 0.05 * 0.95)


def test_bands_let_few_others_through() -> None:
    """Candidates follow the S-curve below the threshold too."""
    banding = Banding(20, 5)
    pairs = find_pairs(near_pairs(1000, 0.5), threshold=0.9, bands=20, rows=5)
    chance = banding.chance(0.5)
    deviation = np.sqrt(1000 * chance * (1 - chance))
    assert abs(pairs.summary.candidates - 1000 * chance) < 4.5 * deviation


def test_seeds_differ_and_repeat() -> None:
    collection = near_pairs(300, 0.5)
    runs = [found(collection, threshold=0.4, bands=4, rows=2, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_threads_and_batches_do_not_matter() -> None:
    collection = near_pairs(300, 0.7)
    truth = found(collection, threshold=0.6, bands=6, rows=3)
    assert 0 < len(truth) < 300
    assert found(collection, threshold=0.6, bands=6, rows=3, threads=1, batch_bytes=500) == truth


def test_a_stubborn_bucket_is_joined() -> None:
    """Many sets that share a heavy element, and so a bucket, but are no pairs."""
    rng = np.random.default_rng(2)
    collection = [{0: 3.0, **dict.fromkeys(rng.integers(1, 1 << 40, 4).tolist(), 0.5)} for _ in range(1500)]
    collection += [dict(collection[0]) | {7: 0.25}, dict(collection[1]) | {8: 0.25}]
    pairs = found(collection, threshold=0.9, bands=12, rows=1)
    assert pairs == {(0, 1500): 5 / 5.25, (1, 1501): 5 / 5.25}


def test_measured_recall() -> None:
    rng = np.random.default_rng(5)
    collection = [
        dict(zip(rng.integers(0, 40, 15).tolist(), rng.integers(1, 9, 15).tolist(), strict=True)) for _ in range(300)
    ]
    pairs = find_pairs(collection, threshold=0.4, measure_recall=300, recall=0.8)
    truth = naive_darts.all_pairs(collection, 0.4)
    assert pairs.summary.measured is not None
    overall = pairs.summary.measured.overall
    assert overall.pairs == 2 * len(truth) > 0
    assert overall.found == 2 * len(pairs) < overall.pairs
    assert found(collection, threshold=0.4, measure_recall=10, recall=1) == truth


def test_costs_are_estimated() -> None:
    rng = np.random.default_rng(5)
    collection = [dict(zip(rng.integers(0, 40, 9).tolist(), rng.random(9).tolist(), strict=True)) for _ in range(100)]
    estimate = estimate_costs(collection, threshold=0.5, sample_size=100)
    sharing = sum(bool(one.keys() & two) for i, one in enumerate(collection) for two in collection[:i])
    assert sum(one.pairs for one in estimate.bins) == pytest.approx(sharing)


# copies, clusters, what is kept


def test_copies_are_weighted_sets_that_are_the_same() -> None:
    pairs = find_pairs([{1: 2.0, 2: 1.0}, {2: 1, 1: 2}, {1: 2.0, 2: 1.5}, {1: 1.0, 2: 2.0}], threshold=0.7)
    assert pairs.summary.copies == 1
    assert pairs.summary.shingle == "weights"
    assert [tuple(row) for row in pairs] == [(0, 1, 1.0), (0, 2, 3 / 3.5), (1, 2, 3 / 3.5)]


def test_many_copies_in_two_collections() -> None:
    left, right = [{"a": 1.5, "b": 2}] * 3, [{"b": 2.0, "a": 1.5}, {"a": 9}]
    assert found(left, against=right) == {(0, 0): 1.0, (1, 0): 1.0, (2, 0): 1.0}


def test_what_is_kept() -> None:
    items = {"x": {"a": 1.0, "b": 8.0}, "y": {"b": 8.0, "a": 1.0, "c": 0.5}, "z": {"q": 1}}
    assert deduplicate(items, keep="first").kept == {"x": items["x"], "z": items["z"]}
    assert deduplicate(items, keep="longest").kept == {"y": items["y"], "z": items["z"]}
    table = pa.table({"basket": MAPS, "day": [1, 5, 3, 4, 2]})
    kept = deduplicate(table, keep="max:day").to_arrow()
    assert kept["day"].to_pylist() == [5, 4, 2]
    assert kept.schema == table.schema


# where weighted sets come from


@pytest.mark.parametrize(
    "make",
    [
        lambda: BASKETS,
        lambda: iter(BASKETS),
        lambda: [OrderedDict(basket) for basket in BASKETS],
        lambda: MAPS,
        lambda: pa.concat_arrays([pa.nulls(2, MAPS.type), MAPS]).slice(2),
        lambda: pa.table({"basket": MAPS}),
        lambda: pa.table({"id": list("abcde"), "basket": pa.chunked_array([MAPS.slice(0, 2), MAPS.slice(2)])}),
        lambda: pa.array(MAPS.to_pylist(), pa.map_(pa.dictionary(pa.int8(), pa.string()), pa.float32())),
        lambda: pa.array(
            [[(k, Decimal(str(v))) for k, v in one.items()] for one in BASKETS],
            pa.map_(pa.large_binary(), pa.decimal128(12, 8)),
        ),
        lambda: pa.array([[{"k": k, "v": v} for k, v in one.items()] for one in BASKETS]),
        lambda: pl.DataFrame({"basket": [[{"k": k, "v": float(v)} for k, v in one.items()] for one in BASKETS]}),
        lambda: pd.DataFrame({"basket": pd.Series(MAPS.to_pylist(), dtype=pd.ArrowDtype(MAPS.type))}),
    ],
    ids=["dicts", "iterator", "mappings", "array", "slice", "table", "chunks", "dictionary", "decimals", "pairs",
         "polars", "pandas"],
)  # fmt: skip
def test_weighted_sets_in_memory(make: Callable[[], Any]) -> None:
    assert found(make()) == FOUND
    assert found(make(), recall=1) == FOUND


def test_a_dict_of_dicts() -> None:
    assert found(dict(zip("abcde", BASKETS, strict=True))) == {("a", "b"): 7.5 / 9, ("c", "d"): 1.0}


def test_numbers_as_elements() -> None:
    for kind in (pa.int64(), pa.uint8(), pa.int32()):
        maps = pa.array([[(1, 2), (7, 1)], [(7, 1), (1, 2)], [(1, 1)]], pa.map_(kind, pa.int16()))
        assert found(maps) == {(0, 1): 1.0}
    assert found([{-1: 2, 1 << 60: 3}, {1 << 60: 3, -1: 2}]) == {(0, 1): 1.0}


def test_a_sparse_matrix() -> None:
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array):
        assert found(kind(DENSE), weight=True) == FOUND
    assert found(sparse.csr_matrix(DENSE)) == {(0, 1): 1.0, (2, 3): 1.0}
    assert found(sparse.csr_matrix(DENSE), weight=False) == {(0, 1): 1.0, (2, 3): 1.0}
    assert found(sparse.csr_matrix(DENSE), shingle="weights") == FOUND
    twice = sparse.coo_matrix((np.ones(3), (np.array([0, 0, 1]), np.array([3, 3, 3]))), shape=(2, 4))
    assert found(twice, weight=True, threshold=0.5) == {(0, 1): 0.5}
    assert twice.nnz == 3
    stored = sparse.csr_matrix((np.array([3.0, -1.0, 2.0]), np.array([1, 1, 1]), np.array([0, 2, 3])))
    assert found(stored, weight=True) == {(0, 1): 1.0}
    assert stored.nnz == 3


def test_files_of_maps(tmp_path: Path) -> None:
    pq.write_table(pa.table({"customer": list("abcde"), "basket": MAPS}), tmp_path / "sets.parquet")
    rows = [{"customer": name, "basket": basket} for name, basket in zip("abcde", BASKETS, strict=True)]
    (tmp_path / "sets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    named = {("abcde"[i], "abcde"[j]): similarity for (i, j), similarity in FOUND.items()}
    for name in ("sets.parquet", "sets.jsonl"):
        assert found(tmp_path / name, id="customer") == named
        assert found(tmp_path / name, id="customer", text="basket") == named
        assert (
            found(tmp_path / name, id="customer", against=tmp_path / "sets.parquet", recall=1).items() >= named.items()
        )


def test_a_json_object_with_a_text_is_no_weighted_set(tmp_path: Path) -> None:
    lines = ['{"text": "one two three", "counts": {"a": 1}}', '{"text": "one two three", "counts": {"b": 1}}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert len(found(tmp_path / "a.jsonl")) == 1
    assert found(tmp_path / "a.jsonl", text="counts") == {}


def test_nulls_are_counted_and_match_nothing() -> None:
    pairs = find_pairs([{1: 2}, None, {1: 2}, None])
    assert [(left, right) for left, right, _ in pairs] == [(0, 2)]
    assert pairs.summary.nulls == pairs.summary.empty == 2
    assert pairs.summary.notes == ("2 items have no element, 2 of them null: they are kept and match nothing",)


def test_no_weighted_sets_at_all() -> None:
    for recall in (0.99, 1):
        assert len(find_pairs(MAPS.slice(0, 0), recall=recall)) == 0
        assert len(find_pairs([None, None], shingle="weights", recall=recall)) == 0
        assert len(find_pairs([], shingle="weights", recall=recall)) == 0


# long tables

LOG = "customer,product,units\nann,milk,1\nbob,milk,2\nann,tea,0.5\nbob,tea,.5\ncid,beer,3\nann,milk,1\ndan,beer,1e0\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    return path


LONG: dict[str, Any] = {"item": "customer", "element": "product", "weight": "units"}


def test_a_long_table(log: Path) -> None:
    assert found(log, **LONG) == {("ann", "bob"): 1.0}
    assert found(log, **LONG, threshold=0.3) == {("ann", "bob"): 1.0, ("cid", "dan"): 1 / 3}
    assert found(pd.read_csv(log), **LONG, recall=1) == {("ann", "bob"): 1.0}
    assert found(log, item="customer", element="product") == {("ann", "bob"): 1.0, ("cid", "dan"): 1.0}


def test_the_dual_view(log: Path) -> None:
    assert found(log, **LONG, transpose=True, threshold=0.2) == {("milk", "tea"): 1 / 4}
    baskets = {"ann": {"milk": 2, "tea": 1}, "bob": {"tea": 3, "milk": 6}, "cid": {"beer": 1}}
    assert found(baskets, transpose=True, threshold=0.4) == {("milk", "tea"): 0.5}
    matrix = sparse.csr_matrix(np.array([[1, 0, 2], [1, 0, 1], [0, 1, 0]]))
    assert found(matrix, transpose=True, weight=True, threshold=0.5) == {(0, 2): 2 / 3}


@SOME
@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcdefgh"), exact_weights), max_size=60),
    st.integers(1, 40),
    st.booleans(),
)
def test_a_long_table_in_any_order(rows: list[tuple[int, str, float]], batch_bytes: int, dual: bool) -> None:
    sets: dict[Any, dict[Any, float]] = {}
    for item, element, weight in rows:
        one, two = (element, item) if dual else (item, element)
        held = sets.setdefault(one, {})
        held[two] = held.get(two, 0.0) + weight
    names = list(sets)
    table = pa.table({
        "who": pa.array([row[0] for row in rows], pa.int32()),
        "what": pa.array([row[1] for row in rows], pa.string()),
        "much": pa.array([row[2] for row in rows], pa.float32()),
    })  # fmt: skip
    truth = naive_darts.all_pairs(list(sets.values()), 0.4)
    given = {"item": "who", "element": "what", "weight": "much", "transpose": dual}
    pairs = found(table, **given, threshold=0.4, recall=1, batch_bytes=batch_bytes)
    assert pairs == {(names[i], names[j]): similarity for (i, j), similarity in truth.items()}


def test_rows_of_weight_0_are_not_there() -> None:
    table = pa.table({"who": list("aabbc"), "what": list("xyxyz"), "much": [1, 0, 1, 2, 0]})
    with pytest.raises(InputError, match="item 'c': all its weights are 0"):
        find_pairs(table, item="who", element="what", weight="much")
    assert found(table.slice(0, 4), item="who", element="what", weight="much", threshold=0.3) == {("a", "b"): 1 / 3}
    dual = deduplicate(table, item="who", element="what", weight="much", transpose=True)
    assert dual.to_arrow()["what"].to_pylist() == ["x", "y"]


# bad input


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [{"a": 1}, {"a": -2}],
            "item 1: the weight of 'a' is -2.0, below 0; weights must be finite numbers, 0 or more",
        ),
        ([{"a": 1}, {"b": 1, "a": float("nan")}], "item 1: the weight of 'a' is NaN"),
        ([{"a": float("inf")}], "item 0: the weight of 'a' is inf, above 1e\\+290"),
        ([{"a": 1}, {"a": 1e300}], "item 1: the weight of 'a' is 1e\\+300, above 1e\\+290: divide all weights"),
        ([{"a": 1}, {"a": None}], "item 1: the weight of 'a' is null"),
        ([{"a": 1}, {"a": "2"}], "item 1: the weight of 'a' is '2', but must be a number"),
        ([{"a": 1}, {}], "item 1: the set has no element with a weight above 0"),
        ([{"a": 1}, {"a": 0, "b": 0.0}], "item 1: the set has no element with a weight above 0"),
        ([{"a": 1}, {7: 1}], "item 1 holds int, but elements must be all strings, or all integers of 64 bits"),
        ([{1: 1, "a": 1}], "item 0 holds str"),
        ([{"a": 1}, {None: 1}], "item 1: an element of the set is null"),
        ([{"a": 1}, ["a"]], "item 1 is list, but must be a dict of weights or None"),
        ([{"a": 1}, "a"], "item 1 is str, but must be a dict"),
    ],
)
def test_bad_weights_are_named(items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_pairs(items)


def test_bad_weights_in_files_are_named_by_row(tmp_path: Path, log: Path) -> None:
    maps = pa.array([[("a", 1.0)], None, [("a", 1.0), ("b", -1.0)], []], pa.map_(pa.string(), pa.float64()))
    pq.write_table(pa.table({"w": maps}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet, row 3: the weight of 'b' is -1.0, below 0"):
        find_pairs(tmp_path / "a.parquet")
    pq.write_table(pa.table({"w": maps.take(pa.array([0, 1, 3]))}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet, row 3: the set has no element with a weight above 0"):
        find_pairs(tmp_path / "b.parquet")
    (tmp_path / "a.jsonl").write_text('{"w": {"a": 1}}\n\n{"w": {"a": -1}}\n')
    with pytest.raises(InputError, match=r"a\.jsonl, line 3: the weight of 'a' is -1.0"):
        find_pairs(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"w": {"a": 1}}\n{"w": {"a": "x"}}\n')
    with pytest.raises(InputError, match=r"b\.jsonl, line 2: column 'w' holds an object, not an object of numbers"):
        find_pairs(tmp_path / "b.jsonl")
    for value, message in (("-1", "is -1.0, below 0"), ("", "is null"), ("nan", "is null"), ("inf", "is inf, above")):
        log.write_text(f"customer,product,units\nann,milk,1\nbob,milk,{value}\n")
        with pytest.raises(InputError, match=rf"log\.csv, row 2: the weight in column 'units' {message}"):
            find_pairs(log, **LONG)
    log.write_text("customer,product,units\nann,milk,1\nbob,milk,two\n")
    with pytest.raises(InputError, match=r"log\.csv, row 2: column 'units' holds 'two'"):
        find_pairs(log, **LONG)


def test_elements_of_two_types_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"w": MAPS}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"w": pa.array([[(1, 1.0)]], pa.map_(pa.int64(), pa.float64()))}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: the sets are of int64, but of large_string in a file before"):
        find_pairs([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(InputError, match="are of int64, but those they are compared with of large_string"):
        find_pairs([{1: 1}], against=tmp_path / "a.parquet")
    with pytest.raises(InputError, match="items are weights, but those they are compared with elements"):
        find_pairs([{1: 1}], against=[{1}])


@pytest.mark.parametrize(
    ("items", "given", "message"),
    [
        (BASKETS, {"measure": "cosine"}, r"`measure` must be jaccard for weighted sets: sum\(min\) / sum\(max\)"),
        (BASKETS, {"measure": "containment"}, "`measure` must be jaccard for weighted sets"),
        (BASKETS, {"sketch": "classic"}, "`sketch` classic signs sets without weights"),
        (BASKETS, {"bag": True}, "weights do so by themselves"),
        (BASKETS, {"shingle": "weights:2"}, "has no size. Got weights:2"),
        (BASKETS, {"lower": True}, "weights takes weights as they are"),
        (BASKETS, {"weight": "units"}, "`weight` is a column of a long table"),
        ([{1}, {2}], {"weight": True}, "the input holds elements"),
        (["a"], {"shingle": "weights"}, "item 0 is str, but must be a dict of weights"),
    ],
)
def test_what_weights_cannot_do_is_refused(items: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises((RecipeError, InputError), match=message):
        find_pairs(items, **given)


def test_bad_questions_about_a_long_table(log: Path) -> None:
    with pytest.raises(RecipeError, match="must be the name of a column of the long table"):
        find_pairs(log, item="customer", element="product", weight=True)
    with pytest.raises(InputError, match=r"no column 'unit' \(--weight\)"):
        find_pairs(log, item="customer", element="product", weight="unit")
    with pytest.raises(RecipeError, match="compare takes two texts"):
        compare("a", "b", shingle="weights")


def test_a_recipe_of_weights() -> None:
    recipe = Recipe(Shingling.parse("weights"), Banding(10, 2))
    assert Recipe.from_json(recipe.to_json()) == recipe
    assert str(recipe.shingling) == "weights"
    with pytest.raises(RecipeError, match="has no size"):
        Shingling(kind="weights")


# for people


def test_the_command_line(log: Path, tmp_path: Path) -> None:
    columns = ("--item", "customer", "--element", "product", "--weight", "units")
    done = run("pairs", str(log), *columns, "--threshold", "0.3")
    assert done.out == "left\tright\tsimilarity\nann\tbob\t1.0\ncid\tdan\t0.3333333333333333\n"
    assert "jaccard 0.3 on weights" in done.err
    done = run("dedup", str(log), *columns, "-o", str(tmp_path / "kept.parquet"), "--report", str(tmp_path / "r.html"))
    assert done.code == 0, done.err
    assert pq.read_table(tmp_path / "kept.parquet")["customer"].to_pylist() == ["ann", "cid", "dan"]
    done = run("pairs", str(log), "--weight", "units")
    assert done.code == 2
    assert "beside `item` and `element`" in done.err


def test_examples_show_elements_with_their_weights(tmp_path: Path) -> None:
    result = find_pairs(dict(zip("abcde", BASKETS, strict=True)), examples=2)
    above = next(example for example in result.examples if example.kind == "above")
    assert (above.left.text, above.right.text) == ("milk: 2, bread: 1, eggs: 6", "milk: 2, bread: 1, eggs: 4.5")
    begin, end = above.right.differs[0]
    assert above.right.text[begin:end] == "eggs: 4.5"
    result.report(tmp_path / "page.html")
    assert "eggs: 4.5" in (tmp_path / "page.html").read_text()
