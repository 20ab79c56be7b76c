"""The number of the latest commit, noted beside the database while a writer is at work.

SQLite takes a damaged entry of its log for one that a crash cut off, and goes on without it and all that follow. By
this number it is seen that they were there. It is written once a commit is on disk, and may be lost with the power:
then it is too small, or not there, and never too large.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from typing import IO, TYPE_CHECKING

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

    def __init__(self, folder: Path, mode: int) -> None:
        """Begin it with the permissions that the database has."""
        self._file: IO[bytes] | None = None
        path = folder / LATEST
        with suppress(OSError):
            path.touch()
            self._file = path.open("r+b", buffering=0)
            path.chmod(mode)

    def note(self, commit: int) -> None:
        """Write down a commit, over what was there, in one piece."""
        if self._file is not None:
            with suppress(OSError):
                self._file.seek(0)
                self._file.write(NOTE.pack(commit, checksum_of(commit)))

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


def read_latest(folder: Path) -> int:
    """Return the commit that was noted; 0 if none was, or nobody may know."""
    try:
        data = (folder / LATEST).read_bytes()
    except (FileNotFoundError, PermissionError):
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
    """Raise if commits that were noted are not in the database. There may be more any time: the note is read first."""
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
