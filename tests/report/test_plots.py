"""The plots of a report, and how it shows long texts."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import Banding, OutputError, tune
from lookalike.examples import Side
from lookalike.report import excerpt, plots
from lookalike.report.facts import duration, percent

# plots


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_saved_plot_has_the_same_bytes_each_time(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        plots.save(plots.curve(Banding(20, 5), 0.8), tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_a_plot_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    figure = plots.curve(Banding(20, 5))
    with pytest.raises(OutputError, match=r"Got .*s\.jpeg; choose \.svg, \.png or \.pdf"):
        plots.save(figure, tmp_path / "s.jpeg")
    with pytest.raises(OutputError, match="cannot be written"):
        plots.save(figure, tmp_path / "nowhere" / "s.svg")
    assert not list(tmp_path.iterdir())


def test_a_plot_in_a_page_takes_its_colours_and_leaves_its_ids_alone() -> None:
    one, two = (plots.as_svg(plots.curve(Banding(20, 5), 0.8), name, "S & C") for name in ("one", "two"))
    for name, svg in (("one", one), ("two", two)):
        root = ET.fromstring(svg)
        assert (root.get("role"), root.get("aria-label")) == ("img", "S & C")
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert ids
        assert len(ids) == len(set(ids))
        assert all(str(name_of).startswith(f"{name}-") for name_of in ids)
        assert set(re.findall(r"#([\w-]+)", svg)) == set(ids)
        assert "var(--blue)" in svg
        assert "font-family" not in svg
        assert "<style" not in svg
        assert "20 bands of 5 rows" in "".join(root.itertext())
    assert one == two.replace("two-", "one-")


@pytest.mark.parametrize("threshold", [None, 0.05, 0.5, 1.0])
def test_the_shaded_areas_are_what_the_threshold_makes_of_the_curve(threshold: float | None) -> None:
    banding = Banding(20, 5)
    axes = plots.curve(banding, threshold).axes[0]
    areas = [np.asarray(area.get_paths()[0].vertices) for area in axes.collections]
    assert len(areas) == (0 if threshold is None else 2)
    if threshold is not None:
        missed, vain = areas
        assert missed[:, 0].min() == pytest.approx(threshold)
        assert vain[:, 0].max() == pytest.approx(threshold)
        assert missed[:, 1].min() == pytest.approx(banding.chance(threshold))
        assert vain[:, 1].max() == pytest.approx(banding.chance(threshold))


def test_the_histogram_counts_every_similarity_once() -> None:
    values = np.array([0.55, 0.6999, 0.7, 0.7, 0.71, 0.85, 0.9999])
    axes = plots.histogram(values, 0.7).axes[0]
    bars = {round(bar.get_x(), 6): bar.get_height() for bar in axes.patches}  # type: ignore[attr-defined]
    assert sum(bars.values()) == len(values)
    assert bars[0.7] == 3
    grey = [bar for bar in axes.patches if bar.get_facecolor() == axes.patches[0].get_facecolor()]
    assert sum(bar.get_height() for bar in grey) == 2  # type: ignore[attr-defined]


@given(st.floats(0.001, 0.9999))
def test_bins_are_few_and_reach_from_the_least_to_one(least: float) -> None:
    edges = plots.bins(least)
    assert edges[0] <= least + 1e-6
    assert edges[-1] == 1
    assert 2 <= len(edges) <= 42
    assert np.allclose(np.diff(edges), np.diff(edges)[0])


@given(st.dictionaries(st.integers(2, 10**6), st.integers(1, 50), max_size=20))
def test_ranges_of_sizes_hold_every_cluster_once(counts: dict[int, int]) -> None:
    ranges = plots.size_ranges(counts)
    assert sum(ranges.values()) == sum(counts.values())
    assert len(ranges) <= 12
    assert not counts or list(ranges.values())[-1] > 0


def test_the_step_of_an_exact_search_has_nothing_shaded() -> None:
    axes = plots.step(0.7).axes[0]
    assert not axes.collections
    assert np.asarray(axes.lines[0].get_xydata()).tolist() == [[0, 0], [0.7, 0], [0.7, 1], [1, 1]]


# excerpts


@given(
    st.text("ab \n", max_size=3000),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 900)), max_size=8),
    st.integers(0, 5),
)
def test_an_excerpt_accounts_for_every_character(text: str, places: list[tuple[int, int]], more: int) -> None:
    differs = []
    at = 0
    for begin, length in sorted(places):
        low, high = max(begin, at), min(begin + length, len(text))
        if low < high:
            differs.append((low, high))
            at = high + 1
    shown = excerpt.passages(Side("id", text, tuple(differs), more), "characters")
    at = 0
    for passage in shown:
        if passage.kind == "fold":
            at += int(passage.text.split()[0].replace(",", ""))
            continue
        assert text[at : at + len(passage.text)] == passage.text
        inside = {place for begin, end in differs for place in range(begin, end)}
        marked = {place in inside for place in range(at, at + len(passage.text))}
        assert marked <= {passage.kind == "differs"}
        at += len(passage.text)
    assert at == len(text) + more
    assert sum(len(passage.text) for passage in shown) < 2500


def test_differences_far_apart_are_all_in_view() -> None:
    words = [f"word{i}" for i in range(1000)]
    text = " ".join(words)
    spans = tuple((text.index(w), text.index(w) + len(w)) for w in ("word300", "word600", "word900"))
    shown = excerpt.passages(Side("id", text, spans, 0), "characters")
    assert [passage.text for passage in shown if passage.kind == "differs"] == ["word300", "word600", "word900"]
    assert [passage.kind for passage in shown] == [*["same", "fold", "same", "differs"] * 3, "same", "fold"]
    assert all(
        passage.text.endswith("characters that the other item has too") for passage in shown if passage.kind == "fold"
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x00\r\x7f\x85", "[U+0000][U+000D][U+007F][U+0085]"),
        ("\u202ex\u2066\u200b\ufeff\u2028", "[U+202E]x[U+2066][U+200B][U+FEFF][U+2028]"),
        ("\U000e0041\ue000\ud800", "[U+E0041][U+E000][U+D800]"),
        (
            "e\u0301 \u0645\u200c\u0645 \U0001f468\u200d\U0001f469",
            "e\u0301 \u0645\u200c\u0645 \U0001f468\u200d\U0001f469",
        ),
    ],
)
def test_what_is_not_seen_becomes_a_sign(text: str, seen: str) -> None:
    assert excerpt.visible(text) == seen


def test_a_name_is_one_line_and_says_when_it_is_cut() -> None:
    assert excerpt.name("a\nb\tc") == "a[U+000A]b[U+0009]c"
    assert excerpt.name("x" * 1300) == "x" * 300 + " \u2026 1,000 more characters"


def test_numbers_for_people() -> None:
    assert [duration(seconds) for seconds in (0.417, 59.4, 59.6, 75, 7265)] == [
        "0.42 s", "59.40 s", "1 min 0 s", "1 min 15 s", "2 h 1 min",
    ]  # fmt: skip
    assert [percent(chance) for chance in (0.5, 0.99994, 0.99996, 1.0)] == ["50.00%", "99.99%", "over 99.99%", "100%"]


@pytest.mark.parametrize(("recall", "labelled"), [(0.99, False), (0.9, True)])
def test_the_legend_names_only_areas_that_can_be_seen(recall: float, labelled: bool) -> None:
    svg = plots.as_svg(plots.curve(tune(0.8, recall), 0.8))
    assert ("missed pairs" in svg) == labelled
    assert "false candidates" in svg
