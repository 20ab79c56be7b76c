"""lookalike tune: its output, plots, samples and errors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.paths import ARTICLES
from support.run_cli import LOOKALIKE, done, quiet_environment, run

from lookalike import Banding, balance, estimate_costs, tune
from lookalike.cli.tune_curve import HEIGHT, WIDTH, curve_picture, curve_table
from lookalike.measures import Measure
from lookalike.tuning.curve import Curve


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = ARTICLES.read_bytes().splitlines(keepends=True)
    Path("parts").mkdir()
    for part in range(3):
        Path(f"parts/{part}.jsonl").write_bytes(b"".join(lines[part::3]))
    return tmp_path


def told(*arguments: object) -> dict[str, Any]:
    """Return what a command prints as JSON."""
    found: dict[str, Any] = json.loads(done("tune", *arguments, "--json").out)
    return found


def refused(*arguments: object) -> str:
    """Return the one line of a command that must fail."""
    outcome = run("tune", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("lookalike: ")
    assert outcome.err.count("\n") == 1
    return outcome.err


# A calculation


def test_threshold_and_recall() -> None:
    out = done("tune", "--threshold", "0.8", "--recall", "0.99").out
    assert out == done("tune").out
    assert out.splitlines()[:5] == [
        "banding     20 bands of 7 rows",
        "signature   140 slots, 1,120 bytes; stored as 160 bytes of band keys per item",
        "recall      0.9910 at the threshold 0.8",
        "steepest    near 0.6518",
        "found with  0.5 from 0.6171, 0.9 from 0.7284, 0.95 from 0.7544, 0.99 from 0.7978, 0.999 from 0.8388",
    ]
    assert "       0.5  0.1452   145.2 false candidates" in out
    assert "       0.8  0.9910   991.0 found, 9.0 missed  <- threshold" in out
    assert "^ threshold 0.8" in out


def test_json_has_everything() -> None:
    found = told("--threshold", "0.75", "--recall", "0.95")
    banding = tune(0.75, 0.95)
    assert (found["bands"], found["rows"], found["slots"]) == (banding.bands, banding.rows, banding.slots)
    assert (found["signature_bytes"], found["key_bytes"]) == (8 * banding.slots, 8 * banding.bands)
    assert (found["threshold"], found["recall"]) == (0.75, banding.chance(0.75))
    similarities = [*(f"{i / 10:g}" for i in range(1, 8)), "0.75", "0.8", "0.9", "1"]
    assert found["chance"] == {text: banding.chance(float(text)) for text in similarities}
    assert found["found_from"]["0.99"] == banding.similarity_at(0.99)
    assert found["curve"] == [list(point) for point in banding.curve()]
    chances = [chance for _, chance in banding.curve(10_001)]
    under, left = sum(chances) / 10_001, sum(chances[:7500]) / 10_001
    assert found["false_positive_area"] == pytest.approx(left, abs=1e-3)
    assert found["false_negative_area"] == pytest.approx(0.25 - (under - left), abs=1e-3)
    assert found["share_in_vain"] == pytest.approx(left / under, abs=1e-3)
    assert found["estimate"] is None


def test_the_reverse() -> None:
    plain = told("--bands", "20", "--rows", "5")
    assert (plain["threshold"], plain["recall"], plain["share_in_vain"]) == (None, None, None)
    assert plain["steepest"] == (1 / 20) ** (1 / 5)
    assert list(plain["found_from"]) == ["0.5", "0.9", "0.95", "0.99", "0.999"]
    there = told("--bands", "20", "--rows", "5", "--threshold", "0.6")
    assert (there["threshold"], there["recall"]) == (0.6, Banding(20, 5).chance(0.6))
    wanted = told("--bands", "20", "--rows", "5", "--recall", "0.8")
    assert wanted["threshold"] == wanted["found_from"]["0.8"] == Banding(20, 5).similarity_at(0.8)
    assert wanted["recall"] == pytest.approx(0.8)
    both = told("--bands", "20", "--rows", "5", "-t", "0.6", "--recall", "0.8")
    assert (both["threshold"], both["found_from"]["0.8"]) == (0.6, wanted["threshold"])
    out = done("tune", "--bands", "20", "--rows", "5").out
    assert "steepest    near 0.5493" in out
    assert "       0.5  0.4701   470.1 candidates\n" in out
    assert "threshold" not in out


@pytest.mark.slow
def test_weights() -> None:
    out = done("tune", "--threshold", "0.8", "--weights", "fp=0.5,fn=0.5").out
    assert "9 bands of 13 rows" in out
    assert "recall      0.3988 at the threshold 0.8" in out
    found = told("--weights", "fn = 9, fp=1", "--slots", "64", "-t", "0.5")
    banding = balance(0.5, weights=(1, 9), slots=64)
    assert (found["bands"], found["rows"], found["recall"]) == (banding.bands, banding.rows, banding.chance(0.5))


@pytest.mark.slow
def test_nothing_heavy_is_loaded() -> None:
    """A calculation starts as fast as help does: what takes time is imports."""
    code = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); " + LOOKALIKE[2]
    command = [LOOKALIKE[0], "-c", code, "tune", "--weights", "fp=1,fn=1"]
    ended = subprocess.run(command, env=quiet_environment(), capture_output=True, text=True, check=True)
    assert not {"numba", "pyarrow", "numpy", "matplotlib", "llvmlite"} & set(ended.stderr.split())
    shown = done("tune", "--help").out
    assert "Examples:" in shown
    assert "In Python:" in shown


# The picture


@pytest.mark.parametrize("banding", [Banding(20, 7), Banding(1, 1), Banding(1, 60), Banding(60, 1)], ids=str)
@pytest.mark.parametrize("threshold", [None, 0.001, 0.5, 0.8, 1.0])
def test_the_picture_fits_and_is_plain(banding: Banding, threshold: float | None) -> None:
    lines = curve_picture(Curve(banding, threshold=threshold)).split("\n")
    assert len(lines) == HEIGHT + 2 + 2 * (threshold is not None)
    assert max(map(len, lines[: HEIGHT + 2])) <= WIDTH + 7
    assert all(" " <= character <= "~" for line in lines for character in line)
    rows = [line[6:].ljust(WIDTH + 1) for line in lines[:HEIGHT]]
    for column, (_, chance) in enumerate(banding.curve(WIDTH + 1)):
        assert rows[HEIGHT - 1 - round(chance * (HEIGHT - 1))][column] == "*"


def test_the_picture_shades_both_errors() -> None:
    rows = [
        line[6:].ljust(WIDTH + 1) for line in curve_picture(Curve(Banding(9, 13), threshold=0.8)).split("\n")[:HEIGHT]
    ]
    at = round(0.8 * WIDTH)
    left, right = ("".join(row[:at] for row in rows), "".join(row[at + 1 :] for row in rows))
    assert ("." in left, "x" in left, "." in right, "x" in right) == (True, False, False, True)
    assert {row[at] for row in rows} <= {"|", "*"}


def test_the_table_separates_false_candidates_from_pairs_found() -> None:
    lines = list(curve_table([(0.3, 0.0475), (0.8, 0.9996)], 0.8, Measure()))
    assert lines[1:] == [
        "       0.3  0.0475    47.5 false candidates",
        "       0.8  0.9996   999.6 found, 0.4 missed  <- threshold",
    ]


# A file


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_plot(ending: str) -> None:
    path = Path(f"s.{ending}")
    assert f"wrote       {path}" in done("tune", "--plot", path).out
    first = path.read_bytes()
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    assert f"{path} exists already; --force replaces it" in refused("--plot", path)
    assert told("--plot", path, "--force", "--bands", "9", "--rows", "3")["bands"] == 9
    assert path.read_bytes() != first


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("s.jpeg", "choose .svg, .png or .pdf"),
        ("nowhere/s.svg", "there is no directory"),
        ("parts", "ending"),
        ("in.svg", "is an input"),
    ],
)
def test_a_plot_that_cannot_be(path: str, says: str) -> None:
    Path("in.svg").write_bytes(ARTICLES.read_bytes())
    assert says in refused("--sample", "in.svg", "--plot", path, "--force")
    assert Path("in.svg").read_bytes() == ARTICLES.read_bytes()


# A sample


def test_a_sample_on_paper() -> None:
    out = done("tune", "--sample", ARTICLES, "--threshold", "0.7", "--sample-size", "200").out
    found = estimate_costs(ARTICLES, threshold=0.7, sample_size=200)
    assert f"{found.banding.bands} bands of {found.banding.rows} rows" in out
    assert f"Sampled 200 of the {found.compared} distinct items (380 read)" in out
    for one in found.bins:
        low = f"{one.low:g}" if one.low else "more than 0"
        cells = f"{low} to {one.high:g}", f"{one.sampled:,}", f"{one.pairs:,.0f}", f"{one.error:,.0f}"
        assert " ".join(cells) in [" ".join(line.split()) for line in out.splitlines()]
    starred = [line.split() for line in out.splitlines() if line.lstrip().startswith("*") and "cheapest" not in line]
    chosen = next(cells for cells in starred if cells[0] == f"*{found.banding.rows}")
    assert chosen[1:3] == [str(found.banding.bands), f"{found.best.candidates:,.0f}"]
    assert f"Expected: {found.best.candidates:,.0f} candidates" in out
    assert f"{found.best.false_candidates:,.0f} of them false." in out


def test_a_sample_as_json_is_that_of_python() -> None:
    found = told("--sample", ARTICLES, "--text", "text", "--id", "id", "--shingle", "words:3", "--recall", "0.9")
    same = estimate_costs(ARTICLES, text="text", id="id", shingle="words:3", recall=0.9)
    assert found["estimate"] == same.to_dict()
    assert Banding(found["bands"], found["rows"]) == same.banding == tune(0.8, 0.9, sample=ARTICLES, shingle="words:3")
    assert found["recall"] >= 0.9


@pytest.mark.parametrize(
    "inputs",
    [
        ["parts"],
        ["--sample", "parts"],
        ["--sample", "parts/*.jsonl"],
        ["--sample", "parts/0.jsonl", "parts/1.jsonl", "parts/2.jsonl"],
        ["--sample", "parts/0.jsonl", "--sample", "parts/1.jsonl", "--sample", "parts/2.jsonl"],
    ],
)
def test_many_files_are_one_sample(inputs: list[str]) -> None:
    assert told(*inputs, "--sample-size", "20")["estimate"]["items"] == 380


def test_a_sample_of_standard_input_and_of_lines() -> None:
    outcome = done("tune", "--sample", "-", "--json", stdin=ARTICLES.read_bytes())
    assert json.loads(outcome.out)["estimate"]["items"] == 380
    Path("lines.txt").write_text("one line\nanother line\nand a third\n")
    assert told("--sample", "lines.txt", "--lines", "--shingle", "words:1")["estimate"]["items"] == 3


def test_a_plot_of_a_sample() -> None:
    done("tune", "--sample", ARTICLES, "--plot", "s.svg")
    assert Path("s.svg").read_bytes().startswith(b"<?xml")


# Contradictions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--threshold", "80"], "--threshold must be in (0, 1]. Got 80; did you mean 0.80?"),
        (["--recall", "99"], "did you mean 0.99?"),
        (["--recall", "1"], "--recall 1 means an exact search, which has no bands"),
        (["--bands", "20"], "--bands and --rows go together"),
        (["--rows", "5", "--recall", "0.9"], "--bands and --rows go together"),
        (["--bands", "0", "--rows", "5"], "--bands must be a whole number, at least 1. Got 0"),
        (["--bands", "20", "--rows", "5", "-t", "2"], "Got 2; did you mean 0.02?"),
        (["--bands", "20", "--rows", "5", "--recall", "-1"], "--recall must be in (0, 1]. Got -1"),
        (
            ["--bands", "20", "--rows", "5", "--weights", "fp=1,fn=1"],
            "--bands and --rows cannot be combined with --weights",
        ),
        (
            ["--bands", "20", "--rows", "5", "--sample", "parts"],
            "cannot be combined with --sample: each chooses the banding. Leave one out",
        ),
        (["--weights", "fp=1,fn=1", "--sample", "parts"], "--weights cannot be combined with --sample"),
        (["--weights", "fp=1,fn=1", "--recall", "0.9"], "--weights guarantees no recall. Leave --recall out"),
        (["--weights", "0.5,0.5"], "--weights must be fp=X,fn=Y, such as fp=0.5,fn=0.5. Got '0.5,0.5'"),
        (["--weights", "fp=1"], "must be fp=X,fn=Y"),
        (["--weights", "fp=1,fn=much"], "must be fp=X,fn=Y"),
        (["--weights", "fp=0,fn=1"], "--weights must be above 0. Got 0 and 1"),
        (["--weights", "fp=1,fn=1", "--slots", "0"], "--slots must be a whole number in 1..65536. Got 0"),
        (["--slots", "64"], "--slots limits the signature that --weights chooses. Give --weights, or leave it out"),
        (
            ["--sample-size", "10"],
            "--sample-size is the number of items to draw from a --sample. Give one, or leave it out",
        ),
        (["--sample", "parts", "--sample-size", "0"], "--sample-size must be a whole number, at least 1. Got 0"),
        (["--sample", "parts", "--recall", "1"], "an exact search, which has no bands"),
        (["--sample", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--shingle", "words:3"], "--shingle only applies to a --sample. Give one, or leave it out"),
        (["--encoding-errors", "replace"], "--encoding-errors only applies to a --sample. Give one, or leave it out"),
        (["--seed", "2"], "--seed only applies to a --sample. Give one, or leave it out"),
        (["--measure", "cosine"], "exists for sets and for vectors. Choose one with --of sets or --of vectors"),
        (["--measure", "dice", "--of", "vectors"], "must be cosine, euclidean or agreement for vectors. Got 'dice'"),
        (["--measure", "overlap"], "`overlap` has no bands: the search for it is always exact, and there is nothing"),
        (["--measure", "containment", "parts"], "`containment` has no bands"),
        (
            ["--measure", "euclidean"],
            "--threshold must be the maximum distance of two items, for the measure euclidean",
        ),
        (
            ["--measure", "euclidean", "--bands", "9", "--rows", "9"],
            "--threshold is required: the slots of euclidean depend on it",
        ),
        (["--measure", "euclidean", "-t", "-1"], "--threshold of a distance must be at least 0. Got -1"),
        (
            ["--measure", "hamming", "-t", "3"],
            "--bits must be the number of bits per item, such as 64, for the measure hamming; or give a",
        ),
        (["--measure", "hamming", "-t", "3", "--bits", "0"], "--bits must be a whole number, at least 1. Got 0"),
        (["--measure", "hamming", "-t", "64", "--bits", "64"], "--threshold must be closer. Got 64, where a slot"),
        (["--bits", "64"], "--bits is the number of bits per item, for the measure hamming. Leave it out for jaccard"),
        (["--tolerance", "1"], "required by the measure agreement and not accepted by any other. Got 1.0 with jaccard"),
        (["--measure", "agreement", "--bands", "1", "--rows", "9", "--recall", "0.9"], "whatever the agreement of two"),
        (
            ["--measure", "dice", "--weights", "fp=1,fn=1"],
            "is for the S-curve of jaccard. Leave it out for dice, and give a --recall",
        ),
        (["--items", "10"], "--items matters to the bands of vectors and bits, not to those of sets. Leave it out"),
        (["--of", "vectors", "--items", "0"], "--items must be at least 1. Got 0"),
        (
            ["--of", "vectors", "--items", "9", "--bands", "9", "--rows", "9"],
            "--items matters only where a --recall chooses the bands",
        ),
        (["parts", "--of", "sets"], "--of is known from the sample. Leave it out, or the sample"),
        (["parts", "--measure", "hamming", "--bits", "64", "-t", "3"], "--bits is known from the sample"),
    ],
)
def test_invalid_requests(arguments: list[str], says: str) -> None:
    assert says in refused(*arguments)
