"""The notebook of the lecture: it runs, prints what is stored, and holds nothing of the machine it was run on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from support.paths import ROOT

LECTURE = ROOT / "docs" / "lecture.ipynb"
MAX_BYTES = 400_000


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """Return the notebook as it is stored."""
    found: dict[str, Any] = json.loads(LECTURE.read_text(encoding="utf-8"))
    return found


def code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.slow
def test_it_runs_and_prints_what_is_stored() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_lecture.py", "--check"], text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_it_was_run_once_from_top_to_bottom(notebook: dict[str, Any]) -> None:
    cells = code(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


def test_nothing_went_wrong(notebook: dict[str, Any]) -> None:
    outputs = [output for cell in code(notebook) for output in cell["outputs"]]
    assert not [one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"]
    assert sum("image/svg+xml" in one.get("data", {}) for one in outputs) >= 7


def test_it_is_small_and_says_nothing_of_the_machine(notebook: dict[str, Any]) -> None:
    text = LECTURE.read_text(encoding="utf-8")
    assert LECTURE.stat().st_size < MAX_BYTES
    assert not re.search(r"/(home|root|tmp|usr|work|Users)/", text)
    assert not re.search(r"\b20\d\d-\d\d-\d\dT", text)
    assert not any(cell["metadata"] for cell in notebook["cells"])


def test_links_resolve(notebook: dict[str, Any]) -> None:
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    links = re.findall(r"\]\(([^)#:\s]+)\)", "\n".join(texts))
    assert links
    assert all((LECTURE.parent / link).exists() for link in links)
