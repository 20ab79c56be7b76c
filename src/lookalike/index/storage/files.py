"""Names of the files in an index folder, and how they are made durable."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DATABASE = "index.sqlite"
LOCK = "lock"
SEAL = "seal.json"
"""Checksum of the database, present while the index is closed."""

LATEST = "latest"
"""Number of the last commit, present while a writer has the index open."""

PART_SUFFIX = ".columns"
"""Suffix of part files."""

INDEX_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", LOCK, SEAL, f"{SEAL}.new", LATEST)
"""Files that any index may have, besides its part files."""


def is_index_file(path: Path) -> bool:
    """Return whether a file belongs to an index, judging by its name."""
    return path.name in INDEX_FILES or path.suffix == PART_SUFFIX


def part_path(folder: Path, number: int) -> Path:
    """Return the path of the file of a part."""
    return folder / f"{number:08}{PART_SUFFIX}"


def folder_size(folder: Path) -> int:
    """Return the total size of the files in a folder, in bytes. Files may disappear meanwhile."""
    total = 0
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def sync_folder(folder: Path) -> None:
    """Flush the directory entries of a folder to disk."""
    if os.name == "nt":  # pragma: no cover - Windows cannot open a folder
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_files(paths: list[Path]) -> None:
    """Remove files where possible, and clear the list. The next writer removes what is left."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    paths.clear()
