"""Reading weighted sets: dicts, maps, sparse matrices, long tables; and invalid ones."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import naive.darts
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from support.found_pairs import found
from support.run_cli import run

from lookalike import InputError, RecipeError, compare, deduplicate, find_pairs
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.recipe import Recipe

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

exact_weights = st.integers(1, 40).map(lambda n: n / 8) | st.integers(1, 5).map(float)
"""Weights whose sums are exact."""
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


@pytest.mark.slow
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
    truth = naive.darts.all_pairs(list(sets.values()), 0.4)
    given = {"item": "who", "element": "what", "weight": "much", "transpose": dual}
    pairs = found(table, **given, threshold=0.4, recall=1, batch_bytes=batch_bytes)
    assert pairs == {(names[i], names[j]): similarity for (i, j), similarity in truth.items()}


def test_rows_of_weight_0_are_not_there() -> None:
    table = pa.table({"who": list("aabbc"), "what": list("xyxyz"), "much": [1, 0, 1, 2, 0]})
    assert found(table, item="who", element="what", weight="much", threshold=0.3) == {("a", "b"): 1 / 3}
    for dual, names in ((False, ["a", "b", "c"]), (True, ["x", "y", "z"])):
        result = deduplicate(table, item="who", element="what", weight="much", transpose=dual)
        assert result.to_arrow()["what" if dual else "who"].to_pylist() == names
        assert result.summary.empty == 1


def test_sets_without_weight_are_kept_and_counted() -> None:
    items = [{"a": 1.0}, {}, {"a": 0, "b": 0.0}, {"a": 1.0}, None]
    for recall in (0.99, 1.0):
        result = deduplicate(items, recall=recall)
        assert result.kept == [{"a": 1.0}, {}, {"a": 0, "b": 0.0}, None]
        assert (result.summary.empty, result.summary.nulls) == (3, 1)


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
        ([{"a": 1}, {7: 1}], "item 1 holds int, but elements must be all strings, or all 64-bit integers"),
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
    assert find_pairs(tmp_path / "b.parquet").summary.empty == 2
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
    with pytest.raises(InputError, match="are int64, but those of `against` are large_string"):
        find_pairs([{1: 1}], against=tmp_path / "a.parquet")
    with pytest.raises(InputError, match="items are weights, but `against` holds elements"):
        find_pairs([{1: 1}], against=[{1}])


@pytest.mark.parametrize(
    ("items", "given", "message"),
    [
        (BASKETS, {"measure": "cosine"}, r"`measure` must be jaccard for weighted sets. Got 'cosine'"),
        (BASKETS, {"measure": "containment"}, "`measure` must be jaccard for weighted sets"),
        (BASKETS, {"sketch": "classic"}, "`sketch` must be fast for weighted sets. Got classic"),
        (BASKETS, {"bag": True}, "which weighted sets do not have"),
        (BASKETS, {"shingle": "weights:2"}, "has no size. Got weights:2"),
        (BASKETS, {"lower": True}, "weights compares items as they are"),
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
    with pytest.raises(InputError, match=r"no column 'unit' \(`weight`\)"):
        find_pairs(log, item="customer", element="product", weight="unit")
    with pytest.raises(InputError, match="item 0 is str, but must be a dict of weights"):
        compare("a", "b", shingle="weights")


def test_a_recipe_of_weights() -> None:
    recipe = Recipe(Shingling.parse("weights"), Banding(10, 2))
    assert Recipe.from_json(recipe.to_json()) == recipe
    assert str(recipe.shingling) == "weights"
    with pytest.raises(RecipeError, match="has no size"):
        Shingling(kind="weights")


# the command line


@pytest.mark.slow
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
    assert "beside --item and --element" in done.err


def test_a_weight_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("i,e,p\nx,y,a\n")
    with pytest.raises(InputError, match=r"row 1: column 'p' holds 'a', but a weight must be a number$"):
        find_pairs(tmp_path / "a.csv", item="i", element="e", weight="p")
