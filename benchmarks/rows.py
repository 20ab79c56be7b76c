"""The results of a comparison as a file, written after every tool: of each corpus, of sets, and of vectors."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pyarrow as pa

if TYPE_CHECKING:
    from process import Settings

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


@dataclass
class Results:
    """What was measured on one corpus."""

    path: Path
    facts: dict[str, Any]
    rows: dict[str, Row] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file; one that is not there has no rows."""
        if not path.exists():
            return cls(path, {})
        facts = json.loads(path.read_text(encoding="utf-8"))
        return cls(path, facts, {row["tool"]: row for row in facts.pop("tools", [])})

    def comparable(self, settings: Settings) -> bool:
        """Whether new rows can stand beside those that are there: same settings, same machine."""
        if not self.rows:
            return True
        here = machine()
        same = all(self.facts["machine"][name] == here[name] for name in ("cpu", "cores"))
        return same and self.facts["settings"] == asdict(settings)

    def put(self, row: Row, corpus: dict[str, Any], settings: Settings) -> None:
        """Add a row, or replace it, and write the file."""
        self.rows[row["tool"]] = row
        self.facts = {
            "corpus": corpus,
            "settings": asdict(settings),
            "machine": machine(),
            "versions": {"python": platform.python_version(), "numpy": np.__version__, "pyarrow": pa.__version__},
            "date": today(),
        }
        write(self.path, {**self.facts, "tools": [self.rows[name] for name in sorted(self.rows)]})


@dataclass
class Sides:
    """What was measured on sets, or on vectors: of each tool several rows, and where and when it was measured.

    A note that was written into the file by hand, on what to know of a tool's rows, goes when they are replaced.
    """

    path: Path
    count: int
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Sides:
        """Read a file; one that is not there has no tools."""
        if not path.exists():
            return cls(path, 0)
        facts = json.loads(path.read_text(encoding="utf-8"))
        return cls(path, facts["count"], facts["side by side"])

    def put(self, tool: str, version: str, threads: int, rows: list[Row]) -> None:
        """Add the rows of a tool, or replace them, and write the file; those of other tools stay."""
        about = {"version": version, "date": today(), "threads": threads, "machine": machine()}
        self.tools[tool] = {**about, "rows": rows}
        ordered = {name: self.tools[name] for name in sorted(self.tools)}
        write(self.path, {"count": self.count, "side by side": ordered})


def write(path: Path, found: dict[str, Any]) -> None:
    """Write a file of results: all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    temporary.rename(path)


def today() -> str:
    """Return the date."""
    return dt.datetime.now(dt.UTC).date().isoformat()


def machine() -> dict[str, Any]:
    """Say what machine this is."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": system(),
    }


def cpu() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def system() -> str:
    """Return the name of the operating system."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return f"{platform.system()} {platform.release()}"
