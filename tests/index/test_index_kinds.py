"""Sets, weighted sets, vectors and bits in an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.index_queries import answers, by_pairs

from lookalike import Index, InputError, find_pairs


@pytest.mark.parametrize(
    ("how", "items", "asked"),
    [
        ({"shingle": "elements"}, [{"a", "b", "c"}, {"d"}, {"b", "c"}], {"b", "c", "a"}),
        ({"shingle": "elements", "measure": "dice"}, [[1, 2, 3], [4], [2, 3]], [3, 2, 1]),
        ({"shingle": "elements", "measure": "containment"}, [[1, 2, 3, 4, 5, 6], [4], [2, 3]], [2, 3]),
        ({"shingle": "elements", "measure": "overlap"}, [[1, 2, 3, 4, 5, 6], [4], [2, 3]], [2, 3, 4, 7]),
        ({"shingle": "tokens:2"}, [[1, 2, 3, 4], [4], [9, 2, 3, 4]], [1, 2, 3, 4]),
        ({"shingle": "weights"}, [{"a": 1.0, "b": 0.5}, {"c": 2.0}, {"a": 1.0}], {"a": 0.5, "b": 0.5}),
        ({"shingle": "chars:3", "bag": True}, ["abcabcabc", "xyz", "abcabc"], "abcabcabcabc"),
        ({"recall": 1, "shingle": "chars:3"}, ["abcabcabc", "xyz", "abcdef"], "abcabd"),
    ],
)
def test_other_kinds_and_measures(tmp_path: Path, how: dict[str, Any], items: list[Any], asked: Any) -> None:
    with Index.create(tmp_path / "i", threshold=0.3, **how) as index:
        index.add(None, items)
        found = answers(index, [asked])
        assert found == by_pairs(items, [asked], 0.3, **{key: how[key] for key in how if key != "recall"})
        assert found
        index.compact(rebuild=True)
        assert answers(index, [asked]) == found
        kind = type(items[0])
        assert kind(index.get(0)) == items[0]


def test_sets_are_the_same_however_they_were_read(tmp_path: Path) -> None:
    """Numbers as they are, or as a dictionary, which is what a long table makes of them."""
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"who": [7, 7, 8, 7], "what": [5, 4, 9, 6]}), path)
    encoded = pa.array([[4, 5, 6], None, [9]], pa.large_list(pa.dictionary(pa.int32(), pa.int64())))
    with Index.create(tmp_path / "i", shingle="elements", threshold=0.5) as index:
        index.add([1], [[6, 5, 4]])
        index.add([2, 3], pa.table({"elements": encoded})[1:])
        index.add([5], pa.table({"elements": encoded})[:1])
        index.add_source(index.source(path, item="who", element="what"))
        assert [index.get(i) for i in (1, 2, 3, 5, 7, 8)] == [[6, 5, 4], None, [9], [4, 5, 6], [5, 4, 6], [9]]
        assert {match.id for match in index.query([4, 5, 6])} == {1, 5, 7}


def test_elements_of_two_types_are_refused(tmp_path: Path) -> None:
    with Index.create(tmp_path / "i", shingle="elements") as index:
        index.add(None, [{"a", "b"}])
        with pytest.raises(InputError, match="Got int64"):
            index.add(None, [{1, 2}])
        with pytest.raises(InputError, match="Got int64"):
            index.query({1, 2})
        with pytest.raises(InputError):
            index.query("a")


def made_vectors(count: int) -> Any:
    """Return vectors, half of which are the others with noise."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(count, 16)).astype(np.float32)
    rows[count // 2 :] = rows[: count // 2] + 0.1 * rng.normal(size=(count // 2, 16))
    return rows


def made_bits(count: int) -> Any:
    """Return bits, half of which are the others with two of them changed."""
    rows = np.random.default_rng(3).integers(0, 256, (count, 9)).astype(np.uint8)
    rows[count // 2 :] = rows[: count // 2]
    rows[count // 2 :, 0] ^= 3
    return rows


def least_found(chances: list[float]) -> int:
    """Return how many pairs are found at least, one time in a million excepted, if each has its own chance."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return int(np.searchsorted(law.cumsum(), 1e-6))


@pytest.mark.slow
@pytest.mark.parametrize("bands", [{}, {"bands": 60, "rows": 8}], ids=["exactly", "by bands"])
@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ({"shingle": "vectors", "measure": "cosine", "threshold": 0.97}, made_vectors(2600)),
        ({"shingle": "vectors", "measure": "euclidean", "threshold": 0.5}, made_vectors(2600)),
        ({"shingle": "vectors", "measure": "agreement", "tolerance": 0.2, "threshold": 0.8}, made_vectors(2600)),
        ({"shingle": "bits", "measure": "hamming", "threshold": 3}, made_bits(2600)),
    ],
    ids=["cosine", "euclidean", "agreement", "hamming"],
)
def test_vectors_and_bits(tmp_path: Path, how: dict[str, Any], rows: Any, bands: dict[str, Any]) -> None:
    asked, held = rows[:200], rows[200:]
    pairs = find_pairs(asked, against=held, recall=1, **how).to_arrow()
    expected = set(zip(*(column.to_pylist() for column in pairs.columns), strict=True))
    with Index.create(tmp_path / "i", **how, **bands) as index:
        index.add(range(2000), held[:2000])
        index.add(range(2000, 2400), held[2000:])
        found = {(i, match.id, match.value) for i, one in enumerate(index.query_many(asked)) for match in one}
        assert len(expected) > 100
        recipe = index.recipe
        assert len(found & expected) >= least_found([recipe.chance(value) for _, _, value in expected])
        assert found <= expected
        assert index.get(3) == held[3].tolist()
        match = index.query(held[7])[0]
        assert (match.id, match.value) == (7, index.recipe.measure.best)
        wrong = "similarity" if index.recipe.measure.is_distance else "distance"
        with pytest.raises(AttributeError, match=f"not a {wrong}"):
            getattr(match, wrong)
        with pytest.raises(InputError, match="length"):
            index.query(held[0][:8])
        if how["shingle"] == "vectors":
            with pytest.raises(InputError, match="item 1: the vector holds NaN"):
                index.add(None, np.array([held[0], held[0] * np.nan]))


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "agreement"])
@pytest.mark.parametrize(("first", "then"), [("f4", "f8"), ("f8", "f4"), ("f2", "f8")])
def test_vectors_have_the_precision_of_the_first(tmp_path: Path, measure: Any, first: str, then: str) -> None:
    how: dict[str, Any] = {"tolerance": 0.01} if measure == "agreement" else {}
    rows = np.random.default_rng(1).normal(size=(6, 4))
    kept = rows[3:].astype(np.promote_types(first, "f4"))
    with Index.create(tmp_path / "i", shingle="vectors", measure=measure, threshold=0.9, **how) as index:
        index.add(["a", "b", "c"], rows[:3].astype(first))
        index.add(["d", "e", "f"], rows[3:].astype(then))
        for _ in range(2):
            for name, row, as_kept in zip("def", rows[3:].astype(then), kept.astype(then), strict=True):
                match = index.query(row)[0]
                assert (match.id, match.value) == (name, index.recipe.measure.best)
                assert index.get(name) == as_kept.tolist()
            index.compact()
            assert Index.check(tmp_path / "i") == []
        if first != "f8":
            with pytest.raises(InputError, match="item 1: the vector holds NaN or an infinity"):
                index.add(None, [rows[0].tolist(), [1e300, 0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("how", "item"),
    [
        ({"shingle": "vectors", "measure": "cosine"}, [1.0, 2.0]),
        ({"shingle": "bits", "measure": "hamming"}, np.array([1, 2], np.uint8)),
        ({"shingle": "elements"}, ["a", "b"]),
        ({"shingle": "weights"}, {"a": 1.0}),
        ({"shingle": "words:1"}, "a text"),
    ],
    ids=lambda value: value["shingle"] if isinstance(value, dict) and "shingle" in value else "",
)
def test_nulls_are_of_any_type(tmp_path: Path, how: dict[str, Any], item: Any) -> None:
    with Index.create(tmp_path / "i", threshold=1, **how) as index:
        if how["shingle"] != "words:1":
            with pytest.raises(InputError, match="determine their type"):
                index.add([0], [None])
        index.add([1], [item])
        index.add([2, 3], [None, None])
        for _ in range(2):
            assert index.query(None) == []
            assert [match.id for match in index.query(item)] == [1]
            assert index.get(3) is None
            assert sum(batch.num_rows for batch in index.rows()) == 3
            index.compact(rebuild=True)


@pytest.mark.parametrize(
    ("how", "items"),
    [
        ({}, ["some text " * 99, None, "", "short", None]),
        ({"shingle": "elements"}, [["a", "b"], None, ["d"], ["c"], None]),
        ({"shingle": "elements"}, [[1, 2], None, [4], [3], None]),
        ({"shingle": "tokens:1"}, [[1, 2], None, [], [3], None]),
        ({"shingle": "weights"}, [{"a": 1.0}, None, {"c": 2.0}, {"b": 0.5}, None]),
        ({"shingle": "vectors", "measure": "cosine"}, [[1.0, 2.0], None, [3.0, 4.0], [0.5, 1.0], None]),
        ({"shingle": "bits", "measure": "hamming", "threshold": 1.0}, [b"12", None, b"34", b"56", None]),
    ],
)
def test_a_null_is_no_empty_item(tmp_path: Path, how: dict[str, Any], items: list[Any]) -> None:
    """Neither is similar to anything, and each comes back as it was."""
    with Index.create(tmp_path / "i", **{"threshold": 0.5, **how}) as index:
        index.add(range(len(items)), items)
        before = list(index.rows())
        for again in ("as it is", "joined", "rebuilt"):
            if again != "as it is":
                index.compact(rebuild=again == "rebuilt")
            given = [index.get(i) for i in range(len(items))]
            if how.get("measure") == "hamming":
                given = [None if one is None else bytes(one) for one in given]
            assert given == items
            assert pa.Table.from_batches(index.rows()) == pa.Table.from_batches(before)
            assert index.query_many([items[1]], top=None)[0] == []
            assert [match.id for match in index.query(items[0], top=None)][:1] == [0]


def test_empty_sets_are_kept_and_match_nothing(tmp_path: Path) -> None:
    for name, items in (("s", [{"a", "b"}, set(), None]), ("w", [{"a": 1.0}, {}, {"a": 0.0}])):
        shingle = "elements" if name == "s" else "weights"
        with Index.create(tmp_path / name, shingle=shingle) as index:
            with pytest.raises(InputError, match="determine their type, but these are null or empty"):
                index.add(None, items[1:2])
            index.add(None, items)
            index.add(None, items[1:2])
            assert len(index) == 4
            assert [match.id for match in index.query(items[0])] == [0]
            assert index.query(items[1]) == []
            assert not index.get(1)
            assert index.add_new(None, items[:2]).added == 1
