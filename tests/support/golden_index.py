"""Small indexes of every kind, stored in tests/data: `python tests/support/golden_index.py` writes them.

They must stay readable forever. When the format changes, so does its version, and new ones are stored beside the old.
"""

from __future__ import annotations

import datetime as dt
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from lookalike import Index
from lookalike.index.storage.schema import FORMAT

ARCHIVE = Path(__file__).parents[1] / "data" / f"index_format_{FORMAT}.tar.xz"

KINDS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "texts": (
        {"shingle": "words:2", "threshold": 0.5},
        ["a fox lived in a wood", "a fox lived in the wood", None, "", "Crème brûlée à la carte", "a long text " * 50],
    ),
    "elements": (
        {"shingle": "elements", "threshold": 0.5, "bands": 4, "rows": 2},
        [["tea", "milk"], ["tea", "milk", "bread"], None, ["x"], ["y", "z"], ["milk", "tea"]],
    ),
    "weights": (
        {"shingle": "weights", "threshold": 0.5},
        [{"tea": 1.0, "milk": 0.5}, {"tea": 1.0, "milk": 0.25}, None, {"x": 3.0}, {"y": 1e-9}, {"tea": 1.0}],
    ),
    "vectors": (
        {"shingle": "vectors", "measure": "cosine", "threshold": 0.9, "bands": 4, "rows": 2},
        [[1.0, 0.0, 0.5], [1.0, 0.1, 0.5], None, [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 1.0]],
    ),
    "bits": (
        {"shingle": "bits", "measure": "hamming", "threshold": 2},
        [b"\x00\x01", b"\x00\x03", None, b"\xff\x00", b"\x0f\xf0", b"\x00\x01"],
    ),
}  # fmt: skip
"""Settings and items of an index of each kind."""


def make(folder: Path, kind: str) -> None:
    """Create an index with a part in a file and one in the database, and an item deleted from each."""
    how, items = KINDS[kind]
    days = [dt.date(2026, 1, day) for day in range(1, 6)]
    with Index.create(folder, fields=["day", "n"], **how) as index:
        index.add([f"id {i}" for i in range(5)], items[:5], {"day": days, "n": np.arange(5, dtype=np.int32)})
        index.compact()
        index.add(["five", "six", "\N{SNOWMAN}"], [items[5], items[3], items[0]])
        index.delete(["id 4", "six"])


def main() -> None:
    """Write the archive."""
    with tempfile.TemporaryDirectory() as name, tarfile.open(ARCHIVE, "w:xz") as archive:
        for kind in KINDS:
            make(Path(name) / kind, kind)
            archive.add(Path(name) / kind, kind, filter=nobody)


def nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove owner and time from an archive member."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    main()
