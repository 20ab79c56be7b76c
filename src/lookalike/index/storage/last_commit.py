"""The number of the last commit, recorded beside the database while a writer has the index open.

SQLite takes a damaged frame of its write-ahead log for one that a crash cut short, and silently drops it along with all
later frames. This number reveals that commits are missing. It is written once a commit is on disk, and is not synced:
after a power failure it may be too small or absent, but never too large.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from lookalike.errors import InputError
from lookalike.index.storage.files import LATEST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORD = struct.Struct("<QL")
"""Commit number, checksum."""


class LastCommit:
    """A writer's record of the last commit.

    The file stays open, so that the record never ends up in an index that replaces this one. Failing to write it does
    no harm.
    """

    def __init__(self, folder: Path, mode: int) -> None:
        """Open the file, with the permissions of the database."""
        self._file: IO[bytes] | None = None
        path = folder / LATEST
        with suppress(OSError):
            path.touch()
            self._file = path.open("r+b", buffering=0)
            path.chmod(mode)

    def record(self, commit: int) -> None:
        """Overwrite the record, in one write."""
        if self._file is not None:
            with suppress(OSError):
                self._file.seek(0)
                self._file.write(RECORD.pack(commit, commit_checksum(commit)))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


def read_last_commit(folder: Path) -> int:
    """Return the recorded commit, or 0 if there is none or it may not be read."""
    path = folder / LATEST
    try:
        data = path.read_bytes()
    except (FileNotFoundError, PermissionError):
        return 0
    if not any(data):  # power failed before the record was on disk
        return 0
    if len(data) == RECORD.size:
        commit, checksum = RECORD.unpack(data)
        if checksum == commit_checksum(commit):
            return int(commit)
    raise InputError(
        f"{path} is damaged, so commits may be missing. Restore an intact copy of the index, or remove this file to "
        "continue with what is left"
    )


def refuse_lost_commits(folder: Path, commit_now: Callable[[], int]) -> None:
    """Raise if recorded commits are not in the database.

    A writer may commit at any time, so the record is read before the database.
    """
    recorded, commit = read_last_commit(folder), commit_now()
    if recorded > commit:
        raise InputError(
            f"{folder} has lost its last {recorded - commit:,} commits: the database or its log is damaged. Restore an "
            f"intact copy of the index, or remove {folder / LATEST} to continue with what is left"
        )


def commit_checksum(commit: int) -> int:
    """Return the checksum of a commit number."""
    return zlib.crc32(b"%d" % commit)


def remove_last_commit(folder: Path) -> None:
    """Remove the record. A closed index needs none: its database is one file with a checksum."""
    with suppress(OSError):
        (folder / LATEST).unlink(missing_ok=True)
