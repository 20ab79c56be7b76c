"""Folders in which indexes are made, beside their place: they get their names once they are whole."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.errors import OutputError
from lookalike.index.storage.files import is_own
from lookalike.index.storage.lock import Lock
from lookalike.index.storage.schema import LOCK

if TYPE_CHECKING:
    from pathlib import Path

A_DAY = 86_400
"""Seconds after which a folder that nobody holds is one that was left."""


UNFINISHED = re.compile(r"\.lookalike-[0-9a-f]{16}\.tmp")
"""Names of folders that are not complete; what is put aside has others, and is never removed by itself."""


def beside(place: Path) -> Path:
    """Make a name in the same directory; and remove folders there that a crash has left."""
    for path in place.parent.glob(".lookalike-*.tmp"):
        if UNFINISHED.fullmatch(path.name):
            with suppress(OSError, OutputError):
                remove_abandoned(path)
    return place.with_name(f".lookalike-{secrets.token_hex(8)}.tmp")


def put_aside(place: Path) -> Path:
    """Give an index a name in the same directory under which it is kept."""
    old = place.with_name(f".lookalike-{secrets.token_hex(8)}.old")
    place.rename(old)
    return old


def remove_abandoned(folder: Path) -> None:
    """Remove the folder of an index that was not completed, if it is one, an old one, and nobody is at work on it."""
    if time.time() - folder.stat().st_mtime < A_DAY or not all(map(is_own, folder.iterdir())):
        return
    lock = Lock.take(folder / LOCK)
    try:
        shutil.rmtree(folder)
    finally:
        lock.release()
