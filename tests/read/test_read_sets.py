"""Reading sets: lists of sets, columns of lists, sparse matrices, long tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive
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

from lookalike import InputError, RecipeError, compare, deduplicate, find_pairs, nearest, read_items

SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
BASKETS = [{"milk", "bread", "eggs"}, {"milk", "bread"}, {"eggs", "milk", "bread", "tea"}, {"beer"}, {"beer", "chips"}]
FOUND = {(0, 1): 2 / 3, (0, 2): 3 / 4, (1, 2): 1 / 2, (3, 4): 1 / 2}
LISTS = [sorted(basket) for basket in BASKETS]


# in memory and in files


@pytest.mark.parametrize(
    "make",
    [
        lambda: BASKETS,
        lambda: LISTS,
        lambda: [tuple(basket) for basket in BASKETS],
        lambda: [frozenset(basket) for basket in BASKETS],
        lambda: iter(BASKETS),
        lambda: pa.array(LISTS),
        lambda: pa.table({"tags": LISTS}),
        lambda: pa.table({"tags": pa.array(LISTS, pa.large_list(pa.dictionary(pa.int8(), pa.string())))}),
        lambda: pa.table({"id": list("abcde"), "tags": pa.array(LISTS, pa.list_view(pa.string_view()))}),
        lambda: pd.DataFrame({"tags": LISTS}),
        lambda: pl.DataFrame({"tags": LISTS}),
        lambda: pl.Series(LISTS),
    ],
    ids=["sets", "lists", "tuples", "frozensets", "iterator", "array", "table", "dictionary", "views", "pandas",
         "polars", "series"],
)  # fmt: skip
def test_sets_in_memory(make: Callable[[], Any]) -> None:
    assert found(make(), threshold=0.5) == FOUND
    assert found(make(), threshold=0.5, recall=1) == FOUND


def test_a_dict_of_sets() -> None:
    assert found(dict(zip("abcde", BASKETS, strict=True)), threshold=0.7) == {("a", "c"): 0.75}


def test_a_sparse_matrix() -> None:
    names = sorted(set().union(*BASKETS))
    dense = np.array([[name in basket for name in names] for basket in BASKETS]) * 2.5
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array):
        assert found(kind(dense), threshold=0.5) == FOUND
    stored = sparse.csr_matrix(dense)
    stored.data[0] = 0
    assert (0, 2) not in found(stored, threshold=0.7)
    assert stored.nnz == 12


def test_numbers_of_any_width_and_sign() -> None:
    numbers = [[-1, 1 << 40], [1 << 40, -1], [0, 5]]
    for kind in (pa.int64(), pa.float64()):
        assert found(pa.array(numbers, pa.list_(kind)), shingle="elements") == {(0, 1): 1.0}
    assert found(pa.array([[1, 2], [2, 1], [3]], pa.list_(pa.uint8()))) == {(0, 1): 1.0}
    assert found([[0.0, 1.5], [1.5, -0.0]], shingle="elements") == {(0, 1): 1.0}


def test_a_bag_counts() -> None:
    bags = [["a", "a", "b"], ["a", "b"], ["b", "a", "a"]]
    assert found(bags, threshold=0.6, recall=1) == {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}
    assert found(bags, threshold=0.6, recall=1, bag=True) == {(0, 1): 2 / 3, (0, 2): 1.0, (1, 2): 2 / 3}


def test_files_of_lists(tmp_path: Path) -> None:
    table = pa.table({"customer": list("abcde"), "products": LISTS})
    pq.write_table(table, tmp_path / "sets.parquet")
    (tmp_path / "sets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    named = {("abcde"[i], "abcde"[j]): similarity for (i, j), similarity in FOUND.items()}
    for name in ("sets.parquet", "sets.jsonl"):
        assert found(tmp_path / name, threshold=0.5, id="customer") == named
        assert found(tmp_path / name, threshold=0.5, id="customer", text="products") == named


def test_sets_and_strings_in_two_files_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"tags": [["1"], ["2"]]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"tags": [[1], [2]]}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: the sets are of int64, but of large_string in a file before"):
        find_pairs([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(InputError, match="are int64, but those of `against` are large_string"):
        find_pairs(tmp_path / "b.parquet", against=tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{1}, {"a"}], "item 1 holds str, but elements must be all strings, or all 64-bit integers"),
        ([{1}, {1 << 70}], "item 1 holds int"),
        ([{1}, {2}, "a"], "item 2 is str, but must be a set, a list or None"),
        ([{1}, 7], "item 1 is int, but must be a set"),
        ([[1], [2, None]], "item 1: an element of the set is null"),
        ([[1], [float("nan")]], "item 1: an element of the set is null or NaN"),
        ([[1], [[2]]], "item 1 holds list"),
    ],
)
def test_bad_sets_are_named(items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_pairs(items)


def test_empty_sets_are_kept_and_counted(tmp_path: Path) -> None:
    pq.write_table(pa.table({"tags": [["a"], [], None, ["a"], []]}), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text(
        "".join(f'{{"tags": {tags}}}\n' for tags in ("[]", '["a"]', "null", '["a"]', "[]"))
    )
    for source in ([{"a"}, set(), None, {"a"}, set()], tmp_path / "a.parquet", tmp_path / "a.jsonl"):
        for recall in (0.99, 1.0):
            result = deduplicate(source, recall=recall)
            assert (result.summary.items, result.summary.removed) == (5, 1)
            assert (result.summary.empty, result.summary.nulls) == (3, 1)
            assert result.summary.notes[0].startswith("3 items have no element, 1 of them null: they are kept")
    assert list(find_pairs([set(), {1}], against=[{1}, set()])) == [(1, 0, 1.0)]
    assert list(nearest([set(), {1, 2}, {1}], 1)) == [(1, 2, 1, 0.5), (2, 1, 1, 0.5)]
    assert compare(set(), {1}).reason == "Not a pair: a set without elements matches nothing."
    assert len(find_pairs([set(), set()])) == 0


def test_the_first_value_that_is_not_empty_says_what_items_are() -> None:
    assert read_items([[], [0.5, 1.0]]).kind == "vectors"
    assert read_items([{}, {"a": 1.0}]).kind == "weights"
    assert read_items([[], []]).kind == "elements"


def test_nulls_are_counted_and_match_nothing() -> None:
    pairs = find_pairs([{1, 2}, None, {1, 2}, None])
    assert [(left, right) for left, right, _ in pairs] == [(0, 2)]
    assert pairs.summary.nulls == pairs.summary.empty == 2
    assert pairs.summary.notes == ("2 items have no element, 2 of them null: they are kept and match nothing",)


def test_no_sets_at_all() -> None:
    assert len(find_pairs(pa.array([], pa.list_(pa.int64())))) == 0
    assert len(find_pairs([None, None], shingle="elements")) == 0


# long tables

LOG = "customer,product,day\nann,milk,1\nbob,milk,1\nann,tea,2\nbob,tea,3\ncid,beer,1\nann,milk,9\ndan,beer,1\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    return path


def test_a_long_table(log: Path) -> None:
    assert found(log, item="customer", element="product") == {("ann", "bob"): 1.0, ("cid", "dan"): 1.0}
    frame = pd.read_csv(log)
    assert found(frame, item="customer", element="product", recall=1) == {("ann", "bob"): 1.0, ("cid", "dan"): 1.0}
    bags = found(log, item="customer", element="product", bag=True, threshold=0.6)
    assert bags == {("ann", "bob"): 2 / 3, ("cid", "dan"): 1.0}


def test_the_dual_view(log: Path) -> None:
    assert found(log, item="customer", element="product", transpose=True) == {("milk", "tea"): 1.0}
    baskets = {"ann": ["milk", "tea"], "bob": ["tea", "milk"], "cid": ["beer"]}
    assert found(baskets, transpose=True) == {("milk", "tea"): 1.0}
    matrix = sparse.csr_matrix(np.array([[1, 0, 1], [1, 0, 1], [0, 1, 0]]))
    assert found(matrix, transpose=True) == {(0, 2): 1.0}


@SOME
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcdefgh")), max_size=60), st.integers(1, 40))
def test_a_long_table_in_any_order_makes_the_same_sets(rows: list[tuple[int, str]], batch_bytes: int) -> None:
    sets: dict[int, set[str]] = {}
    for item, element in rows:
        sets.setdefault(item, set()).add(element)
    names = list(sets)
    table = pa.table({"who": pa.array([item for item, _ in rows], pa.int32()), "what": [what for _, what in rows]})
    truth = naive.all_pairs(list(sets.values()), 0.4)
    pairs = found(table, item="who", element="what", threshold=0.4, recall=1, batch_bytes=batch_bytes)
    assert pairs == {(names[i], names[j]): similarity for (i, j), similarity in truth.items()}


def test_kept_rows_of_a_long_table(log: Path) -> None:
    kept = deduplicate(log, item="customer", element="product").to_arrow()
    assert kept.to_pydict() == {"customer": ["ann", "cid"], "product": [["milk", "tea", "milk"], ["beer"]]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"item": "customer"}, "`item` and `element` go together"),
        ({"item": "customer", "element": "produkt"}, r"no column 'produkt' \(`element`\)"),
        ({"item": "customer", "element": "product", "text": "day"}, "Leave `text` and `id` out"),
        ({"transpose": True, "text": "customer"}, "the input holds texts"),
    ],
)
def test_bad_questions_about_a_long_table(log: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, RecipeError), match=message):
        find_pairs(log, **given)


def test_a_null_in_a_long_table_is_named(tmp_path: Path) -> None:
    table = pa.table({"who": ["a", "b", None], "what": ["x", None, "y"]})
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(InputError, match="row 2: the element is null"):
        find_pairs(tmp_path / "log.parquet", item="who", element="what")


def test_the_command_line(log: Path) -> None:
    done = run("pairs", str(log), "--item", "customer", "--element", "product")
    assert done.out == "left\tright\tsimilarity\nann\tbob\t1.0\ncid\tdan\t1.0\n"
    assert "jaccard 0.8 on elements" in done.err
    done = run("pairs", str(log), "--item", "customer", "--element", "product", "--transpose", "--measure", "overlap")
    assert done.out == "left\tright\tsimilarity\nmilk\ttea\t1.0\n"


# for people


def test_examples_show_the_names_of_elements(tmp_path: Path) -> None:
    table = pa.table({"id": list("abcde"), "tags": LISTS})
    result = find_pairs(table, id="id", threshold=0.7, examples=2)
    above = next(example for example in result.examples if example.kind == "above")
    assert (above.left.id, above.right.id) == ("a", "c")
    assert above.left.text == "bread, eggs, milk"
    assert above.right.text == "bread, eggs, milk, tea"
    begin, end = above.right.differs[0]
    assert above.right.text[begin:end] == "tea"
    result.report(tmp_path / "page.html")
    assert "bread, eggs, milk" in (tmp_path / "page.html").read_text()
