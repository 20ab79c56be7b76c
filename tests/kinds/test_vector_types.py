"""Vectors of any precision and scale are compared as given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.brute_force_vectors import MEASURES, assert_same, collection, every_measure, truth
from support.found_pairs import found

from lookalike import InputError, deduplicate, find_pairs, nearest

# precision


def test_double_precision_is_kept_beside_single() -> None:
    single, double = np.array([[1, 1]], np.float32), np.array([[1.0, 1.0 + 3e-9], [1.0, 1.0]])
    asked = {"measure": "euclidean", "threshold": 1e-9, "recall": 1}
    assert found(single, against=double, **asked) == {(0, 1): 0.0}
    assert found(double, against=single, **asked) == {(1, 0): 0.0}
    distances = nearest(single, 2, against=double, measure="euclidean").to_arrow()["distance"].to_pylist()
    assert distances == pytest.approx([0.0, 3e-9])


@every_measure
def test_files_of_different_precision(asked: dict[str, Any], tmp_path: Path) -> None:
    if asked["measure"] == "hamming":
        return
    rows = collection(asked, 300)
    mixed = rows.astype(np.float64)
    mixed[100:200] += np.random.default_rng(3).normal(size=(100, 24)) * 1e-9
    mixed[200:] = rows[200:]
    for name, part in (("a", rows[:100]), ("b", mixed[100:200]), ("c", rows[200:])):
        np.save(tmp_path / f"{name}.npy", part)
    files = [tmp_path / f"{name}.npy" for name in "abc"]
    pairs = truth(mixed, asked)
    names = [f"{files[i // 100]}:{i % 100 + 1}" for i in range(300)]
    expected: Any = {(names[i], names[j]): value for (i, j), value in pairs.items()}
    assert_same(found(files, recall=1, batch_bytes=1 << 10, **asked), expected)
    assert_same(found(files, bands=200, rows=4, batch_bytes=1 << 10, **asked), expected)


def test_copies_in_different_precision_are_copies() -> None:
    rows = collection(MEASURES["cosine"], 50)
    for left, right in ((rows, rows.astype(np.float64)), (rows.astype(np.float64), rows)):
        pairs = found(left, against=right, threshold=1.0)
        assert all(pairs[i, i] == 1.0 for i in range(50))


def test_nulls_stay_null_when_rows_are_widened() -> None:
    single = pa.array([[1.0, 2.0], None, [0.0, 0.0]], pa.list_(pa.float32()))
    double = pa.array([None, [1.0, 2.0], [1e-100, 0.0]], pa.list_(pa.float64()))
    result = find_pairs(single, against=double, measure="euclidean", threshold=0.5)
    assert [(left, right) for left, right, _ in result] == [(0, 1), (2, 2)]
    assert result.summary.nulls == 2


# scale


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-60, 1e-30, 1e30, 1e60, 1e160, 1e300])
def test_angles_at_any_scale(scale: float) -> None:
    asked = MEASURES["cosine"]
    rows = collection(asked, 300).astype(np.float64)
    pairs = truth(rows, asked)
    rows[::2] *= scale
    assert_same(found(rows, recall=1, **asked), pairs)
    assert_same(found(rows, bands=200, rows=4, **asked), pairs)


@pytest.mark.parametrize("scale", [1e-40, 1e-38, 1e37])
def test_angles_at_any_scale_of_single_precision(scale: float) -> None:
    asked = MEASURES["cosine"]
    rows = (collection(asked, 300).astype(np.float64) * scale).astype(np.float32)
    pairs = truth(rows, asked)
    assert_same(found(rows, recall=1, **asked), pairs)
    assert_same(found(rows, bands=200, rows=4, **asked), pairs)


def test_small_vectors_beside_large_ones_are_no_zeros() -> None:
    rows = collection(MEASURES["cosine"], 50)
    tiny = rows.astype(np.float64) * 1e-100
    assert found(rows, against=tiny, threshold=0.999).keys() >= {(i, i) for i in range(50)}


@pytest.mark.parametrize("wrong", [1e-160, 1e-170, 1e200])
def test_distances_that_cannot_be_squared_are_named(wrong: float) -> None:
    items = [[1.0, 2.0]] * 20 + [None, [wrong, 0.0]]
    with pytest.raises(InputError, match="item 21: the vector is too long or too short"):
        find_pairs(items, measure="euclidean", threshold=1, batch_bytes=1)


# copies, and vectors of one direction


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_copies_have_the_cosine_1(dtype: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 16)).astype(dtype)
    both = np.vstack([rows, rows])
    answers = list(nearest(both, 1, threshold=1.0))
    assert [(left, right) for left, right, *_ in answers] == [(i, (i + 200) % 400) for i in range(400)]
    assert len(find_pairs(both, threshold=1.0)) == 200


def test_multiples_have_the_cosine_1() -> None:
    assert found([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [-1.0, -2.0]], threshold=1.0, recall=1) == {
        (0, 1): 1.0,
        (0, 2): 1.0,
        (1, 2): 1.0,
    }
    rows = np.random.default_rng(0).normal(size=(100, 5))
    assert len(found(rows, against=-4 * -rows, threshold=1.0, recall=1)) == 100


# nulls, which have no length


@every_measure
def test_nulls_before_the_first_vector(asked: dict[str, Any], tmp_path: Path) -> None:
    bits = asked["measure"] == "hamming"
    given = [None] * 40 + ([b"ab", b"ab", b"ab"] if bits else [[1.0, 2.0, 3.0]] * 3) + [None] * 40
    kind = pa.binary() if bits else pa.list_(pa.float32())
    for items in (pa.array(given, kind), given if not bits else pa.array(given, pa.binary(2))):
        result = find_pairs(items, batch_bytes=1, **asked)
        assert [(left, right) for left, right, _ in result] == [(40, 41), (40, 42), (41, 42)]
        assert result.summary.nulls == 80
    column = "bits" if bits else "vector"
    pq.write_table(pa.table({column: pa.array(given[:40], kind)}), tmp_path / "a.parquet")
    pq.write_table(pa.table({column: pa.array(given[40:], kind)}), tmp_path / "b.parquet")
    assert len(find_pairs([tmp_path / "a.parquet", tmp_path / "b.parquet"], **asked)) == 3
    against = pa.array(given[40:43], kind)
    assert len(find_pairs(pa.array(given[:40], kind), against=against, **asked)) == 0


@every_measure
def test_nothing_but_nulls(asked: dict[str, Any]) -> None:
    kind = pa.binary() if asked["measure"] == "hamming" else pa.list_(pa.float32())
    for search in ({}, {"recall": 1}, {"bands": 3, "rows": 2}):
        given: dict[str, Any] = {**asked, **search}
        assert deduplicate(pa.nulls(5, kind), **given).summary.nulls == 5


# where what is wrong stands


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([[1.0, 2.0]] * 16 + [None] * 3 + [[1.0, 2.0, 3.0]] * 13, "item 19: the vector has 3 numbers"),
        (
            [[1.0, 2.0]] * 16 + [[1.0, 2.0, 3.0]] * 3 + [[1.0, 2.0]],
            "item 19: the vector has 2 numbers, but that of ite",
        ),
        ([None, None, [], []], "item 2: the vector is empty"),
    ],
)
def test_the_right_row_is_named(items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_pairs(items, measure="euclidean", threshold=1, batch_bytes=1)


def test_truth_values_of_different_number() -> None:
    few, more = np.zeros((2, 12), bool), np.zeros((2, 13), bool)
    with pytest.raises(InputError, match="item 0: the item has 13 bits, but earlier ones have 12"):
        find_pairs(few, against=more, measure="hamming", threshold=0)
    lists = pa.array([[True] * 12] * 16 + [None] + [[True] * 13] * 16)
    with pytest.raises(InputError, match="item 17: the item has 13 bits, but earlier ones have 12"):
        find_pairs(lists, measure="hamming", threshold=0, batch_bytes=1)
    packed = np.zeros((2, 2), np.uint8)
    assert len(find_pairs(few, against=packed, measure="hamming", threshold=0)) == 4
