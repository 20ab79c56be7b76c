"""Reading vectors and bits, and those that cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from support.brute_force_vectors import MEASURES, assert_same, collection, every_measure, truth
from support.found_pairs import found

from lookalike import InputError, RecipeError, deduplicate, find_pairs, nearest, tune

# where vectors come from


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool"])
def test_arrays_of_any_type(dtype: str) -> None:
    rows = (np.random.default_rng(2).normal(size=(60, 8)) * 3).astype(dtype)
    rows[:, 0] = 1
    asked = {"measure": "cosine", "threshold": 0.95}
    assert_same(found(rows, recall=1, **asked), truth(rows.astype(np.float64), asked))
    assert_same(found(np.asfortranarray(rows), recall=1, **asked), truth(rows.astype(np.float64), asked))


def test_frames_lists_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = MEASURES["cosine"]
    rows = collection(asked, 60, 4).astype(np.float64)
    lists = rows.tolist()
    pairs = truth(rows, asked)
    assert len(pairs) > 5
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), 4)
    names = [f"v{i}" for i in range(60)]
    table = pa.table({"id": names, "embedding": fixed})
    for items in (lists, iter(lists), fixed, pd.DataFrame({"e": lists}), pl.DataFrame({"e": lists}), [*rows]):
        assert_same(found(items, recall=1, **asked), pairs)
    named = {(names[i], names[j]): value for (i, j), value in pairs.items()}
    np.save("a.npy", rows)
    pq.write_table(table, "a.parquet")
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    for name in ("a.parquet", "a.jsonl"):
        assert_same(found(Path(name), id="id", recall=1, **asked), named)  # type: ignore[arg-type]
    numbered = {(f"a.npy:{i + 1}", f"a.npy:{j + 1}"): value for (i, j), value in pairs.items()}
    assert_same(found(Path("a.npy"), recall=1, **asked), numbered)  # type: ignore[arg-type]


def test_vectors_are_compared_by_cosine_by_default() -> None:
    rows = collection(MEASURES["cosine"], 60)
    assert find_pairs(rows).summary.measure == "cosine"
    assert find_pairs(rows).summary.shingle == "vectors"


@pytest.mark.slow
def test_bits_of_any_layout() -> None:
    asked = MEASURES["hamming"]
    numbers = np.random.default_rng(4).integers(0, 1 << 63, 200).astype(np.uint64)
    numbers[100:150] = numbers[:50] ^ np.uint64(0b10110)
    packed = numbers.astype(">u8").view(np.uint8).reshape(200, 8)
    pairs = truth(packed, asked)
    assert len(pairs) == 50
    binary = pa.array([row.tobytes() for row in packed])
    for items in (
        packed,
        numbers,
        numbers.view(np.int64),
        np.unpackbits(packed, axis=1).astype(bool),
        pa.table({"hash": binary}),
        pa.table({"hash": binary.cast(pa.binary(8))}),
        pa.table({"hash": numbers}),
        pa.table({"hash": pa.array(packed.tolist(), pa.list_(pa.uint8()))}),
    ):
        assert_same(found(items, recall=1, **asked), pairs)
        assert_same(found(items, bands=60, rows=8, **asked), pairs)


def test_bits_that_do_not_fill_a_byte() -> None:
    rows = np.random.default_rng(4).integers(0, 2, (50, 13)).astype(bool)
    rows[25:] = rows[:25]
    rows[25:, 3] ^= True
    pairs = found(rows, measure="hamming", threshold=1, recall=1)
    assert {(i, i + 25): 1.0 for i in range(25)}.items() <= pairs.items()


def test_nulls_are_counted_and_match_nothing() -> None:
    items = [[1.0, 2.0], None, [1.0, 2.0], None, [2.0, 4.0]]
    result = find_pairs(items, threshold=0.99)
    assert [(left, right) for left, right, _ in result] == [(0, 2), (0, 4), (2, 4)]
    assert result.summary.nulls == 2
    assert "2 items have no vector" in result.summary.notes[0]


@pytest.mark.slow
@every_measure
@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_any_vectors(asked: dict[str, Any], count: int) -> None:
    rows = np.ones((count, 4), np.uint8 if asked["measure"] == "hamming" else np.float64)
    for search in ({}, {"recall": 1}, {"bands": 3, "rows": 2}):
        given: dict[str, Any] = {**asked, **search}
        assert len(find_pairs(rows, **given)) == (count == 2)
        assert deduplicate(rows, **given).summary.kept == min(count, 1)


# what cannot be compared

NAN = float("nan")


@pytest.mark.parametrize(
    ("items", "asked", "message"),
    [
        (np.array([[1, 2], [1, NAN]]), {}, "item 1: the vector holds NaN or an infinity"),
        (np.array([[1, 2], [1, 3], [np.inf, 0]]), {"measure": "euclidean", "threshold": 1}, "item 2: the vector holds"),
        (np.array([[1.0, 2], [0, 0]]), {}, "item 1: the vector has only zeros"),
        ([[1.0, 2.0], [1.0]], {}, "item 1: the vector has 1 numbers, but that of item 0 has 2"),
        ([[1.0, 2.0], [1.0, None]], {}, "item 1: a number of the vector is null"),
        (np.zeros((2, 2, 2)), {}, r"an array of shape \(2, 2, 2\)"),
        (
            np.array([[1e200, 1.0]]),
            {"measure": "euclidean", "threshold": 1},
            "item 0: the vector is too long or too short",
        ),
        (np.array([1.0, 2.0]), {}, r"an array of shape \(2,\)"),
        (np.zeros((2, 2)), {"measure": "hamming", "threshold": 1}, "bits must be bool, or packed in uint8"),
    ],
)
def test_bad_vectors_are_named(items: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_pairs(items, **asked)


def test_zeros_have_distances() -> None:
    assert found(np.zeros((2, 3)), measure="euclidean", threshold=0) == {(0, 1): 0.0}
    assert found(np.zeros((2, 3)), measure="agreement", tolerance=1.0, threshold=1) == {(0, 1): 1.0}


def test_lengths_that_differ_between_batches_are_named(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"vector": [[1.0, 2.0]] * 40 + [[1.0, 2.0, 3.0]]}), tmp_path / "a.parquet", row_group_size=40
    )
    with pytest.raises(InputError, match=r"a\.parquet, row 41: the vector has 3 numbers, but that of"):
        find_pairs(tmp_path / "a.parquet", batch_bytes=1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "euclidean"}, "`threshold` must be the maximum distance"),
        ({"measure": "euclidean", "threshold": -1}, "`threshold` of a distance must be at least 0"),
        ({"measure": "agreement", "threshold": 0.5}, "`tolerance`"),
        ({"measure": "agreement", "threshold": 0.5, "tolerance": 0}, "`tolerance` must be above 0"),
        ({"measure": "cosine", "tolerance": 1}, "`tolerance`"),
        (
            {"measure": "jaccard"},
            "must be cosine, euclidean or agreement for vectors. Got 'jaccard'; that is a measure of sets",
        ),
        ({"measure": "cosine", "threshold": 90}, "did you mean 0.90"),
    ],
)
def test_bad_questions(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        find_pairs(collection(MEASURES["cosine"], 10), **asked)


def test_a_file_that_is_no_array(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"no array")
    with pytest.raises(InputError, match=r"a\.npy is not a NumPy array file"):
        find_pairs(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(InputError, match=r"b\.npy cannot be read as an array"):
        find_pairs(tmp_path / "b.npy")
    (tmp_path / "c.npy").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(InputError, match=r"c\.npy is an archive"):
        find_pairs(tmp_path / "c.npy")


# arrays in files


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">i2", ">f2"])
def test_arrays_of_the_other_order_of_bytes(dtype: str, tmp_path: Path) -> None:
    rows = np.array([[1, 2], [2, 1], [3, 6]], dtype)
    np.save(tmp_path / "a.npy", rows)
    for items in (rows, tmp_path / "a.npy"):
        assert list(found(items, threshold=0.99).values()) == [1.0]
    deduplicate(tmp_path / "a.npy", threshold=0.99).write(tmp_path / "kept.npy")
    assert np.load(tmp_path / "kept.npy").tolist() == [[1, 2], [2, 1]]
    hashes = np.array([7, 8, 7], ">u8")
    np.save(tmp_path / "h.npy", hashes)
    for items in (hashes, tmp_path / "h.npy"):
        assert list(found(items, measure="hamming", threshold=1).values()) == [0.0]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((2, 2), np.longdouble), "type (longdouble|float128|float96); convert it to float64"),
        (np.zeros((3, 0)), r"shape \(3, 0\), whose rows are empty"),
        (np.zeros((0, 0)), r"shape \(0, 0\), whose rows are empty"),
    ],
)
def test_arrays_that_cannot_be_read(array: Any, message: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    for items, label in ((array, "the input"), (tmp_path / "a.npy", r"a\.npy")):
        with pytest.raises(InputError, match=f"{label} is an array of {message}"):
            find_pairs(items)


def test_an_archive_is_no_array(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.ones((2, 2)))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(InputError, match=r"a\.npy is an archive, as numpy\.savez makes"):
        find_pairs(tmp_path / "a.npy")


# JSON, which has one kind of numbers


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"measure": "euclidean", "threshold": 0.1}, {"shingle": "vectors"}])
def test_a_fraction_that_comes_late(asked: dict[str, Any], tmp_path: Path) -> None:
    rows = [[i, 1, 2] for i in range(6_000)] + [[0.25, 1, 2.5], [0.25, 1, 2.5]]
    lines = [json.dumps({"vector": row, "note": "x" * 250}) + "\n" for row in rows]
    assert sum(map(len, lines[:-2])) > 1 << 20, "types of columns are guessed from the first megabyte"
    (tmp_path / "a.jsonl").write_text("".join(lines))
    pairs = found(tmp_path / "a.jsonl", **{"threshold": 1.0, **asked})
    assert tuple(f"{tmp_path / 'a.jsonl'}:{row}" for row in (6_001, 6_002)) in pairs


# settings, before it is known what items are


def test_low_thresholds_of_vectors_and_sets() -> None:
    rows = np.array([[1.0, 0.0], [0.02, 1.0]])
    assert found(rows, measure="cosine", threshold=0.01, recall=1).keys() == {(0, 1)}
    assert found(rows, measure="cosine", threshold=0.01).keys() == {(0, 1)}
    assert found([{1, 2}, {2, 3}], measure="cosine", threshold=0.01) == {(0, 1): 0.5}
    with pytest.raises(RecipeError, match="`threshold` must be closer"):
        find_pairs(["a b", "b c"], measure="cosine", threshold=0.01)


def test_numbers_of_numpy_are_numbers() -> None:
    rows = collection(MEASURES["cosine"], 60)
    one: Any = np.int64(1)
    half: Any = np.float32(0.5)
    result = find_pairs(rows, threshold=half, recall=half, seed=one, threads=one, measure_recall=one)
    assert result.recipe.to_json() == find_pairs(rows, threshold=0.5, recall=0.5, seed=1).recipe.to_json()
    assert found(rows, bands=50 * one, rows=2 * one) == found(rows, bands=50, rows=2)
    assert found(rows, measure="agreement", tolerance=2 * half, threshold=half)
    assert len(nearest(rows, 3 * one)) == 180
    assert tune(half, half) == tune(0.5, 0.5)


@pytest.mark.parametrize(
    ("items", "asked", "message"),
    [
        (np.eye(3), {"measure": "manhattan"}, "must be cosine, euclidean or agreement for vectors. Got 'manhattan'"),
        ([{1}], {"measure": "manhattan"}, "must be jaccard, dice, .* for sets. Got 'manhattan'"),
        (np.eye(3), {"bag": True}, "`bag` counts repeated elements of sets, which vectors do not have"),
        (sparse.csr_array(np.eye(3)), {"shingle": "words:3"}, "`shingle` words:3 does not apply to sets"),
        (
            pa.table({"a": ["x"], "b": ["y"]}),
            {"item": "a", "element": "b", "shingle": "words:3"},
            "`shingle` words:3 does not apply to sets",
        ),
    ],
)
def test_settings_of_other_kinds(items: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        find_pairs(items, **asked)


def test_large_distances_do_not_warn() -> None:
    rows = np.array([[1e100, 0.0], [0.0, 2e100], [1e100, 1.0]])
    asked: dict[str, Any] = {"measure": "euclidean", "threshold": 1e99}
    assert found(rows, recall=1, **asked) == {(0, 2): pytest.approx(1.0)}
    assert found(rows, **asked).keys() == {(0, 2)}
    assert [right for _, right, *_ in nearest(rows, 1, measure="euclidean")] == [2, 0, 0]
