"""The input of the comparisons on sets, vectors and indexes, and how results of adapters are recorded."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import page
import pyarrow.parquet as pq
import pytest
import side
import side_page
from environments import Tool
from rows import Row, Sides

from lookalike import compare, find_pairs
from lookalike.report.plots import render


def test_baskets_are_the_same_each_time_and_some_are_similar(tmp_path: Path) -> None:
    for name in ("one", "two"):
        side.baskets(2000, tmp_path / name)
    one, two = (pq.read_table(tmp_path / name)["elements"].to_pylist() for name in ("one", "two"))
    assert one == two
    assert all(len(set(basket)) == len(basket) for basket in one)
    sizes = [len(basket) for basket in one]
    assert max(sizes) == side.SIZE
    assert np.median(sizes) >= side.SIZE - 2
    assert 50 < len(find_pairs([set(basket) for basket in one], threshold=0.5)) < 400


def test_vectors_are_the_same_each_time_and_some_are_close(tmp_path: Path) -> None:
    for name in ("one.npy", "two.npy"):
        side.vectors(2000, tmp_path / name)
    rows = np.load(tmp_path / "one.npy")
    assert rows.shape == (3000, side.LENGTH)
    assert (rows == np.load(tmp_path / "two.npy")).all()
    assert 50 < len(find_pairs(rows, measure="cosine", threshold=0.9)) < 300


class Here(Tool):
    """A tool that needs no environment."""

    def python(self) -> Path:
        return Path(sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("print('{\"pairs\": 3}')", [{"pairs": 3}]),
        ("raise SystemExit('no luck')", [{"failed": "no luck"}]),
        (
            "import time; print('{\"pairs\": 3}', flush=True); time.sleep(60)",
            [{"pairs": 3}, {"failed": "stopped after 2 seconds"}],
        ),
    ],
)
def test_rows_and_failures(code: str, rows: list[object], tmp_path: Path) -> None:
    adapter = tmp_path / "run_here.py"
    adapter.write_text(code)
    assert side.run(Here(adapter), tmp_path, 2.0) == rows
    assert json.dumps(rows)


def sides(folder: Path, name: str, tools: dict[str, list[Row]]) -> Sides:
    found = Sides(folder / f"{name}.json", 5000)
    for tool, rows in tools.items():
        found.put(tool, "1.0", 2, rows)
    return Sides.read(found.path)


def of_sets(threshold: float, seconds: float, pairs: int, *, exact: bool) -> Row:
    return {"threshold": threshold, "exact": exact, "seconds": seconds, "pairs": pairs}


SETS: dict[str, list[Row]] = {
    "lookalike": [
        of_sets(0.8, 1.0, 99, exact=False),
        of_sets(0.8, 2.5, 100, exact=True),
        of_sets(0.5, 2.0, 190, exact=False),
        of_sets(0.5, 8.0, 200, exact=True),
    ],
    "other": [of_sets(0.8, 30.0, 100, exact=True), {"failed": "stopped after 60 seconds"}],
}
VECTORS: dict[str, list[Row]] = {
    "lookalike": [
        {"what": "pairs", "exact": True, "seconds": 4.0, "pairs": 50},
        {"what": "1,000 questions", "build": 0.1, "queries_a_second": 900, "recall": 1.0},
    ],
    "graph": [{"what": "HNSW", "build": 20.0, "queries_a_second": 9000, "recall": 0.99996, "bytes": 12_000_000}],
    "broken": [{"failed": "no luck"}],
}


INDEX: dict[str, list[Row]] = {
    "lookalike": [
        {
            "what": "on disk", "build": 2.0, "queries_a_second": 30_000, "recall": 1.0, "precision": 1.0,
            "bytes": 8_000_000, "open_milliseconds": 2.0, "single_milliseconds": 0.4, "adds_a_second": 2000,
            "sign": 0.5,
        },
    ],
    "other": [
        {"what": "in memory", "build": 9.0, "queries_a_second": 900, "recall": 0.8, "precision": 0.9, "bytes": 0},
    ],
}  # fmt: skip


def test_the_rows_of_a_tool_replace_its_own_and_no_others(tmp_path: Path) -> None:
    found = sides(tmp_path, "sets", SETS)
    found.tools["other"]["note"] = "it was late"
    before = dict(found.tools)
    found.put("other", "2.0", 1, [of_sets(0.8, 3.0, 100, exact=True)])
    after = Sides.read(found.path).tools
    assert after["lookalike"] == before["lookalike"]
    assert (after["other"]["version"], after["other"]["threads"], len(after["other"]["rows"])) == ("2.0", 1, 1)
    assert "note" not in after["other"]
    assert set(after["other"]["machine"]) == {"cpu", "cores", "memory_bytes", "system"}


def test_results_of_another_count_are_left_out_and_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sides(tmp_path, "sets", SETS).path
    assert set(side.sides(path, 5000).tools) == set(SETS)
    assert capsys.readouterr().out == ""
    assert side.sides(path, 100).tools == {}
    assert "results of 5,000 items" in capsys.readouterr().out


def test_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no tool 'nothing' for vectors; choose of .*usearch"):
        side.measure("vectors", tmp_path, Sides(tmp_path / "vectors.json", 10), ["nothing"], 1.0)


def test_the_page_shows_sets(tmp_path: Path) -> None:
    lines = side_page.table_of_sets(sides(tmp_path, "sets", SETS)).splitlines()
    assert lines[2:] == [
        "| 0.8 | lookalike | 1.0 | 1.00 | 1 | 99 | 0.9900 |",
        "| 0.8 | lookalike-exact | 1.0 | 2.50 | 2.5 | 100 | 1 |",
        "| 0.8 | other | 1.0 | 30.0 | 30 | 100 | 1 |",
        "| 0.5 | lookalike | 1.0 | 2.00 | 1 | 190 | 0.9500 |",
        "| 0.5 | lookalike-exact | 1.0 | 8.00 | 4 | 200 | 1 |",
        "| 0.5 | other | 1.0 | failed: stopped after 60 seconds | | | |",
    ]


def test_the_page_shows_vectors(tmp_path: Path) -> None:
    found = sides(tmp_path, "vectors", VECTORS)
    assert side_page.table_of_pairs(found).splitlines()[2:] == ["| lookalike-exact | 1.0 | 4.00 |  | 50 | 1 |"]
    assert side_page.table_of_nearest(found).splitlines()[2:] == [
        "| graph, HNSW | 1.0 | 9,000 | 20.0 | 0.9999 | 12 MB |",
        "| lookalike, 1,000 questions | 1.0 | 900 | 0.10 | 1 | \N{EN DASH} |",
        "| broken | 1.0 | failed: no luck | | | |",
    ]


def test_the_page_shows_an_index(tmp_path: Path) -> None:
    found = sides(tmp_path, "index", INDEX)
    assert side_page.table_of_index(found).splitlines()[2:] == [
        "| lookalike, on disk | 1.0 | 30,000 | 2.00 | 1 | 1 | 1,600 |",
        "| other, in memory | 1.0 | 900 | 9.00 | 0.8000 | 0.9000 | \N{EN DASH} |",
    ]
    none = Sides(tmp_path / "none.json", 0)
    words = side_page.words_on_index(found, none)
    assert "opened in 2 ms" in words
    assert "took 0.4 ms" in words
    assert "building the index took 4 times as long" in words
    assert "5,000 documents" not in words
    assert "With 5,000 documents, the index was built in 2.00 seconds" in side_page.words_on_index(found, found)
    assert side_page.words_on_index(none, none) == ""


@pytest.mark.slow
def test_documents_for_an_index_know_what_they_resemble(tmp_path: Path) -> None:
    side.documents(500, tmp_path / "index.parquet")
    rows = pq.read_table(tmp_path / "index.parquet")
    asked = rows["question"].to_numpy()
    assert (len(rows), asked.sum()) == (500 + side.QUESTIONS, side.QUESTIONS)
    similar = rows["similar"].to_pylist()
    assert not any(similar[:500])
    assert any(similar[500:])
    texts = rows["text"].to_pylist()
    for i, found in enumerate(similar):
        assert all(compare(texts[i], texts[j]).similarity >= 0.8 for j in found[:2])


@pytest.mark.slow
def test_plots_are_drawn_where_there_are_results(tmp_path: Path) -> None:
    sets, vectors = sides(tmp_path, "sets", SETS), sides(tmp_path, "vectors", VECTORS)
    index = sides(tmp_path, "index", INDEX)
    written = page.page([], dict(zip(page.SIDES, (sets, vectors, index, index), strict=True)))
    assert not re.search(r"\{.*\}", written)
    assert re.findall(r"images/benchmark-(\w+)\.svg", written) == ["sets", "vectors"]
    for draw in page.plots_of_sides(sets, vectors).values():
        assert render(draw(), "svg") == render(draw(), "svg")
    none = Sides(tmp_path / "none.json", 0)
    assert page.plots_of_sides(none, none) == {}
    assert "images/" not in page.page([], dict.fromkeys(page.SIDES, none))


def test_several_machines_are_distinguished(tmp_path: Path) -> None:
    found = sides(tmp_path, "sets", SETS)
    assert len(page.machines_of_sides(found)) == 1
    assert "lookalike:" not in page.machines_of_sides(found)[0]
    found.tools["other"]["machine"] |= {"cpu": "another"}
    one, other = page.machines_of_sides(found)
    assert "lookalike: " in one
    found.tools["other"]["note"] = "it was late"
    assert page.machines_of_sides(found)[2:] == ["- other: it was late."]
    assert "other: another, " in other
