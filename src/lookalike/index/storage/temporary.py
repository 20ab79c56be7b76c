"""Temporary folders in which indexes are created, beside their destination, until they are complete."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.errors import OutputError
from lookalike.index.storage.files import LOCK, is_index_file
from lookalike.index.storage.lock import Lock

if TYPE_CHECKING:
    from pathlib import Path

MAX_AGE = 86_400
"""Seconds after which an unlocked temporary folder is considered abandoned."""

UNFINISHED = re.compile(r"\.lookalike-[0-9a-f]{16}\.tmp")
"""Names of temporary folders. Backups have other names, and are never removed automatically."""


def temporary_path(destination: Path) -> Path:
    """Return an unused path beside a destination, after removing folders there that crashes left behind."""
    for path in destination.parent.glob(".lookalike-*.tmp"):
        if UNFINISHED.fullmatch(path.name):
            with suppress(OSError, OutputError):
                remove_abandoned(path)
    return destination.with_name(f".lookalike-{secrets.token_hex(8)}.tmp")


def move_to_backup(folder: Path) -> Path:
    """Rename an index to a backup name in the same directory; return that."""
    backup = folder.with_name(f".lookalike-{secrets.token_hex(8)}.old")
    folder.rename(backup)
    return backup


def remove_abandoned(folder: Path) -> None:
    """Remove a temporary folder if it is old, holds nothing but an index, and no writer has it locked."""
    if time.time() - folder.stat().st_mtime < MAX_AGE or not all(map(is_index_file, folder.iterdir())):
        return
    lock = Lock.acquire(folder / LOCK)
    try:
        shutil.rmtree(folder)
    finally:
        lock.release()
