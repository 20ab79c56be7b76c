"""The comparison of tools: how each is run and judged, and the page of results."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import compare
import figures
import numpy as np
import page
import psutil
import pytest
from corpus import write_corpus
from environments import InstallError, Tool
from environments import run as run_command
from process import Limits, Settings, cores, run
from rich.console import Console
from rows import Results, Row, Sides
from support.once_per_run import shared_folder

from lookalike.report.plots import render

SETTINGS = Settings(threads=1)
HEAD = '''"""A tool for tests."""
# /// script
# dependencies = ["lookalike"]
# ///

import os, subprocess, sys, time
from pathlib import Path

import numpy as np
from job import Found

PACKAGE = "numpy"


def run(job):
'''
GOOD = """
    count = sum(map(len, job.texts(150)))
    clusters = np.arange(count)
    clusters[1] = 0
    return Found(clusters, np.array([[0, 1]]))
"""


def tool(folder: Path, name: str, body: str, environments: Path | None = None) -> Tool:
    """Write an adapter. Its environment is made in the same folder unless there is one in `environments` already."""
    path = folder / f"run_{name}.py"
    path.write_text(HEAD + body, encoding="utf-8")
    return Tool(path, environments or folder / "environments")


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the environment that adapters of these tests need, installed once in a run."""
    with shared_folder(tmp_path_factory, "environments") as folder:
        tool(folder, "first", GOOD, folder).python()
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a corpus of 200 documents."""
    return write_corpus(tmp_path_factory.mktemp("corpora") / "made-200.parquet", 200)


@pytest.mark.slow
def test_a_run_gives_what_was_found(small: Path, environments: Path, tmp_path: Path) -> None:
    good = tool(tmp_path, "good", GOOD, environments)
    outcome = run(good.python(), good.adapter, small, SETTINGS, Limits(), small)
    assert outcome.failed == ""
    assert outcome.clusters.tolist()[:3] == [0, 0, 2]
    assert outcome.pairs is not None
    assert outcome.pairs.tolist() == [[0, 1]]
    assert outcome.facts["version"] == np.__version__
    assert 0 < outcome.facts["stages"]["read"] <= outcome.facts["seconds"] < outcome.wall_seconds
    assert outcome.peak_bytes > 2e7


HANGS = """
    command = [sys.executable, "-c", "import time; time.sleep(1000)"]
    child = subprocess.Popen(command, start_new_session=True)
    Path({path!r}).write_text(str(child.pid))
    time.sleep(1000)
"""
BAD = {
    "raises": ("    raise ValueError('this is wrong')", "ValueError: this is wrong"),
    "is killed": ("    os.kill(os.getpid(), 9)", "ended by signal SIGKILL"),
    "says nothing": ("    sys.exit(3)", "ended with exit code 3"),
    "is large": ("    a = np.ones(10**8); time.sleep(1000)", "stopped: its memory passed 0.5 GB"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_a_run_that_fails_says_why(name: str, small: Path, environments: Path, tmp_path: Path) -> None:
    body, expected = BAD[name]
    bad = tool(tmp_path, "bad", body, environments)
    assert run(bad.python(), bad.adapter, small, SETTINGS, Limits(60, 500_000_000)).failed == expected


@pytest.mark.slow
def test_a_run_that_hangs_is_stopped_with_all_it_has_started(small: Path, environments: Path, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    hangs = tool(tmp_path, "hangs", HANGS.format(path=str(told)), environments)
    outcome = run(hangs.python(), hangs.adapter, small, SETTINGS, Limits(seconds=4))
    assert outcome.failed == "stopped after 4 seconds"
    child = int(told.read_text(encoding="utf-8"))
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


CHILD = """
    code = "import numpy, time; a = numpy.ones(5 * 10**7); time.sleep(1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    return Found(np.array([len(os.sched_getaffinity(0)), int(os.environ["RAYON_NUM_THREADS"])]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="cores of a process and shares of pages are Linux's")
def test_children_count_and_cores_are_bound(small: Path, environments: Path, tmp_path: Path) -> None:
    parent = tool(tmp_path, "parent", CHILD, environments)
    outcome = run(parent.python(), parent.adapter, small, SETTINGS, Limits())
    assert outcome.clusters.tolist() == [1, 1]
    assert 4e8 < outcome.peak_bytes < 8e8


@pytest.mark.slow
def test_more_threads_than_cores_are_refused(small: Path, environments: Path, tmp_path: Path) -> None:
    good = tool(tmp_path, "good", GOOD, environments)
    with pytest.raises(ValueError, match="at most the number of cores"):
        run(good.python(), good.adapter, small, Settings(threads=len(cores()) + 1), Limits())


def test_an_adapter_says_what_it_needs(tmp_path: Path) -> None:
    adapter = tmp_path / "run_some_tool.py"
    adapter.write_text('# /// script\n# dependencies = [\n#   "a>=1",\n#   "b",\n# ]\n# ///\nPACKAGE = "a"\n')
    some = Tool(adapter, tmp_path)
    assert (some.name, some.needs, some.package, some.ours, some.version()) == (
        "some-tool", ["a>=1", "b"], "a", False, "",
    )  # fmt: skip
    adapter.write_text("PACKAGE = 'a'\n")
    with pytest.raises(InstallError, match="no block that says what to install"):
        some.python()


@pytest.mark.slow
def test_a_tool_that_cannot_be_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    missing = tool(tmp_path, "missing", GOOD)
    missing.adapter.write_text(missing.adapter.read_text().replace('"lookalike"', '"no-such-tool"'))
    with pytest.raises(InstallError, match="ERROR: No matching distribution found"):
        missing.python()
    with pytest.raises(InstallError, match="exit code 2"):
        run_command(["/bin/sh", "-c", "exit 2"])


COUNTED = """
    with Path({path!r}).open("a") as file:
        file.write("x")
"""


@pytest.mark.slow
def test_a_comparison_goes_on_where_it_stopped(
    environments: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "WARM_UP", "made-20")
    told = tmp_path / "told"
    good = tool(tmp_path, "good", COUNTED.format(path=str(told)) + GOOD, environments)
    bad = tool(tmp_path, "bad", "    raise ValueError('this is wrong')", environments)
    wrong = tool(tmp_path, "wrong", "    return Found(np.arange(3))", environments)
    comparison = compare.Comparison(SETTINGS, Limits(), 2, results=tmp_path / "results", data=tmp_path / "data")
    shown = Console(record=True, width=120)

    def runs(*which: Tool, comparison: compare.Comparison = comparison) -> int:
        told.write_text("")
        compare.compare("made-200", list(which), comparison, shown)
        return len(told.read_text())

    assert runs(good) == 4  # each with a warm-up
    assert runs(good, bad, wrong) == 0
    assert runs(good, comparison=replace(comparison, repeats=1, again=True)) == 2
    written = json.loads((tmp_path / "results" / "made-200.json").read_text(encoding="utf-8"))
    assert written["corpus"]["documents"] == 200
    assert written["settings"] == {"threshold": 0.7, "words": 5, "threads": 1}
    failed, row, other = written["tools"]
    assert failed == {"tool": "bad", "version": np.__version__, "failed": "ValueError: this is wrong"}
    assert other["failed"] == "it gave clusters of 3 documents, not of 200"
    assert row["clusters"]["count"] == row["pairs"]["count"] == 1
    assert row["median_seconds"] == row["seconds"][0]
    assert "ValueError: this is wrong" in shown.export_text()


def test_rows_of_another_machine_are_not_kept(tmp_path: Path) -> None:
    results = Results(tmp_path / "made-10.json", {})
    results.put({"tool": "a"}, {}, SETTINGS)
    assert Results.read(results.path).comparable(SETTINGS)
    assert not Results.read(results.path).comparable(Settings(threshold=0.8, threads=1))
    results.facts["machine"]["cpu"] = "another"
    assert not results.comparable(SETTINGS)


def row(name: str, seconds: float, gigabytes: float = 1) -> Row:
    return {
        "tool": name,
        "version": "1.0",
        "seconds": [seconds] * (1 if seconds > 100 else 3),
        "median_seconds": seconds,
        "stages": {"read": seconds / 4, "sign": seconds / 2, "its own": seconds / 8},
        "peak_bytes": int(gigabytes * 1e9),
        "clusters": {"count": 3, "recall": 0.99999, "precision": 1.0},
        "pairs": {"count": 3, "recall": 0.5, "precision": None} if name == "lookalike" else None,
    }


def put(folder: Path, name: str, rows: list[Row]) -> None:
    documents = int(name.partition("-")[2])
    facts = {"name": name, "documents": documents, "bytes": 10**9, "true_pairs": 12345}
    results = Results(folder / f"{name}.json", {})
    for one in rows:
        results.put(one, facts, SETTINGS)


@pytest.mark.parametrize(
    ("tenth", "expected"),
    [
        (row("a", 50), ""),
        (row("a", 100), "not run: ten times its 100 s for made-100 are more than 15 minutes"),
        (row("a", 50, 3), "not run: after 3.0 GB for made-100, it would take 21 GB"),
        (row("a", 50, 1.9), ""),
        ({"tool": "a", "version": "1.0", "failed": "it broke"}, "not run: no result for made-100"),
        (row("b", 1000), ""),
    ],
)
def test_a_tool_is_left_out_by_what_a_tenth_took(tenth: Row, expected: str, tmp_path: Path) -> None:
    put(tmp_path, "made-10", [row("a", 1, 1)])
    put(tmp_path, "made-100", [tenth])
    comparison = compare.Comparison(SETTINGS, Limits(900, 20 * 10**9), results=tmp_path)
    assert comparison.too_much(tool(tmp_path, "a", GOOD), "made-1000") == expected
    assert comparison.too_much(tool(tmp_path, "a", GOOD), "mdn") == ""


@pytest.mark.slow
def test_the_page_says_what_the_results_say(tmp_path: Path) -> None:
    failed = {"tool": "broken", "version": "", "failed": "it said <a|b>"}
    put(tmp_path, "made-10000", [row("lookalike", 2.0), row("slow", 9), failed])
    put(tmp_path, "made-100000", [row("lookalike", 20.0), row("slow", 150)])
    (tmp_path / "speed.json").write_text("{}")
    every = page.read(tmp_path)
    none = Sides(tmp_path / "none.json", 0)
    written = page.page(every, dict.fromkeys(page.SIDES, none))
    assert "| lookalike | 1.0 | 2.00 | 1 | 1,000 MB | 0.9999 | 1 | 0.5000 | \N{EN DASH} |" in written
    assert "| slow | 1.0 | 150, once | 7.5 | 1,000 MB |" in written
    assert r"| broken |  | failed: it said &lt;a\|b> | | |" in written
    assert written.index("### made-10000") < written.index("### made-100000")
    assert "{" not in written
    drawn = page.plots_of_texts(every)
    assert list(drawn) == ["time", "memory", "quality", "growth"]
    for name, draw in drawn.items():
        assert f"benchmark-{name}.svg" in written
        assert render(draw(), "svg") == render(draw(), "svg")
    assert list(page.plots_of_texts(every[:1])) == ["time", "memory", "quality"]
    assert render(figures.time(every[0]), "svg")


def test_stages_share_all_of_the_time() -> None:
    shares = [figures.share_of(row("a", 8), stage) for stage in figures.STAGES]
    assert shares == [0.25, 0, 0.5, 0, 0, 0, 0.25]


def test_labels_keep_their_distance_and_their_order() -> None:
    places = figures.spread([0.0, 0.01, 0.5, 0.51, 0.52, 0.99, 1.0])
    assert all(b - a >= figures.APART - 1e-6 for a, b in itertools.pairwise(places))
    assert places[0] == 0
    assert places[-1] == 1


def test_the_page_is_fresh() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(page.read(), page.read_sides())
