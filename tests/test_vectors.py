"""Vectors and bits: measures against brute force, chances against their formulas, and what cannot be compared."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lookalike import InputError, Recipe, RecipeError, blocks, deduplicate, find_pairs, tune
from lookalike.family import FAMILIES
from lookalike.measures import Measure, Name, same_cell
from lookalike.read import Batch, open_source
from lookalike.recipe import Banding, Shingling
from lookalike.scratch import Scratch
from lookalike.vectors import Vectors

SOME = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
Pairs = dict[tuple[int, int], float]

MEASURES: dict[str, dict[str, Any]] = {
    "cosine": {"measure": "cosine", "threshold": 0.9},
    "euclidean": {"measure": "euclidean", "threshold": 1.2},
    "agreement": {"measure": "agreement", "tolerance": 0.25, "threshold": 0.75},
    "hamming": {"measure": "hamming", "threshold": 6},
}
every_measure = pytest.mark.parametrize("asked", MEASURES.values(), ids=MEASURES)


def is_distance(asked: dict[str, Any]) -> bool:
    return asked["measure"] in ("euclidean", "hamming")


def values(rows: NDArray[Any], asked: dict[str, Any]) -> NDArray[np.float64]:
    """Compare all rows with all, from the definition."""
    one, two = rows[:, None], rows[None]
    if asked["measure"] == "hamming":
        return np.asarray(np.unpackbits(one ^ two, axis=-1).sum(axis=-1), float)
    one, two = one.astype(float), two.astype(float)
    if asked["measure"] == "euclidean":
        return np.asarray(np.sqrt(((one - two) ** 2).sum(axis=-1)))
    if asked["measure"] == "agreement":
        return np.asarray((np.abs(one - two) <= asked["tolerance"]).mean(axis=-1))
    lengths = np.sqrt((rows.astype(float) ** 2).sum(axis=1))
    return np.asarray((one * two).sum(axis=-1) / lengths[:, None] / lengths[None])


def truth(rows: NDArray[Any], asked: dict[str, Any]) -> Pairs:
    """Return the pairs among rows, by brute force."""
    compared = values(rows, asked)
    close = compared <= asked["threshold"] if is_distance(asked) else compared >= asked["threshold"]
    return {(int(i), int(j)): float(compared[i, j]) for i, j in np.argwhere(np.triu(close, 1))}


def found(items: Any, **asked: Any) -> dict[tuple[Any, Any], float]:
    """Return the pairs as a dict."""
    return {(left, right): value for left, right, value in find_pairs(items, **asked)}


def assert_same(one: Pairs, two: Pairs) -> None:
    assert one.keys() == two.keys()
    assert list(one.values()) == pytest.approx([two[pair] for pair in one], abs=1e-12)


def collection(asked: dict[str, Any], count: int = 600, length: int = 24, seed: int = 1) -> NDArray[Any]:
    """Make vectors, some of them copies of others, or nearly so."""
    rng = np.random.default_rng(seed)
    rows: NDArray[Any]
    if asked["measure"] == "hamming":
        rows = rng.integers(0, 256, (count, 10)).astype(np.uint8)
        near = rows[: count // 3].copy()
        for row in near:
            for place in rng.integers(0, 80, rng.integers(0, 12)):
                row[place // 8] ^= 1 << place % 8
        rows[count // 3 : 2 * (count // 3)] = near
    else:
        rows = rng.normal(size=(count, length)).astype(np.float32)
        noise = rng.normal(size=(count // 3, length)) * rng.uniform(0, 0.6, (count // 3, 1))
        rows[count // 3 : 2 * (count // 3)] = rows[: count // 3] + noise
    rows[-5:] = rows[:5]
    return rows


# against brute force


@every_measure
@pytest.mark.parametrize("threads", [1, 2])
def test_exact_pairs_are_those_of_brute_force(asked: dict[str, Any], threads: int) -> None:
    rows = collection(asked)
    pairs = truth(rows, asked)
    assert len(pairs) > 50
    assert_same(found(rows, recall=1, threads=threads, **asked), pairs)


@every_measure
def test_blocks_of_any_size(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = collection(asked, 150)
    pairs = truth(rows, asked)
    for side, held in ((7, 1 << 28), (64, 0)):
        monkeypatch.setattr(blocks, "SIDE", side)
        monkeypatch.setattr(blocks, "MOST_HELD", held)
        assert_same(found(rows, recall=1, **asked), pairs)


@every_measure
def test_many_bands_find_all(asked: dict[str, Any]) -> None:
    rows = collection(asked)
    assert_same(found(rows, bands=200, rows=4, **asked), truth(rows, asked))


@every_measure
def test_two_collections(asked: dict[str, Any]) -> None:
    rows = collection(asked)
    left, right = rows[:250], rows[250:]
    across = {(i, j - 250): value for (i, j), value in truth(rows, asked).items() if i < 250 <= j}
    assert len(across) > 10
    assert_same(found(left, against=right, recall=1, **asked), across)
    assert_same(found(left, against=right, bands=200, rows=4, **asked), across)


@every_measure
def test_one_of_each_cluster_is_kept(asked: dict[str, Any]) -> None:
    rows = collection(asked)
    pairs = find_pairs(rows, recall=1, **asked)
    for recall in (0.99, 1.0):
        result = deduplicate(rows, recall=recall, **asked)
        assert result.summary.kept == len(rows) - sum(
            size * count - count for size, count in pairs.clusters().sizes.items()
        )
    distances = [row[3] for row in result.clusters if row[0] == row[2]]
    assert set(distances) == {0.0 if is_distance(asked) else 1.0}


@every_measure
def test_bands_that_are_settled_keep_the_promise(asked: dict[str, Any]) -> None:
    rows = collection(asked, 3000, seed=7)
    pairs = truth(rows, asked)
    result = find_pairs(rows, recall=0.9, **asked)
    missed = len(pairs) - len(result)
    assert missed <= 0.1 * len(pairs) + 4 * math.sqrt(0.09 * len(pairs))
    assert result.summary.recall >= 0.9
    assert {(left, right) for left, right, _ in result} <= pairs.keys()


@every_measure
def test_measured_recall(asked: dict[str, Any]) -> None:
    rows = collection(asked)
    result = find_pairs(rows, bands=4, rows=8, measure_recall=len(rows), **asked)
    assert result.summary.measured is not None
    overall, bins = result.summary.measured.overall, result.summary.measured.bins
    assert (overall.pairs, overall.found) == (2 * len(truth(rows, asked)), 2 * len(result))
    assert overall.pairs == sum(share.pairs for share in bins)
    assert overall.found < overall.pairs
    ends = sorted((share.low, share.high) for share in bins)
    assert ends[0][0] == (
        0 if Measure(asked["measure"], of_(asked), asked.get("tolerance")).is_distance else asked["threshold"]
    )


def of_(asked: dict[str, Any]) -> Any:
    return "bits" if asked["measure"] == "hamming" else "vectors"


@SOME
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=15),
    st.sampled_from([0.5, 0.6, 1 / 3, 0.8, 0.9, 1.0]),
)
def test_cosines_at_awkward_thresholds(lists: list[list[int]], threshold: float) -> None:
    """Every sum is exact in these: a difference could only come from rounding at the end."""
    rows = np.array([row if any(row) else [1, 0, 0] for row in lists], np.float32)
    exact = {}
    for i, one in enumerate(rows.astype(int)):
        for j, two in enumerate(rows.astype(int)):
            same = bool((one == two).all())
            cosine = int(one @ two) / (math.sqrt(int(one @ one)) * math.sqrt(int(two @ two)))
            value = 1.0 if same else max(-1.0, min(1.0, cosine))
            if i < j and value >= threshold:
                exact[i, j] = value
    assert_same(found(rows, measure="cosine", threshold=threshold, recall=1), exact)


@SOME
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=15),
    st.sampled_from([0, 1, math.sqrt(2), 2.0, math.sqrt(5), 3.0]),
)
def test_distances_at_awkward_thresholds(lists: list[list[int]], threshold: float) -> None:
    rows = np.array(lists, np.float64)
    exact = {
        (i, j): math.sqrt(((one - two) ** 2).sum())
        for i, one in enumerate(rows)
        for j, two in enumerate(rows)
        if i < j and math.sqrt(((one - two) ** 2).sum()) <= threshold
    }
    assert_same(found(rows, measure="euclidean", threshold=threshold, recall=1), exact)


@pytest.mark.parametrize(
    ("bits", "distance"), [(64, 0), (64, 1), (64, 3), (60, 4), (128, 6), (13, 1), (256, 20), (8, 8)]
)
def test_small_distances_miss_nothing(bits: int, distance: int) -> None:
    """By parts of the bits, or all with all where these would be too small."""
    rng = np.random.default_rng(bits + distance)
    truths = rng.integers(0, 2, (900, bits)).astype(bool)
    for i in range(450):
        truths[450 + i] = truths[i]
        truths[450 + i, rng.choice(bits, min(int(rng.integers(0, distance + 3)), bits), replace=False)] ^= True
    asked: dict[str, Any] = {"measure": "hamming", "threshold": distance}
    pairs = truth(np.packbits(truths, axis=1), asked)
    assert len(pairs) > 50
    for recall in (1.0, 0.99):
        result = find_pairs(truths, recall=recall, **asked)
        if recall == 1 or result.summary.exact:
            assert_same({(left, right): value for left, right, value in result}, pairs)
    sizes = find_pairs(truths, recall=1, **asked).clusters().sizes
    kept = deduplicate(truths, recall=1, **asked).summary.kept
    assert kept == 900 - sum((size - 1) * many for size, many in sizes.items())


def test_bits_in_four_parts_are_hardly_compared() -> None:
    hashes = np.random.default_rng(1).integers(0, 1 << 63, 20_000).astype(np.uint64)
    hashes[10_000:] = hashes[:10_000] ^ np.uint64(0b1011)
    result = find_pairs(hashes, measure="hamming", threshold=3)
    assert result.summary.exact
    assert len(result) == 10_000
    assert result.summary.candidates < 100_000


# chances


def agreeing(rows: NDArray[Any], measure: Measure, threshold: float, slots: int, tmp_path: Path) -> NDArray[np.float64]:
    """Return in which share of so many slots each two rows, one after the other, agree; by the real families."""
    kind: Any = "bits" if measure.of == "bits" else "vectors"
    scratch = Scratch(tmp_path)
    vectors = Vectors(scratch, measure)
    source = open_source(rows, kind=kind)
    for batch in source.batches():
        assert isinstance(batch, Batch)
        vectors.append(vectors.check(batch, source), source, batch.first)
    recipe = Recipe(Shingling(kind, 1), None, threshold, measure=measure, seed=3)
    keys = FAMILIES[measure.name](vectors, recipe).keys(slice(0, len(rows)), Banding(slots, 1))
    scratch.close()
    return np.asarray((keys[:, ::2] == keys[:, 1::2]).mean(axis=0))


def assert_chance(shares: NDArray[np.float64], chance: float, slots: int) -> None:
    """Each share is of slots that are independent; so is their mean."""
    bound = 5 * math.sqrt(chance * (1 - chance) / slots)
    assert np.abs(shares - chance).max() <= bound
    assert abs(shares.mean() - chance) <= bound


SLOTS = 4000


@pytest.mark.parametrize("cosine", [-0.9, 0.0, 0.3, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("length", [2, 3, 50])
def test_planes_keep_vectors_together_by_their_angle(cosine: float, length: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(6):
        one, other = rng.normal(size=(2, length))
        other -= one * (one @ other) / (one @ one)
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
        rows += [one * rng.uniform(0.1, 9), (cosine * one + math.sqrt(1 - cosine**2) * other) * rng.uniform(0.1, 9)]
    measure = Measure("cosine", "vectors")
    assert measure.slot_chance(cosine, 0.9) == pytest.approx(1 - math.acos(cosine) / math.pi)
    assert_chance(agreeing(np.array(rows), measure, 0.9, SLOTS, tmp_path), measure.slot_chance(cosine, 0.9), SLOTS)


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_cells_keep_vectors_together_by_their_distance(ratio: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    threshold, rows = 0.3, []
    for _ in range(6):
        one, step = rng.normal(size=(2, 20))
        rows += [one + 100, one + 100 + step / np.linalg.norm(step) * threshold * ratio]
    measure = Measure("euclidean", "vectors")
    chance = measure.slot_chance(threshold * ratio, threshold)
    assert_chance(agreeing(np.array(rows), measure, threshold, SLOTS, tmp_path), chance, SLOTS)


def test_the_chance_of_one_cell_is_the_integral() -> None:
    """Over the normal difference of two products, of the chance that no edge falls between them."""
    steps = np.linspace(0, 4, 400_001)
    density = np.exp(-(steps**2) / 2) * math.sqrt(2 / math.pi)
    whole = float(np.trapezoid(density * (1 - steps / 4), steps))
    assert same_cell(1.0, 4.0) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("differ", [0, 1, 7, 32, 64])
def test_bits_agree_by_how_many_differ(differ: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(6):
        one = rng.integers(0, 2, 64)
        two = one.copy()
        two[rng.choice(64, differ, replace=False)] ^= 1
        rows += [np.packbits(one), np.packbits(two)]
    measure = Measure("hamming", "bits", bits=64)
    assert measure.slot_chance(differ, 6) == 1 - differ / 64
    assert_chance(agreeing(np.array(rows), measure, 6, SLOTS, tmp_path), 1 - differ / 64, SLOTS)


def test_features_that_are_close_agree_often_enough(tmp_path: Path) -> None:
    """Close ones are as far apart as they may be, so that the bound is met; the others are far apart."""
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(6):
        one = rng.uniform(-1, 1, 40)
        step = np.where(np.arange(40) < 30, 0.1, 50.0) * rng.choice([-1, 1], 40)
        rows += [one, one + step]
    measure = Measure("agreement", "vectors", tolerance=0.1)
    shares = agreeing(np.array(rows), measure, 0.75, SLOTS, tmp_path)
    assert_chance(shares, measure.slot_chance(0.75, 0.75), SLOTS)


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


def test_vectors_are_compared_by_cosine_unless_asked() -> None:
    rows = collection(MEASURES["cosine"], 60)
    assert find_pairs(rows).summary.measure == "cosine"
    assert find_pairs(rows).summary.shingle == "vectors"


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
        ([[1.0, 2.0], [1.0]], {}, "item 1: the vector has 1 numbers, but those before have 2"),
        ([[1.0, 2.0], [1.0, None]], {}, "item 1: a number of the vector is null"),
        (np.zeros((2, 2, 2)), {}, r"an array of shape \(2, 2, 2\)"),
        (np.array([[1e200, 1.0]]), {}, "too long or too short"),
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
    with pytest.raises(InputError, match=r"a\.parquet, row 41: the vector has 3 numbers, but those before have 2"):
        find_pairs(tmp_path / "a.parquet", batch_bytes=1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "euclidean"}, "`threshold` must say how far apart"),
        ({"measure": "euclidean", "threshold": -1}, "`threshold` of a distance must be at least 0"),
        ({"measure": "agreement", "threshold": 0.5}, "`tolerance`"),
        ({"measure": "agreement", "threshold": 0.5, "tolerance": 0}, "`tolerance` must be above 0"),
        ({"measure": "cosine", "tolerance": 1}, "`tolerance`"),
        ({"measure": "jaccard"}, "must be cosine, euclidean or agreement for vectors. Got 'jaccard'; that is for sets"),
        ({"measure": "cosine", "threshold": 90}, "did you mean 0.90"),
    ],
)
def test_bad_questions(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        find_pairs(collection(MEASURES["cosine"], 10), **asked)


def test_a_file_that_is_no_array(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"no array")
    with pytest.raises(InputError, match=r"a\.npy cannot be read as an array"):
        find_pairs(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(InputError, match=r"b\.npy cannot be read as an array"):
        find_pairs(tmp_path / "b.npy")


# for people


@every_measure
def test_reports_and_examples(asked: dict[str, Any], tmp_path: Path) -> None:
    rows = collection(asked)
    for result in (find_pairs(rows, examples=2, **asked), deduplicate(rows, examples=2, measure_recall=50, **asked)):
        result.report(tmp_path / "page.html", force=True)
        page = (tmp_path / "page.html").read_text()
        assert ("distance" if is_distance(asked) else "similarity") in page
        assert len(result.examples) > 0


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("v.npy", np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.01]]))
    done = run("pairs", "v.npy", "--measure", "cosine", "-t", "0.9")
    assert done.out.splitlines()[0] == "left\tright\tsimilarity"
    assert done.out.splitlines()[1].startswith("v.npy:1\tv.npy:3\t0.9999")
    done = run("pairs", "v.npy", "--measure", "euclidean", "-t", "0.5")
    assert done.out == "left\tright\tdistance\nv.npy:1\tv.npy:3\t0.01\n"
    done = run("pairs", "v.npy", "--measure", "agreement", "--tolerance", "0.5", "-t", "0.75")
    assert done.out.splitlines()[1] == "v.npy:1\tv.npy:3\t1.0"
    done = run("pairs", "v.npy", "--measure", "euclidean")
    assert "`threshold` must say how far apart two items may be" in done.err


def test_recipes_of_vectors_are_written_down() -> None:
    names: list[tuple[Name, Any]] = [("cosine", "vectors"), ("hamming", "bits")]
    for name, of in names:
        recipe = Recipe(Shingling(of, 1), Banding(9, 4), 0.5, measure=Measure(name, of, bits=64 if of == "bits" else 0))
        assert Recipe.from_json(recipe.to_json()) == recipe


def test_tune_knows_vectors() -> None:
    banding = tune(0.9, 0.99, measure="cosine", of="vectors")
    chance = Measure("cosine", "vectors").slot_chance(0.9, 0.9)
    assert banding.chance(chance) >= 0.99 > Banding(banding.bands - 1, banding.rows).chance(chance)
    assert tune(0.9, 0.99, measure="cosine", of="vectors", items=1000).rows < banding.rows
    assert tune(3.0, 0.99, measure="euclidean", of="vectors") == tune(7.0, 0.99, measure="euclidean", of="vectors")
    for asked in ({"recall": 1}, {"measure": "hamming", "of": "bits"}, {"measure": "jaccard"}, {"threshold": 2.0}):
        with pytest.raises(RecipeError):
            tune(**{"threshold": 0.9, "measure": "cosine", "of": "vectors", **asked})  # type: ignore[arg-type]


def test_curves_of_recipes(tmp_path: Path) -> None:
    for measure, threshold in ((Measure("cosine", "vectors"), 0.9), (Measure("euclidean", "vectors"), 2.0)):
        for banding in (Banding(20, 8), None):
            recipe = Recipe(Shingling("vectors", 1), banding, threshold, measure=measure)
            line = recipe.plot(tmp_path / "a.svg").axes[0].lines[0]
            assert (tmp_path / "a.svg").exists()
            x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
            if banding:
                assert y.tolist() == pytest.approx([recipe.chance(float(value)) for value in x])
            assert (y[-1] < y[0]) == measure.is_distance
