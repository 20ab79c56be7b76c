"""Looks through an index, byte by byte."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import InputError, RecipeError
from lookalike.index.storage.container import Container
from lookalike.index.storage.database import Store
from lookalike.index.storage.database_checksum import is_as_sealed
from lookalike.index.storage.errors import DATABASE_ERRORS, unreadable
from lookalike.index.storage.files import is_own
from lookalike.index.storage.last_commit import refuse_lost
from lookalike.index.storage.part import Part
from lookalike.index.storage.schema import DATABASE, get_about
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.storage.parts_table import Entry


def check(folder: Path) -> list[str]:
    """Return what is wrong with an index, each in a sentence; nothing if every byte is what was written."""
    return list(problems(folder))


def problems(folder: Path) -> Iterator[str]:
    """Yield what is wrong."""
    try:
        with opened(folder) as store:
            yield from wrong_with_database(store)
            with store.reading():
                entries = store.entries()
                for entry in entries:
                    yield from wrong_with_deleted(store, entry)
                    if not entry.filed:
                        yield from wrong_with_part(store, entry)
            for entry in entries:
                if entry.filed:
                    yield from wrong_with_part(store, entry)
        for path in sorted(folder.iterdir()):
            if not is_own(path):
                yield f"{path.name} does not belong to the index"
    except InputError as error:
        yield str(error)
    except (OSError, *DATABASE_ERRORS) as error:
        yield str(unreadable(folder, error))


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """Open the folder of an index, whether it is as it was closed or not."""
    store = Store.open(folder, sealed=False)
    try:
        yield store
    finally:
        store.close()


def wrong_with_database(store: Store) -> Iterator[str]:
    """Compare the database with the checksum that was made when it was closed, if it was; look through it."""
    with store.reading() as connection:
        sealed = is_as_sealed(store.folder, store.folder / DATABASE, connection)
    if sealed is None:
        yield from lost_commits(store)
    with store.reading() as connection:
        if sealed is False:
            yield f"{DATABASE} is not what it was when it was closed"
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                yield f"{DATABASE}: {line}"
        for (name,) in connection.execute("SELECT name FROM about").fetchall():
            try:
                get_about(connection, name)
            except sqlite3.DatabaseError as error:
                yield f"{DATABASE}: {error}"
        try:
            Recipe.from_json(store.about("recipe"))
        except (RecipeError, sqlite3.DatabaseError) as error:
            yield f"{DATABASE}: {error}"


def lost_commits(store: Store) -> Iterator[str]:
    """Look whether commits are missing."""
    try:
        refuse_lost(store.folder, lambda: store.about("commit", 0))
    except (InputError, sqlite3.DatabaseError) as error:
        yield str(error)


def wrong_with_deleted(store: Store, entry: Entry) -> Iterator[str]:
    """Look whether what was deleted from a part is what was written."""
    try:
        store.deleted(entry)
    except sqlite3.DatabaseError as error:
        yield f"{DATABASE}: {error}"


def is_committed(store: Store, entry: Entry) -> bool:
    """Tell whether a part still is in the index. Parts may be joined while they are looked through."""
    with store.reading():
        return any(one.number == entry.number for one in store.entries())


def wrong_with_part(store: Store, entry: Entry) -> Iterator[str]:
    """Look through a part."""
    name = store.path(entry.number).name if entry.filed else f"part {entry.number} in {DATABASE}"
    try:
        if entry.filed:
            container = Container.open(store.path(entry.number))
        else:
            container = Container.read(name, np.frombuffer(store.data(entry), np.uint8))
        if container.checksum != entry.checksum or container.data.size != entry.size:
            yield f"{name} is another one than was committed"
        for column in container.damage():
            yield f"{name}: the column {column} is not what was written"
        if Part(entry.number, container).count != entry.items:
            yield f"{name} has not as many items as were committed"
    except FileNotFoundError:
        if is_committed(store, entry):
            yield f"{name} is missing"
    except InputError as error:
        yield str(error)
    except (KeyError, ValueError, TypeError) as error:
        yield f"{name} cannot be read: {error}"
