"""The files of an index."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.index.storage.database_checksum import SEAL
from lookalike.index.storage.last_commit import LATEST
from lookalike.index.storage.schema import DATABASE, LOCK

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".columns"
"""Of the file of a part."""

OWN = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", LOCK, SEAL, f"{SEAL}.new", LATEST)
"""Files of every index, beside those of its parts."""


def size_of(folder: Path) -> int:
    """Return the bytes of all files of an index; some may go meanwhile."""
    total = 0
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def is_own(path: Path) -> bool:
    """Tell whether a file belongs to an index."""
    return path.name in OWN or path.suffix == SUFFIX
