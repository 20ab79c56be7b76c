"""The input of the comparisons on sets and vectors, and what becomes of an adapter's answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import side
from environments import Tool

from lookalike import find_pairs


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
