"""Reading unusual sets: floats, numbers too large, bytes, matrices with repeated entries, empty names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from support.found_pairs import found

from lookalike import InputError, find_pairs, nearest

LARGE = (1 << 63) + 1


@pytest.mark.slow
@pytest.mark.parametrize("make", [set, frozenset, lambda one: dict.fromkeys(one).keys()])
def test_sets_of_floats_are_no_vectors(make: Any) -> None:
    items = [make([1.0, 2.0]), make([2.0, 4.0]), make([4.0])]
    assert found(items, threshold=0.1) == {(0, 1): 1 / 3, (1, 2): 1 / 2}
    assert found(dict(zip("abc", items, strict=True)), threshold=0.4) == {("b", "c"): 1 / 2}
    assert found([[1.0, 2.0], [2.0, 4.0]], threshold=0.1) == {(0, 1): 1.0}


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (pa.uint64(), LARGE, "the element 9223372036854775809 does not fit in a signed 64-bit integer"),
        (pa.binary(), b"\xff", "an element of the set is not valid UTF-8"),
    ],
)
def test_ambiguous_elements_are_named(kind: Any, wrong: Any, message: str) -> None:
    good = 7 if kind == pa.uint64() else b"a"
    rows = [[good]] * 20 + [None, [good, wrong]]
    coded = pa.large_list(pa.dictionary(pa.int32(), kind))
    for column in (pa.list_(kind), pa.large_list(kind), pa.list_view(kind), coded):
        values = pa.array(rows, column)
        with pytest.raises(InputError, match=f"item 21: {message}"):
            find_pairs(pa.table({"tags": values}), text="tags", shingle="elements")
    weights = [None if row is None else [(one, 1.0) for one in row] for row in rows]
    with pytest.raises(InputError, match=f"item 21: {message}"):
        find_pairs(pa.table({"weights": pa.array(weights, pa.map_(kind, pa.float64()))}))


def test_elements_of_a_long_table_that_are_too_large_are_named() -> None:
    table = pa.table({"who": ["a", "b", "b"], "what": pa.array([1, 2, LARGE], pa.uint64())})
    with pytest.raises(InputError, match="item 2: the element 9223372036854775809 does not fit"):
        find_pairs(table, item="who", element="what")
    with pytest.raises(InputError, match="the element 9223372036854775809 does not fit"):
        find_pairs(table, item="what", element="who", transpose=True)
    assert found(table, item="what", element="who", threshold=0.5) == {(2, LARGE): 1.0}


def test_large_integers_in_lists() -> None:
    for items in ([{1}, {LARGE}], [np.array([1], np.uint64), np.array([LARGE], np.uint64)]):
        with pytest.raises(InputError, match="item 1"):
            find_pairs(items)


# sparse matrices


def test_doubled_entries_of_a_matrix_are_summed() -> None:
    entries = np.array([1.0, -1.0, 1.0, 1.0]), np.array([0, 0, 1, 1]), np.array([0, 3, 4])
    matrix = sparse.csr_matrix(entries, shape=(2, 3))
    assert found(matrix, threshold=0.1) == {(0, 1): 1.0}
    assert matrix.nnz == 4
    again = sparse.csr_matrix((np.ones(4), *entries[1:]), shape=(2, 3))
    assert found(again, threshold=0.1, bag=True) == {(0, 1): 0.5}
    assert found(again, threshold=0.1, weight=True) == {(0, 1): 1 / 3}


@pytest.mark.parametrize("weight", [None, True])
def test_matrices_of_other_numbers_or_shapes(weight: Any) -> None:
    for matrix in (sparse.csr_matrix(np.eye(3) * 1j), sparse.coo_array(np.array([1, 0, 2]))):
        with pytest.raises(InputError, match="the input is a sparse array of shape"):
            find_pairs(matrix, weight=weight)


# long tables with empty fields


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("ann,milk,1\n,milk,2\n", "row 2: the id is null"),
        ("ann,milk,1\nbob,tea,1\nann,,1\n", "row 3: the element is null"),
        ('ann,milk,1\n"",milk,2\n', "row 2: the id is null"),
    ],
)
def test_empty_names_in_a_long_table(rows: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,what,count\n" + rows)
    with pytest.raises(InputError, match=message):
        find_pairs(tmp_path / "a.csv", item="who", element="what")
    with pytest.raises(InputError, match=message):
        nearest(tmp_path / "a.csv", item="who", element="what", weight="count")


def test_a_long_table_that_ends_in_an_empty_field(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,what,note\nann,milk,\nbob,milk,\n")
    assert found(tmp_path / "a.csv", item="who", element="what") == {("ann", "bob"): 1.0}
