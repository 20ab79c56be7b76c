"""Run docs/lecture.ipynb from top to bottom, and store its outputs without what differs from run to run.

python docs/make_lecture.py            run it and store the outputs
python docs/make_lecture.py --check    exit with 1 and name the cells whose outputs differ from those stored, if any do

The text of outputs is compared, and that there is a picture, but not how a version of matplotlib draws it.
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

LECTURE = Path(__file__).parent / "lecture.ipynb"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
SECONDS = 300
"""The maximum time a cell may take."""

QUIET = ["--log-level=ERROR"]
"""Argument of the kernel, which would warn that others on this machine might listen."""

PICTURE = "image/svg+xml"
DATED = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
FINE = re.compile(r"(\.\d\d)\d+")
"""A coordinate with more decimals than anyone sees."""

Notebook = Any
"""A notebook, or a part of one: dicts and lists whose keys are attributes, too."""


def run(notebook: Notebook) -> None:
    """Run all cells of a notebook in the folder it is in, and keep clean outputs."""
    folder = {"metadata": {"path": str(LECTURE.parent)}}
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name=KERNEL["name"], resources=folder)
    client.extra_arguments = QUIET
    client.coalesce_streams = True  # a text may arrive in several parts
    client.execute()
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"cell-{number}"
        for output in cell.get("outputs", []):
            clean(output)


def clean(output: Notebook) -> None:
    """Remove from an output what differs from run to run."""
    output.get("metadata", {}).clear()
    data = output.get("data", {})
    if PICTURE in data:
        data[PICTURE] = FINE.sub(r"\1", DATED.sub("", data[PICTURE]))


def shown(cell: Notebook) -> list[Any]:
    """Return what the outputs of a cell say, but for how pictures are drawn."""
    return [
        output.get("text", "") or [(kind, kind != PICTURE and text) for kind, text in sorted(output.data.items())]
        for output in cell.get("outputs", [])
    ]


def main() -> None:
    """Store the outputs, or check them."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = LECTURE.read_text(encoding="utf-8")
    stored, made = (nbformat.reads(text, as_version=4) for _ in range(2))  # type: ignore[no-untyped-call]
    run(made)
    if not sys.argv[1:]:
        LECTURE.write_text(f"{nbformat.writes(made)}\n", encoding="utf-8")  # type: ignore[no-untyped-call]
        return
    pairs = zip(stored.cells, made.cells, strict=True)
    if stale := [f"{one.id}: {shown(one)} is now {shown(two)}" for one, two in pairs if shown(one) != shown(two)]:
        sys.exit("\n".join([*stale, "lecture.ipynb is out of date: run python docs/make_lecture.py"]))


if __name__ == "__main__":
    main()
