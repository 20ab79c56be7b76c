"""The report: its plots, its page, and what hostile texts do to it, in a real browser too."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from lookalike import Banding, OutputError
from lookalike.report import plots

# plots


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_saved_plot_has_the_same_bytes_each_time(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        plots.save(plots.curve(Banding(20, 5), 0.8), tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_a_plot_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    figure = plots.curve(Banding(20, 5))
    with pytest.raises(OutputError, match=r"s\.jpeg has no ending of a picture; choose \.svg, \.png or \.pdf"):
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
