"""The check of an index: every byte is read and verified."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import InputError, RecipeError
from lookalike.index.storage.container import Container
from lookalike.index.storage.database import Database
from lookalike.index.storage.database_checksum import seal_matches
from lookalike.index.storage.errors import DATABASE_ERRORS, unreadable
from lookalike.index.storage.files import DATABASE, is_index_file
from lookalike.index.storage.last_commit import refuse_lost_commits
from lookalike.index.storage.part import Part
from lookalike.index.storage.schema import read_metadata
from lookalike.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.storage.parts_table import PartEntry


def check(folder: Path) -> list[str]:
    """Return the problems of an index, one sentence each; none if every byte is intact."""
    return list(find_problems(folder))


def find_problems(folder: Path) -> Iterator[str]:
    """Yield the problems of an index."""
    try:
        with opened(folder) as database:
            yield from check_database(database)
            with database.reading():
                entries = database.entries()
                for entry in entries:
                    yield from check_deleted(database, entry)
                    if not entry.in_file:
                        yield from check_part(database, entry)
            for entry in entries:
                if entry.in_file:
                    yield from check_part(database, entry)
        for path in sorted(folder.iterdir()):
            if not is_index_file(path):
                yield f"{path.name} does not belong to the index"
    except InputError as error:
        yield str(error)
    except (OSError, *DATABASE_ERRORS) as error:
        yield str(unreadable(folder, error))


def refuse_missing(folder: Path) -> None:
    """Raise if a folder does not exist or is not an index; a damaged index is one."""
    try:
        Database.open(folder, verify=False).close()
    except InputError as error:
        if not isinstance(error.__cause__, DATABASE_ERRORS):
            raise


@contextmanager
def opened(folder: Path) -> Iterator[Database]:
    """Open the database of an index, even if it is damaged."""
    database = Database.open(folder, verify=False)
    try:
        yield database
    finally:
        database.close()


def check_database(database: Database) -> Iterator[str]:
    """Check the database against its seal, if it has one, and verify its contents."""
    with database.reading() as connection:
        sealed = seal_matches(database.folder, database.folder / DATABASE, connection)
    if sealed is None:
        yield from check_last_commit(database)
    with database.reading() as connection:
        if sealed is False:
            yield f"{DATABASE} has changed since it was closed"
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                yield f"{DATABASE}: {line}"
        for (name,) in connection.execute("SELECT name FROM about").fetchall():
            try:
                read_metadata(connection, name)
            except sqlite3.DatabaseError as error:
                yield f"{DATABASE}: {error}"
        try:
            Recipe.from_json(database.metadata("recipe"))
        except (RecipeError, sqlite3.DatabaseError) as error:
            yield f"{DATABASE}: {error}"


def check_last_commit(database: Database) -> Iterator[str]:
    """Check that no commits are missing."""
    try:
        refuse_lost_commits(database.folder, lambda: database.metadata("commit", 0))
    except (InputError, sqlite3.DatabaseError) as error:
        yield str(error)


def check_deleted(database: Database, entry: PartEntry) -> Iterator[str]:
    """Check the deletions from a part."""
    try:
        database.deleted(entry)
    except sqlite3.DatabaseError as error:
        yield f"{DATABASE}: {error}"


def is_committed(database: Database, entry: PartEntry) -> bool:
    """Return whether a part is still in the index. A writer may merge parts during a check."""
    with database.reading():
        return any(one.number == entry.number for one in database.entries())


def check_part(database: Database, entry: PartEntry) -> Iterator[str]:
    """Check a part."""
    name = database.path(entry.number).name if entry.in_file else f"part {entry.number} in {DATABASE}"
    try:
        if entry.in_file:
            container = Container.open(database.path(entry.number))
        else:
            container = Container.read(name, np.frombuffer(database.data(entry), np.uint8))
        if container.checksum != entry.checksum or container.data.size != entry.size:
            yield f"{name} is not the part that was committed"
        for column in container.damaged_columns():
            yield f"{name}: the checksum of column {column} does not match"
        if Part(entry.number, container).count != entry.items:
            yield f"{name} has a different number of items than was committed"
    except FileNotFoundError:
        if is_committed(database, entry):
            yield f"{name} is missing"
    except InputError as error:
        yield str(error)
    except (KeyError, ValueError, TypeError) as error:
        yield f"{name} cannot be read: {error}"
