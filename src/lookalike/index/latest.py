"""The number of the latest commit, noted beside the database while a writer is at work.

SQLite takes a damaged entry of its log for one that a crash cut off, and goes on without it and all that follow. By
this number it is seen that they were there. It is written once a commit is on disk, and may be lost with the power:
then it is too small, or not there, and never too large.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from lookalike.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATEST = "latest"
NOTE = struct.Struct("<QL")


class Latest:
    """The note of a writer. It is held open, so that it is never that of an index that takes this one's place.

    It is no harm if it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._handle: int | None = None
        with suppress(OSError):
            self._handle = os.open(folder / LATEST, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)

    def note(self, commit: int) -> None:
        """Write down a commit, over what was there, in one piece."""
        if self._handle is not None:
            with suppress(OSError):
                os.lseek(self._handle, 0, os.SEEK_SET)
                os.write(self._handle, NOTE.pack(commit, checksum_of(commit)))

    def close(self) -> None:
        """Let go of the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def read_latest(folder: Path) -> int:
    """Return the commit that was noted; 0 if none was."""
    try:
        data = (folder / LATEST).read_bytes()
    except FileNotFoundError:
        return 0
    if not any(data):  # the power went before it was there
        return 0
    if len(data) == NOTE.size:
        commit, checksum = NOTE.unpack(data)
        if checksum == checksum_of(commit):
            return int(commit)
    raise InputError(
        f"{folder / LATEST} is not what was written, so it is not known whether changes are missing. Take a whole copy "
        "of the index, or remove this file to go on with what there is"
    )


def refuse_lost(folder: Path, commit_now: Callable[[], int]) -> None:
    """Raise if commits that were noted are not in the database.

    The note is read first, as there may be more commits at any time; and twice, as another index may take this place.
    """
    noted, commit = read_latest(folder), commit_now()
    if noted > commit:
        noted, commit = read_latest(folder), commit_now()
    if noted > commit:
        raise InputError(
            f"{folder} has lost its latest {noted - commit:,} commits: the database or its log is damaged. Take a "
            f"whole copy of the index, or remove {folder / LATEST} to go on with what there is"
        )


def checksum_of(commit: int) -> int:
    """Return by what it is seen that a number is the one that was written."""
    return zlib.crc32(b"%d" % commit)


def forget_latest(folder: Path) -> None:
    """Remove the note: the database is one file, with a checksum."""
    with suppress(OSError):
        (folder / LATEST).unlink(missing_ok=True)
