"""Estimates for every measure: against the truth, against real runs, and invalid requests."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import call_kernels
from support.run_cli import done, run

from lookalike import Banding, InputError, Measure, RecipeError, estimate_costs, find_pairs, tune
from lookalike.tuning import sample
from lookalike.tuning.curve import Curve

SEEDS = (1, 2, 3, 4)
FACTOR = 1.3
"""By which the mean of these runs may be off. Items of one group meet together, so runs vary by up to a quarter."""


def vectors(count: int, noise: float, seed: int = 5) -> NDArray[np.float32]:
    """Return vectors in groups of about ten around centres."""
    source = np.random.default_rng(seed)
    centres = source.normal(size=(count // 10, 24))[source.integers(0, count // 10, count)]
    return (centres + noise * source.normal(size=(count, 24))).astype(np.float32)


def bits(count: int) -> NDArray[np.uint8]:
    """Return items of 64 bits in groups of about ten, of whose bits some are flipped."""
    source = np.random.default_rng(6)
    centres = source.integers(0, 256, (count // 10, 8), np.uint8)[source.integers(0, count // 10, count)]
    return centres ^ np.packbits(source.random((count, 64)) < 0.08, axis=1)


def sets(count: int) -> list[set[int]]:
    """Return sets in groups of about ten, of very different sizes."""
    source = np.random.default_rng(7)
    found = []
    for _ in range(count):
        first = 60 * int(source.integers(0, count // 10))
        some = source.random(60) < source.uniform(0.2, 1)
        found.append({*(first + np.flatnonzero(some)).tolist(), 10**9 + int(source.integers(0, 10**6))})
    return found


def weighted(count: int) -> list[dict[str, float]]:
    """Return such sets with weights."""
    source = np.random.default_rng(8)
    return [{str(element): float(source.exponential()) for element in one} for one in sets(count)]


KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "dice": (sets(1200), {"measure": "dice", "threshold": 0.7, "sketch": "classic"}),
    "cosine of sets": (sets(1200), {"measure": "cosine", "threshold": 0.7, "sketch": "classic"}),
    "weights": (weighted(1200), {"threshold": 0.3}),
    "cosine": (vectors(1200, 0.35), {"threshold": 0.9}),
    "euclidean": (vectors(1200, 0.35), {"measure": "euclidean", "threshold": 1.8}),
    "agreement": (vectors(1200, 0.05), {"measure": "agreement", "threshold": 0.8, "tolerance": 0.1}),
    "hamming": (bits(1200), {"measure": "hamming", "threshold": 6}),
}
every = pytest.mark.parametrize(("items", "settings"), KINDS.values(), ids=KINDS)
of_vectors = pytest.mark.parametrize(("items", "settings"), list(KINDS.values())[3:], ids=list(KINDS)[3:])


def values(items: Any, settings: dict[str, Any]) -> NDArray[np.float64]:
    """Return the similarity or distance of all two items that share anything, from its definition."""
    name = settings.get("measure", "cosine")
    if isinstance(items, list):
        pairs = [(one, two) for i, one in enumerate(items) for two in items[:i] if one & two]
        measure = Measure(name)
        return np.array([measure.similarity(len(one & two), len(one), len(two)) for one, two in pairs])
    left, right = np.tril_indices(len(items), -1)
    if name == "hamming":
        return np.asarray(np.bitwise_count(items[left] ^ items[right]).sum(axis=1), float)
    one, two = items[left].astype(float), items[right].astype(float)
    if name == "agreement":
        return np.asarray((np.abs(one - two) <= settings["tolerance"]).mean(axis=1))
    if name == "euclidean":
        return np.asarray(np.linalg.norm(one - two, axis=1))
    return np.asarray((one * two).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1))


# Against the truth


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "weights"])
def test_a_sample_of_all_items_counts_every_pair(kind: str) -> None:
    items, settings = KINDS[kind]
    items = items[:300]
    found, truth = estimate_costs(items, sample_size=300, **settings), values(items, settings)
    assert (found.items, found.compared, found.sampled) == (300, 300, 300)
    distance = found.measure.is_distance
    for one in found.bins:
        inside = (truth > one.low) & (truth <= one.high) if distance else (truth >= one.low) & (truth < one.high)
        if not distance and one.high == 1:
            inside |= truth == 1
        near = sum(np.count_nonzero(np.abs(truth - end) < 1e-5) for end in (one.low, one.high) if kind == "cosine")
        assert abs(one.sampled - 2 * inside.sum()) <= 2 * near  # vectors are compared in single precision here
        assert one.pairs == pytest.approx(one.sampled / 2)
        assert one.error == 0
    assert [one.high for one in found.bins[:-1]] == [one.low for one in found.bins[1:]]
    assert float(settings["threshold"]) in [one.low for one in found.bins]
    pairs = truth <= settings["threshold"] if distance else truth >= settings["threshold"]
    certain = found.cost(Banding(3000, 1))
    assert certain.candidates - certain.false_candidates == pytest.approx(pairs.sum(), rel=1e-6)


@pytest.mark.slow
@every
def test_a_smaller_sample_is_within_its_error(items: Any, settings: dict[str, Any]) -> None:
    whole, part = (estimate_costs(items, sample_size=size, **settings) for size in (len(items), 200))
    assert part.sampled == 200
    for cost in part.costs[::4]:
        truth = whole.cost(cost.banding)
        assert truth.error == 0 < cost.error
        assert abs(cost.candidates - truth.candidates) <= 5 * cost.error


@pytest.mark.slow
def test_many_vectors_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    items, settings = KINDS["cosine"]
    whole = estimate_costs(items, sample_size=len(items), **settings)
    monkeypatch.setattr(sample, "MAX_OTHERS", 500)
    for size in (300, len(items)):
        part = estimate_costs(items, sample_size=size, **settings)
        banding = Banding(50, 14)
        assert part.cost(banding).error > 0
        assert abs(part.cost(banding).candidates - whole.cost(banding).candidates) <= 5 * part.cost(banding).error
        assert part.cost(banding).candidates == pytest.approx(whole.cost(banding).candidates, rel=0.1)


# Against real runs


@pytest.mark.slow
@call_kernels.compiled
@every
@pytest.mark.parametrize("which", ["cheapest", "more rows"])
def test_runs_have_the_candidates_expected(items: Any, settings: dict[str, Any], which: str) -> None:
    """The factor is stated above. Each banding is run with a few seeds, of which the estimate is the mean."""
    found = estimate_costs(items, sample_size=len(items), **settings)
    place = found.costs.index(found.best)
    cost = found.costs[place if which == "cheapest" else min(place + 2, len(found.costs) - 1)]
    banded = {**settings, "bands": cost.banding.bands, "rows": cost.banding.rows}
    runs = [find_pairs(items, **banded, seed=seed).summary for seed in SEEDS]
    real = np.mean([summary.candidates for summary in runs])
    assert cost.candidates > 300
    assert cost.candidates / FACTOR <= real <= cost.candidates * FACTOR
    true = found.cost(cost.banding).candidates - cost.false_candidates
    assert np.mean([summary.pairs for summary in runs]) == pytest.approx(true, rel=0.05)


# The choice


@pytest.mark.slow
@every
def test_the_cheapest_keeps_the_promise(items: Any, settings: dict[str, Any]) -> None:
    found = estimate_costs(items, recall=0.95, **settings)
    assert found.best.seconds == min(cost.seconds for cost in found.costs)
    for cost in found.costs:
        assert Curve(cost.banding, found.measure, found.threshold).chance(found.threshold) >= 0.95
        assert cost.key_bytes == 8 * cost.banding.bands * len(items)
    threshold = settings["threshold"]
    others = {name: value for name, value in settings.items() if name != "threshold"}
    assert tune(threshold, 0.95, sample=items, **others) == found.banding
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (plain["measure"], plain["of"]) == (found.measure.name, found.measure.of)
    assert (found.shingles is None) == (found.exact_seconds is not None) == (found.measure.of != "sets")


@of_vectors
def test_a_run_chooses_the_cheapest_bands(items: Any, settings: dict[str, Any]) -> None:
    """A run samples fewer of them, so it may take a row more or less, or none where that costs about as much."""
    found, summary = estimate_costs(items, **settings), find_pairs(items, **settings).summary
    if summary.exact:
        assert found.exact_seconds is not None
        assert found.exact_seconds <= 1.2 * found.best.seconds
    else:
        assert found.cost(Banding(summary.bands, summary.rows)).seconds <= 1.2 * found.best.seconds


# What nobody should ask


@pytest.mark.parametrize(
    ("items", "settings", "says"),
    [
        ([{1, 2}], {"measure": "overlap"}, "`overlap` has no bands: the search for it is always exact"),
        (["a b"], {"measure": "containment"}, "there is nothing to tune. Search as it is, or choose jaccard"),
        (bits(20), {"measure": "hamming"}, "must be the maximum distance of two items"),
        (bits(20), {"measure": "hamming", "threshold": 64}, r"must be closer\. Got 64, where a slot agrees with a"),
        (vectors(20, 1), {"measure": "jaccard"}, r"for vectors\. Got 'jaccard'; that is a measure of sets"),
        (vectors(20, 1), {"measure": "agreement"}, "required by the measure agreement"),
        (vectors(20, 1), {"recall": 1}, "an exact search, which has no bands"),
    ],
)
def test_invalid_requests(items: Any, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(RecipeError, match=says):
        estimate_costs(items, **settings)


def test_nothing_to_sample() -> None:
    with pytest.raises(InputError, match="There is nothing to sample"):
        estimate_costs(np.empty((0, 4), np.float32))


def test_a_single_vector() -> None:
    found = estimate_costs(np.ones((3, 4), np.float32), threshold=0.9)
    assert (found.items, found.compared, found.best.candidates) == (3, 1, 0)


# On the command line


def test_a_sample_of_vectors_on_paper(tmp_path: Path) -> None:
    items, settings = KINDS["euclidean"]
    np.save(tmp_path / "v.npy", items)
    asked = "tune", tmp_path / "v.npy", "--measure", "euclidean", "-t", "1.8", "--sample-size", "200"
    found = estimate_costs(items, sample_size=200, **settings)
    out = done(*asked).out
    assert f"{found.banding.bands} bands of {found.banding.rows} rows" in out
    assert "Sampled 200 of the 1,200 distinct items (1,200 read).\n" in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    last = found.bins[-1]
    assert "distance pairs in sample pairs in total standard error" in lines
    assert f"more than 3.6 {last.sampled:,} {last.pairs:,.0f} {last.error:,.0f}" in lines
    assert f"The band keys of all items take {found.best.key_bytes / 1e6:,.1f} MB on disk." in lines
    assert f"An exact search takes {found.exact_seconds:.3f} seconds" in out
    assert json.loads(done(*asked, "--json").out)["estimate"] == found.to_dict()


def test_a_sample_of_bits_says_how_many(tmp_path: Path) -> None:
    np.save(tmp_path / "b.npy", bits(500))
    asked = "tune", tmp_path / "b.npy", "--measure", "hamming", "-t", "6"
    assert "measure     hamming of 64 bits, a distance" in done(*asked).out
    assert math.isclose(json.loads(done(*asked, "--json").out)["curve"][-1][0] % 5, 0)


def test_a_sample_of_sets_by_another_measure(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"text": " ".join(map(str, sorted(one)))}) + "\n" for one in sets(300)))
    asked = "tune", path, "--measure", "cosine", "-t", "0.7", "--shingle", "words:1", "--json"
    found = json.loads(done(*asked).out)
    assert (found["measure"], found["of"]) == ("cosine", "sets")
    assert found["recall"] >= 0.99
    refused = run("tune", path, "--measure", "overlap")
    assert refused.code == 2
    assert "`overlap` has no bands" in refused.err
