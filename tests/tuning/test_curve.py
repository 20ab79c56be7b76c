"""The S-curve of every measure: the promised recall, the inverse, areas and plots."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.run_cli import done

from lookalike import Banding, Measure, Recipe, RecipeError, Shingling, tune
from lookalike.cli.tune_curve import HEIGHT, WIDTH, curve_picture
from lookalike.tuning.curve import Curve

MEASURES = {
    "jaccard": (Measure(), (0.3, 0.8, 1.0)),
    "dice": (Measure("dice"), (0.3, 0.8, 1.0)),
    "cosine of sets": (Measure("cosine"), (0.3, 0.8, 1.0)),
    "cosine of vectors": (Measure("cosine", "vectors"), (0.3, 0.9, 1.0)),
    "euclidean": (Measure("euclidean", "vectors"), (0.0, 0.01, 2.5, 1e6)),
    "agreement": (Measure("agreement", "vectors", tolerance=1.0), (0.2, 0.8, 1.0)),
    "hamming of 64": (Measure("hamming", "bits", bits=64), (0, 3, 20)),
    "hamming of 1024": (Measure("hamming", "bits", bits=1024), (1, 100)),
}
each = pytest.mark.parametrize(
    ("measure", "threshold"), [(measure, t) for measure, many in MEASURES.values() for t in many], ids=str
)


def tuned(measure: Measure, threshold: float, recall: float = 0.99) -> Curve:
    """Return the curve of the bands chosen for a measure."""
    bits = measure.bits or None
    return Curve(tune(threshold, recall, measure=measure.name, of=measure.of, bits=bits), measure, threshold)


def slot_at_a_value(measure: Measure) -> tuple[float, float]:
    """Return a chance to agree from the definition of a slot, at a value: the value and the chance."""
    return {
        "jaccard": (0.5, 0.5),
        "dice": (0.5, 1 / 3),
        "cosine": (0.5, 2 / 3 if measure.of == "vectors" else 0.25),
        "agreement": (0.5, 0.375),
        "hamming": (measure.bits / 4, 0.75),
    }[measure.name]


# The promise


@each
@pytest.mark.parametrize("recall", [0.5, 0.9, 0.99, 0.9999])
def test_the_promise_is_kept_at_the_threshold(measure: Measure, threshold: float, recall: float) -> None:
    curve = tuned(measure, threshold, recall)
    assert curve.chance(threshold) >= recall
    less = Banding(max(curve.banding.bands - 1, 1), curve.banding.rows)
    assert curve.banding.bands == 1 or Curve(less, measure, threshold).chance(threshold) < recall


@each
def test_the_curve_rises_towards_what_is_close(measure: Measure, threshold: float) -> None:
    curve = tuned(measure, threshold)
    values, chances = zip(*curve.points(), strict=True)
    assert (values[0], values[-1]) == (0, curve.end)
    assert threshold <= curve.end
    assert all((two - one) * (-1 if measure.is_distance else 1) >= 0 for one, two in pairwise(chances))
    if measure.is_distance and curve.end < (measure.bits or math.inf):
        assert chances[-1] <= 0.05


@pytest.mark.parametrize("measure", [m for m, _ in MEASURES.values() if m.name != "euclidean"], ids=str)
def test_chances_follow_from_the_definition_of_a_slot(measure: Measure) -> None:
    value, slot = slot_at_a_value(measure)
    assert Curve(Banding(7, 3), measure).chance(value) == pytest.approx(1 - (1 - slot**3) ** 7)


def test_the_name_says_of_what_a_measure_is() -> None:
    assert tune(2.0, measure="euclidean") == tune(2.0, measure="euclidean", of="vectors")
    assert tune(0.9, of="vectors") == tune(0.9, measure="cosine", of="vectors") != tune(0.9, measure="cosine")
    assert tune(3, measure="hamming", bits=64) == tune(3, of="bits", bits=64)
    assert tune(0.8, measure="agreement", tolerance=0.1) == tune(0.8, measure="agreement")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"measure": "hamming"}, r"^`threshold` must be the maximum distance of two items, for the measure hamming$"),
        ({"measure": "hamming", "threshold": 3}, "^`bits` must be the number of bits per item"),
        (
            {"measure": "hamming", "threshold": 3, "bits": 2.5},
            r"^`bits` must be a whole number, at least 1\. Got 2\.5$",
        ),
        ({"measure": "hamming", "threshold": 80, "bits": 64}, r"must be closer\. Got 80, where a slot agrees with a"),
        ({"measure": "agreement", "threshold": 1e-4}, r"must be closer\. Got 0\.0001, where a slot agrees with a"),
        ({"measure": "dice", "bits": 64}, r"Leave it out for dice$"),
        ({"measure": "dice", "of": "vectors"}, r"for vectors\. Got 'dice'; that is a measure of sets$"),
        ({"of": "words"}, r"^`of` must be sets, vectors or bits\. Got 'words'$"),
        ({"measure": "overlap"}, "there is nothing to tune. Search as it is, or choose jaccard, dice or cosine"),
        ({"of": "sets", "sample": ["a"]}, "`of` and `bits` follow from the items of a `sample`. Leave them out"),
    ],
)
def test_what_cannot_be_tuned(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(RecipeError, match=says):
        tune(**asked)


# The inverse, and the areas


@each
@pytest.mark.parametrize("chance", [0.01, 0.5, 0.99])
def test_the_inverse(measure: Measure, threshold: float, chance: float) -> None:
    curve = tuned(measure, threshold)
    value = curve.value_at(chance)
    assert value is not None
    if -1 < value != measure.bits:
        assert curve.chance(value) == pytest.approx(chance, abs=1e-6)
    assert curve.steepest is not None
    assert curve.chance(curve.steepest) == pytest.approx(curve.banding.chance(curve.banding.threshold), abs=1e-6)


def test_a_chance_that_nothing_has() -> None:
    """Features that are as close as can be are in one cell three times out of four, at least."""
    curve = Curve(Banding(1, 9), Measure("agreement", "vectors", tolerance=1.0))
    assert curve.chance(1.0) == pytest.approx(0.75**9)
    assert curve.value_at(0.5) is None


@pytest.mark.slow
@each
def test_areas_are_the_integrals(measure: Measure, threshold: float) -> None:
    curve = tuned(measure, threshold)
    values = np.linspace(0, curve.end, 40_001)
    chances = np.array([curve.chance(float(value)) for value in values])
    pairs = values <= threshold if measure.is_distance else values >= threshold
    found = curve.areas()
    assert found is not None
    assert found == pytest.approx((float((chances * ~pairs).mean()), float(((1 - chances) * pairs).mean())), abs=1e-3)


def test_a_curve_needs_what_it_depends_on() -> None:
    assert Curve(Banding(9, 9), Measure("hamming", "bits", bits=64)).end == 64
    with pytest.raises(RecipeError, match="`threshold` is required"):
        Curve(Banding(9, 9), Measure("euclidean", "vectors"))
    with pytest.raises(RecipeError, match="`bits` must be the number of bits"):
        Curve(Banding(9, 9), Measure("hamming", "bits"), 3)
    with pytest.raises(RecipeError, match="must be in"):
        Curve(Banding(9, 9), Measure("dice"), 3)


# Pictures


@each
def test_pictures_of_characters(measure: Measure, threshold: float) -> None:
    curve = tuned(measure, threshold)
    lines = curve_picture(curve).split("\n")
    rows = [line[6:].ljust(WIDTH + 1) for line in lines[:HEIGHT]]
    for column, (_, chance) in enumerate(curve.points(WIDTH + 1)):
        assert rows[HEIGHT - 1 - round(chance * (HEIGHT - 1))][column] == "*"
    at = lines[HEIGHT + 2].index("^") - 6
    assert at == round(threshold / curve.end * WIDTH)
    left, right = ("".join(row[:at] for row in rows), "".join(row[at + 1 :] for row in rows))
    pairs, others = (left, right) if measure.is_distance else (right, left)
    assert "." not in pairs
    assert "x" not in others
    assert lines[HEIGHT + 1].endswith("1.0" if measure.name == "jaccard" else f"  {measure.name}")


@pytest.mark.parametrize(
    ("measure", "threshold", "across"),
    [
        (Measure(), 0.8, "similarity of two items"),
        (Measure("dice"), 0.8, "dice similarity of two items"),
        (Measure("cosine", "vectors"), 0.8, "cosine similarity of two items"),
        (Measure("agreement", "vectors", tolerance=1.0), 0.8, "agreement of two items"),
        (Measure("euclidean", "vectors"), 2.0, "euclidean distance of two items"),
        (Measure("hamming", "bits", bits=64), 3, "hamming distance of two items, in bits"),
        (Measure("overlap"), 0.8, "overlap similarity of two items"),
    ],
    ids=str,
)
def test_plots_say_what_goes_across(measure: Measure, threshold: float, across: str) -> None:
    pytest.importorskip("matplotlib")
    kind: Any = {"vectors": "vectors", "bits": "bits"}.get(measure.of, "elements")
    for banding in (Banding(20, 8), None):
        if banding is None or measure.banded:
            axes = Recipe(Shingling(kind, 1), banding, threshold, measure=measure).plot().axes[0]
            assert axes.get_xlabel() == across
            assert axes.get_xlim()[1] >= threshold


# On the command line


@pytest.mark.parametrize(
    ("arguments", "measure", "threshold"),
    [
        (["--measure", "dice", "-t", "0.7"], Measure("dice"), 0.7),
        (["--measure", "cosine", "--of", "sets"], Measure("cosine"), 0.8),
        (["--of", "vectors"], Measure("cosine", "vectors"), 0.8),
        (["--measure", "euclidean", "-t", "3"], Measure("euclidean", "vectors"), 3.0),
        (["--measure", "agreement"], Measure("agreement", "vectors", tolerance=1.0), 0.8),
        (["--measure", "agreement", "--tolerance", "0.1"], Measure("agreement", "vectors", tolerance=0.1), 0.8),
        (["--measure", "hamming", "--bits", "128", "-t", "9"], Measure("hamming", "bits", bits=128), 9.0),
    ],
)
def test_every_measure_on_the_command_line(arguments: list[str], measure: Measure, threshold: float) -> None:
    found = json.loads(done("tune", *arguments, "--recall", "0.95", "--json").out)
    curve = tuned(measure, threshold, 0.95)
    assert Banding(found["bands"], found["rows"]) == curve.banding
    assert (found["measure"], found["of"], found["threshold"]) == (measure.name, measure.of, threshold)
    assert found["recall"] == curve.chance(threshold) >= 0.95
    assert found["curve"] == [list(point) for point in curve.points()]
    assert found["found_up_to" if measure.is_distance else "found_from"]["0.9"] == curve.value_at(0.9)
    vain, missed = found["false_positive_area"], found["false_negative_area"]
    assert (vain, missed) == curve.areas()
    under = np.mean([curve.chance(float(v)) for v in np.linspace(0, curve.end, 10_001)])
    assert found["share_in_vain"] == pytest.approx(vain / under, abs=1e-3)
    assert (found["signature_bytes"] is None) == (measure.of != "sets")
    shown = done("tune", *arguments, "--recall", "0.95").out
    assert f"{curve.banding.bands} bands of {curve.banding.rows} rows" in shown
    assert f"\n{measure.column:>10}  chance" in shown
    assert f"{threshold:>10.4g}  {curve.chance(threshold):.4f}" in shown


def test_distances_go_up() -> None:
    out = done("tune", "--measure", "hamming", "--bits", "64", "-t", "3").out
    assert "measure     hamming of 64 bits, a distance" in out
    assert "0.99 up to 3.0091" in out
    assert "right of the threshold" in out
    assert "         2  0.9992   999.2 found, 0.8 missed\n" in out
    assert "         4  0.9561   956.1 false candidates\n" in out
    assert "similarity" not in out


def test_more_items_ask_for_more_rows() -> None:
    few, many = (
        json.loads(done("tune", "--of", "vectors", "-t", "0.9", "--items", count, "--json").out)["rows"]
        for count in ("1000", "10000000")
    )
    assert few < tune(0.9, of="vectors").rows < many


def test_bands_that_are_given() -> None:
    banded = "tune", "--bands", "20", "--rows", "5", "--json"
    bits = json.loads(done(*banded, "--measure", "hamming", "--bits", "64", "--recall", "0.9").out)
    assert bits["threshold"] == 22  # at 23 of them it would be less
    assert bits["recall"] >= 0.9 > Curve(Banding(20, 5), Measure("hamming", "bits", bits=64)).chance(23)
    anyone = json.loads(
        done(*banded[:1], "--bands", "60", "--rows", "1", *banded[5:], "--of", "vectors", "--recall", "0.5").out
    )
    assert anyone["threshold"] is None
    assert anyone["found_from"]["0.5"] < 0


def test_the_plot_of_a_distance(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "s.svg"
    done("tune", "--measure", "euclidean", "-t", "2", "--plot", path)
    assert path.read_bytes().startswith(b"<?xml")
