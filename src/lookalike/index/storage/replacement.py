"""Where a new index is made: beside its place, so that it is there whole, or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InputError, OutputError
from lookalike.index.storage.database import Store
from lookalike.index.storage.database_checksum import sync_folder
from lookalike.index.storage.files import is_own
from lookalike.index.storage.temporary import beside, put_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE, EXCHANGE = -100, 2
"""What Linux calls AT_FDCWD and RENAME_EXCHANGE."""


@contextmanager
def new_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """Give an index a temporary name, and its own on success; what was there before stays until then."""
    place = Path(os.path.realpath(path))
    old = check_place(path, place, force=force)
    temporary = beside(place)
    try:
        yield temporary
        if old is None:
            put_new(temporary, path, place)
        else:
            refuse_unlike(old, path, place)
            put(temporary, place)
    except OutputError as error:
        raise OutputError(str(error).replace(str(temporary), str(path))) from error
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}; choose another place") from error
    finally:
        if old is not None:
            old.close()
        shutil.rmtree(temporary, ignore_errors=True)


def check_place(path: Path, place: Path, *, force: bool) -> Store | None:
    """Refuse a place that cannot or must not be written; return the index that is to be replaced, locked."""
    if not place.parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no directory {place.parent}; make it first")
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: no permission in {place.parent}; choose another place")
    if not os.path.lexists(place):
        return None
    try:
        old = Store.open(place)
    except InputError as error:
        raise OutputError(f"{path} exists and is not an index that can be read; choose another name") from error
    try:
        refuse_unforced(path, force=force)
        refuse_other_files(path, place)
        old.lock()
    except BaseException:
        old.close()
        raise
    return old


def refuse_unforced(path: Path, *, force: bool) -> None:
    """Raise unless an index may be replaced."""
    if not force:
        raise OutputError(f"{path} exists already; add to it with lookalike index add, or replace it with --force")


def refuse_other_files(path: Path, place: Path) -> None:
    """Raise if a folder holds more than an index."""
    if other := next((file.name for file in sorted(place.iterdir()) if not is_own(file)), None):
        raise OutputError(f"{path} also holds {other}, which --force would remove; move it elsewhere first")


def refuse_unlike(old: Store, path: Path, place: Path) -> None:
    """Raise if what is to be replaced is not what it was when that was allowed."""
    if place.exists():
        old.refuse_replaced()
        refuse_other_files(path, place)


def put_new(new: Path, path: Path, place: Path) -> None:
    """Put a folder where nothing was; whatever came there meanwhile stays."""
    try:
        new.rename(place)
    except OSError as error:
        if place.exists():
            raise OutputError(f"{path} has come to be while the index was made; choose another name") from error
        raise
    sync_folder(place.parent)


def put(new: Path, place: Path) -> None:
    """Put a folder in its place; what is there, if anything is, is under the other name afterwards, or gone."""
    if not place.exists():
        new.rename(place)
    elif not exchanged(new, place):
        old = put_aside(place)
        try:
            new.rename(place)
        except BaseException:
            old.rename(place)
            raise
        shutil.rmtree(old, ignore_errors=True)
    sync_folder(place.parent)


def exchanged(one: Path, two: Path) -> bool:
    """Exchange the names of two folders at once, if the system can: then at no moment is there none."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    failed: int = rename(HERE, os.fsencode(one), HERE, os.fsencode(two), EXCHANGE)
    return not failed
