"""Atomic creation and replacement of an index: it appears complete, or not at all.

A new index is built in a temporary folder beside its destination, and takes its place once it is complete. An index
that is being replaced stays until then, locked.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.checks import refuse_url
from lookalike.errors import InputError, OutputError
from lookalike.index.storage.database import Database
from lookalike.index.storage.files import is_index_file, sync_folder
from lookalike.index.storage.temporary import move_to_backup, temporary_path

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Constants of Linux, for renameat2."""


@contextmanager
def atomic_folder(path: Path, *, force: bool, timeout: float = 0) -> Iterator[Path]:
    """Yield a path at which to create an index, and move it to `path` on success; with `force`, replace an index there.

    `timeout` is how many seconds to wait for the writer of that. Nothing is left behind on failure.
    """
    destination = Path(os.path.realpath(path))
    old = check_destination(path, destination, force=force, timeout=timeout)
    temporary = temporary_path(destination)
    try:
        yield temporary
        move(temporary, path, destination, old)
    except OutputError as error:
        raise OutputError(str(error).replace(str(temporary), str(path))) from error
    finally:
        if old is not None:
            old.close()
        shutil.rmtree(temporary, ignore_errors=True)


def check_destination(path: Path, destination: Path, *, force: bool, timeout: float) -> Database | None:
    """Raise if the destination cannot or must not be written; return the index to replace, locked, if there is one."""
    if not destination.parent.is_dir():
        refuse_url(path, OutputError)
        raise OutputError(f"{path} cannot be written: there is no directory {destination.parent}. Create it first")
    if not os.access(destination.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: no write permission in {destination.parent}. Choose another path")
    if not os.path.lexists(destination):
        return None
    try:
        old = Database.open(destination, timeout=timeout)
    except InputError as error:
        raise OutputError(f"{path} exists and is not a readable index. Choose another path") from error
    try:
        refuse_existing(path, force=force)
        refuse_other_files(path, destination)
        old.acquire_lock()
    except BaseException:
        old.close()
        raise
    return old


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise unless an index may be replaced."""
    if not force:
        raise OutputError(
            f"{path} already exists. Add to it with lookalike index add or Index.add, or replace it with `force`"
        )


def refuse_other_files(path: Path, destination: Path) -> None:
    """Raise if a folder holds files that do not belong to an index."""
    if other := next((file.name for file in sorted(destination.iterdir()) if not is_index_file(file)), None):
        raise OutputError(f"{path} also holds {other}, which `force` would remove. Move it elsewhere first")


def refuse_changed(old: Database, path: Path, destination: Path) -> None:
    """Raise if the destination is no longer the index that was to be replaced."""
    if destination.exists():
        old.refuse_replaced()
        refuse_other_files(path, destination)


def move(new: Path, path: Path, destination: Path, old: Database | None) -> None:
    """Move a complete index to its destination, in place of the old one if there is one."""
    try:
        if old is None:
            move_new(new, path, destination)
        else:
            refuse_changed(old, path, destination)
            replace(new, destination)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}. Choose another path") from error


def move_new(new: Path, path: Path, destination: Path) -> None:
    """Move a folder to an unused destination. Whatever was created there meanwhile stays."""
    try:
        new.rename(destination)
    except OSError as error:
        if destination.exists():
            raise OutputError(f"{path} was created while the index was being built. Choose another path") from error
        raise
    sync_folder(destination.parent)


def replace(new: Path, destination: Path) -> None:
    """Move a folder to its destination; what was there ends up under the other name, or is removed."""
    if not destination.exists():
        new.rename(destination)
    elif not exchange(new, destination):
        old = move_to_backup(destination)
        try:
            new.rename(destination)
        except BaseException:
            old.rename(destination)
            raise
        shutil.rmtree(old, ignore_errors=True)
    sync_folder(destination.parent)


def exchange(one: Path, two: Path) -> bool:
    """Exchange the names of two folders atomically; return whether the system could."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    failed: int = rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(two), RENAME_EXCHANGE)
    return not failed
