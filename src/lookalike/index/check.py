"""Looks through an index, byte by byte."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import InputError
from lookalike.index.container import Container, digest
from lookalike.index.part import Part
from lookalike.index.store import DATABASE, LOCK, SEAL, SUFFIX, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.store import Entry


def check(folder: Path) -> list[str]:
    """Return what is wrong with an index, each in a sentence; nothing if every byte is what was written."""
    return list(problems(folder))


def problems(folder: Path) -> Iterator[str]:
    """Yield what is wrong."""
    yield from wrong_with_database(folder)
    try:
        store = Store.open(folder)
    except InputError as error:
        yield str(error)
        return
    try:
        with store.reading() as connection:
            for (line,) in connection.execute("PRAGMA integrity_check"):
                if line != "ok":
                    yield f"{DATABASE}: {line}"
            entries = store.entries()
            for entry in entries:
                yield from wrong_with_part(store, entry)
            known = {store.path(entry.number).name for entry in entries if entry.filed}
    except (InputError, sqlite3.Error) as error:
        yield str(error)
        return
    finally:
        store.close()
    known |= {LOCK, SEAL, f"{SEAL}.new", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
    for path in sorted(folder.iterdir()):
        if path.name not in known and not path.name.endswith(SUFFIX):
            yield f"{path.name} does not belong to the index"


def wrong_with_database(folder: Path) -> Iterator[str]:
    """Compare the database with the checksum that was made when it was closed, if it was."""
    try:
        sealed = json.loads((folder / SEAL).read_text())
        data = (folder / DATABASE).read_bytes()
        if digest(data).hexdigest() != sealed["digest"] or len(data) != sealed["bytes"]:
            yield f"{DATABASE} is not what it was when it was closed"
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError):
        yield f"{SEAL} cannot be read"


def wrong_with_part(store: Store, entry: Entry) -> Iterator[str]:
    """Look through a part."""
    name = store.path(entry.number).name if entry.filed else f"part {entry.number} in {DATABASE}"
    try:
        if entry.filed:
            container = Container.open(store.path(entry.number))
        else:
            container = Container.read(name, np.frombuffer(store.data(entry.number), np.uint8))
        if container.checksum != entry.checksum or container.data.size != entry.size:
            yield f"{name} is another one than was committed"
        for column in container.damage():
            yield f"{name}: the column {column} is not what was written"
        if Part(entry.number, container).count != entry.items:
            yield f"{name} has not as many items as were committed"
        gone = store.deleted(entry.number)
        if len(gone) != entry.gone or any(not 0 <= item < entry.items for item in gone):
            yield f"{name}: what was deleted from it does not fit"
    except FileNotFoundError:
        yield f"{name} is missing"
    except InputError as error:
        yield str(error)
    except (KeyError, ValueError, TypeError) as error:
        yield f"{name} cannot be read: {error}"
