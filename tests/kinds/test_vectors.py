"""Vectors and bits: every measure against brute force, and how results are shown."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.brute_force_vectors import assert_same, collection, every_measure, is_distance, truth
from support.found_pairs import found
from support.run_cli import run

from lookalike import Recipe, RecipeError, deduplicate, find_pairs, tune
from lookalike.exact import vectors as exact_vectors
from lookalike.features.shingling import Shingling
from lookalike.lsh.banding import Banding
from lookalike.measures import Measure

SOME = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


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
        monkeypatch.setattr(exact_vectors, "SIDE", side)
        monkeypatch.setattr(exact_vectors, "MAX_HELD", held)
        assert_same(found(rows, recall=1, **asked), pairs)


@every_measure
def test_many_bands_find_all(asked: dict[str, Any]) -> None:
    rows = collection(asked)
    assert_same(found(rows, bands=200, rows=4, **asked), truth(rows, asked))


@pytest.mark.slow
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


@pytest.mark.slow
@every_measure
def test_chosen_bands_keep_the_promised_recall(asked: dict[str, Any]) -> None:
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
            cosine = int(one @ two) / math.sqrt(int(one @ one) * int(two @ two))
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


@pytest.mark.slow
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
    kept = deduplicate(truths, cluster="chain", recall=1, **asked).summary.kept
    assert kept == 900 - sum((size - 1) * many for size, many in sizes.items())


def test_bits_in_four_parts_are_hardly_compared() -> None:
    hashes = np.random.default_rng(1).integers(0, 1 << 63, 20_000).astype(np.uint64)
    hashes[10_000:] = hashes[:10_000] ^ np.uint64(0b1011)
    result = find_pairs(hashes, measure="hamming", threshold=3)
    assert result.summary.exact
    assert len(result) == 10_000
    assert result.summary.candidates < 100_000


# for people


@pytest.mark.slow
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
    assert "--threshold must be the maximum distance of two items" in done.err


def test_recipes_of_vectors_are_written_down() -> None:
    names: list[tuple[str, Any]] = [("cosine", "vectors"), ("hamming", "bits")]
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


@pytest.mark.slow
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
