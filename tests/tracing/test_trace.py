"""Traces: the machine of a run, made visible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance.samples import SAMPLES, Sample
from conformance.toys import TOYS, installed

import lookalike
from lookalike import InputError, RecipeError, Trace, find_pairs, trace
from lookalike.kinds import kind_of
from lookalike.lsh.banding import Banding
from lookalike.read import open_values

BANDED = {name: make for name, make in {**SAMPLES, **TOYS}.items() if name not in ("overlap", "manhattan")}
"""Items of every kind, by every measure that has bands."""

TEXTS = {
    "one": "the cat sat on the mat",
    "two": "the cat sat on the hat",
    "dog": "a dog",
    "copy": "The cat sat on the mat!",
    "none": "",
}


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    """Have the toys registered."""
    with installed():
        yield


@pytest.fixture(params=BANDED)
def sample(request: pytest.FixtureRequest) -> Sample:
    """Return items of a kind."""
    return BANDED[request.param]()


def traced(sample: Sample, bands: int = 6, rows: int = 2) -> Trace:
    """Return the trace of a sample, in bands that let much through."""
    return trace(sample.items, bands=bands, rows=rows, **sample.settings)


# The machine of a run


@pytest.mark.slow
def test_pairs_and_candidates_are_those_of_a_run(sample: Sample) -> None:
    found = traced(sample)
    run = find_pairs(sample.items, bands=6, rows=2, **sample.settings)
    assert [(one.left, one.right, one.value) for one in found.pairs] == list(run)
    assert len(found.candidates) == run.summary.candidates > 0
    assert sum(one.is_pair for one in found.candidates) <= len(found.pairs)
    assert len(found.copies) == run.summary.copies


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BANDED if name != "euclidean"])
def test_band_keys_are_those_of_an_index(name: str) -> None:
    """But for distances: the lines that a run projects on go through the mean of its vectors."""
    sample = BANDED[name]()
    found = traced(sample)
    (batch,) = open_values(sample.items, kind=found.recipe.kind).batches()
    signed = kind_of(found.recipe).comparer(found.recipe).sign(batch.items)
    present = [item for item, parts in enumerate(found.shingles.values()) if parts]
    assert np.array_equal(found.bands.values[:, present], signed.keys[:, present])


@pytest.mark.slow
def test_two_items_meet_in_the_bands_in_which_their_slots_agree(sample: Sample) -> None:
    found = traced(sample)
    slots = found.signatures.values.reshape(6, 2, -1)
    met = {(one.left, one.right): one.bands for one in found.candidates}
    originals = [item for item in found.items if item not in found.copies and found.shingles[item]]
    for left, right in combinations(originals, 2):
        agree = (slots[:, :, left] == slots[:, :, right]).all(axis=1)
        assert met.get((left, right), ()) == tuple((np.flatnonzero(agree) + 1).tolist())


@pytest.mark.slow
def test_buckets_hold_the_items_with_one_key(sample: Sample) -> None:
    found = traced(sample)
    for bucket in found.buckets:
        row = found.bands.row(f"band {bucket.band}")
        originals = [item for item in found.items if item not in found.copies and found.shingles[item]]
        assert bucket.items == tuple(item for item in originals if row[item] == bucket.key)
        assert len(bucket.items) > 1


@pytest.mark.slow
def test_exact_values_are_those_of_compare(sample: Sample) -> None:
    found = traced(sample)
    for one in found.estimates:
        left, right = sample.items[one.left], sample.items[one.right]
        assert lookalike.compare(left, right, **sample.settings).value == one.value == found.exact[one.left, one.right]


@pytest.mark.slow
def test_pairs_found_and_missed_are_all_pairs(sample: Sample) -> None:
    found = traced(sample, bands=2, rows=3)
    every = find_pairs(sample.items, recall=1.0, **sample.settings)
    held = sorted((one.left, one.right, one.value) for one in (*found.pairs, *found.missed))
    assert held == sorted(every)
    assert set(found.false_candidates) == {one for one in found.candidates if not one.is_pair}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["words", "chars", "bytes", "tokens", "jaccard", "weights", "melodies"])
def test_a_slot_comes_from_a_part_of_the_item(name: str) -> None:
    found = traced(BANDED[name]())
    assert found.firsts is not None
    for item, parts in found.shingles.items():
        assert set(found.firsts.column(item).values()) <= (set(parts) or {""})
    for left, right in combinations(found.items, 2):
        one, two = (found.firsts.column(item) for item in (left, right))
        same = [one[slot] == two[slot] for slot in one]
        agree = found.signatures.values[:, left] == found.signatures.values[:, right]
        assert not (agree & ~np.array(same)).any()  # equal slots come from equal parts


# Texts


@pytest.fixture
def of_texts() -> Trace:
    """Return the trace of a few texts."""
    return trace(TEXTS, shingle="words:2", threshold=0.5, bands=5, rows=2)


def test_shingles_are_readable(of_texts: Trace) -> None:
    assert list(of_texts.shingles["one"]) == ["the cat", "cat sat", "sat on", "on the", "the mat"]
    assert of_texts.shingles["none"] == {}
    assert of_texts.matrix["the hat", "two"] == 1
    assert of_texts.matrix.row("the mat") == {"one": 1, "two": 0, "dog": 0, "copy": 1, "none": 0}


@pytest.mark.parametrize(
    ("settings", "text", "shingles"),
    [
        ({"shingle": "chars:2"}, "abcab", {"ab": 1, "bc": 1, "ca": 1}),
        ({"shingle": "chars:2", "bag": True}, "abcab", {"ab": 2, "bc": 1, "ca": 1}),
        ({"shingle": "chars:2"}, "abcdabd", {"ab": 1, "bc": 1, "cd": 1, "da": 1, "bd": 1}),
        ({"shingle": "bytes:2"}, "aä", {"a\\xc3": 1, "ä": 1}),
        ({"shingle": "words:3"}, "two words", {"two words": 1}),
        ({"shingle": "words:1", "lower": False}, "Ünder THE", {"Ünder": 1, "THE": 1}),
        ({"shingle": "words:1"}, "Ünder THE", {"ünder": 1, "the": 1}),
    ],
)
def test_shingles_are_those_of_the_text(settings: Any, text: str, shingles: dict[str, int]) -> None:
    assert trace([text], bands=1, rows=1, **settings).shingles[0] == shingles


def test_copies_are_pairs_but_not_candidates(of_texts: Trace) -> None:
    assert of_texts.copies == {"copy": "one"}
    assert [(one.left, one.right) for one in of_texts.pairs] == [("one", "two"), ("one", "copy"), ("two", "copy")]
    assert [(one.left, one.right) for one in of_texts.candidates] == [("one", "two")]
    assert of_texts.met("copy", "two")
    assert of_texts.met("one", "copy")
    assert not of_texts.met("dog", "two")
    assert any("copy of an earlier one" in note for note in of_texts.notes)


def test_a_path_is_read(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text("name,text\na,some words in a row here\nb,other words in a row here\n")
    assert trace(file, id="name", shingle="words:2", threshold=0.4).items == ("a", "b")


def test_bands_follow_from_threshold_and_recall() -> None:
    assert trace(TEXTS, threshold=0.8).banding == Banding(20, 7)
    assert trace([{1, 2}, {1, 2, 3}], threshold=0.8).banding == Banding(20, 7)
    assert trace(np.eye(3), threshold=0.9).banding.chance(1 - np.arccos(0.9) / np.pi) >= 0.99
    assert trace([b"12345678", b"12345679"], measure="hamming", threshold=3).recipe.recall >= 0.99


def test_a_trace_says_where_a_run_would_not_band() -> None:
    assert "bands=20 and rows=7" in trace([{1, 2}, {1, 2, 3}]).notes[0]
    assert not trace([{1, 2}, {1, 2, 3}], bands=20, rows=7).notes


# Printing


def test_a_trace_prints_itself(of_texts: Trace) -> None:
    text = repr(of_texts)
    assert text.startswith(
        "Trace: 5 items, signatures of 10 slots in 5 bands of 2 rows; a pair has jaccard at least 0.5 on words:2\n"
    )
    assert "1 candidate in 2 buckets: 1 pair, 0 false candidates; 0 pairs missed" in text
    assert of_texts._repr_html_().count("<table") == 2


def test_html_is_escaped() -> None:
    found = trace({"<b>": {"<i>", "x"}, "&": {"x"}}, orders=[["x", "<i>"]])
    for page in (found._repr_html_(), found.matrix._repr_html_(), found.steps._repr_html_()):  # type: ignore[union-attr]
        assert "<b>" not in page
        assert "<i>" not in page
    assert "&lt;i&gt;" in found.matrix._repr_html_()


def test_large_tables_are_cut() -> None:
    found = trace([{number, number + 1} for number in range(30)], bands=40, rows=1)
    assert "… 16 more rows" in repr(found.signatures)
    assert len(repr(found.signatures).splitlines()) == 26
    assert repr(found.estimates).endswith("… 411 more")


def test_nothing_is_shown_in_words() -> None:
    found = trace([{1}, {2}], bands=1, rows=1)
    assert repr(found.candidates) == repr(found.buckets) == "No two items met in any band."
    assert repr(found.missed) == "Every pair was found."
    assert repr(found.pairs) == "No candidate reaches the threshold."
    assert repr(trace([None, ""], bands=1, rows=1).estimates) == "No two items have features."


# Plots


@pytest.mark.slow
def test_pairs_are_drawn_on_the_curve(of_texts: Trace, tmp_path: Path) -> None:
    labels = of_texts.plot(tmp_path / "curve.svg").axes[0].get_legend_handles_labels()[1]
    assert {"5 bands of 2 rows", "two items that met", "two items that did not meet"} <= set(labels)
    assert (tmp_path / "curve.svg").stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jaccard", "vectors", "euclidean", "bits"])
def test_many_pairs_are_counted(name: str) -> None:
    found = traced(BANDED[name]())
    assert "share of pairs that met" in found.plot().axes[0].get_legend_handles_labels()[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["words", "jaccard", "weights", "vectors", "euclidean", "bits"])
def test_signatures_are_drawn(name: str) -> None:
    figure = traced(BANDED[name](), bands=20, rows=2).plot_signatures()
    axes = figure.axes[0]
    assert "12 of 20 bands" in axes.get_title(loc="left")
    assert len(axes.texts) == 24 * 16


# Refusals


@pytest.mark.parametrize(
    ("items", "settings", "message"),
    [
        ([{1}] * 501, {}, "at most 500 items"),
        ([{1}] * 5001, {}, "Got about 5,001"),
        ([], {}, "no items to trace"),
        ([{1}], {"measure_recall": 3}, "`measure_recall` is for runs"),
        ([{1}], {"examples": 3}, "`examples` is for runs"),
        ([{1}], {"recall": 1}, "`recall` 1"),
        ([{1}], {"measure": "overlap"}, "`overlap` has no bands"),
        ([{1}], {"universe": [2, 3]}, "`universe` must hold the elements of all items. Add 1"),
        ([{1}], {"universe": [1, 1]}, "every row once"),
    ],
)
def test_refusals(items: Any, settings: Any, message: str) -> None:
    with pytest.raises((InputError, RecipeError), match=message):
        trace(items, **settings)
